# Writes a source file with the commit of the source tree: cmake -DSOURCE=... -DOUTPUT=commit.c -P commit.cmake
# The file changes only if the commit does, so that a build without changes stays one.
set(commit "unknown")
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE}/.git")
	execute_process(COMMAND ${GIT} -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude "*"
		OUTPUT_VARIABLE found RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
	if(result EQUAL 0)
		set(commit "${found}")
	endif()
endif()
set(text "extern const char runCommit[];\nconst char runCommit[] = \"${commit}\";\n")
set(before "")
if(EXISTS "${OUTPUT}")
	file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL text)
	file(WRITE "${OUTPUT}" "${text}")
endif()
