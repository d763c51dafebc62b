# Writes headers for a core that is compiled once per instruction set (src/base/simd/dispatch.c).
#   names_SUFFIX.h       gives every external name of the core a suffix, so that copies can be in one library
#   base/public_names.h  DRAPE_PUBLIC(name) for each public function of the core
# usage: cmake -DSOURCE=PROJECT -DOUTPUT=FOLDER "-DSUFFIXES=avx2 sse2" -P names.cmake

cmake_minimum_required(VERSION 3.22)

# External names begin with drape and a capital, and their definitions begin in the first column.
set(names "")
file(GLOB_RECURSE sources ${SOURCE}/src/*.c ${SOURCE}/src/*.h)
foreach(source ${sources})
	file(READ ${source} text)
	string(REGEX REPLACE "//[^\n]*" "" text "${text}")
	string(REGEX REPLACE "[][;\\]" " " text "${text}")
	string(REGEX MATCHALL "\n[A-Za-z][^\n]*" lines "${text}")
	string(REGEX MATCHALL "drape[A-Z][A-Za-z0-9_]*" found "${lines}")
	list(APPEND names ${found})
endforeach()
list(REMOVE_DUPLICATES names)
list(FILTER names EXCLUDE REGEX "^drapeDispatch_") # functions of dispatch.c, which is compiled once
list(SORT names)

function(write_if_changed path text)
	if(EXISTS ${path})
		file(READ ${path} old)
		if(old STREQUAL text)
			return()
		endif()
	endif()
	file(WRITE ${path} "${text}")
endfunction()

separate_arguments(SUFFIXES)
foreach(suffix ${SUFFIXES})
	list(TRANSFORM names REPLACE "(.+)" "#define \\1 \\1_${suffix}" OUTPUT_VARIABLE lines)
	list(JOIN lines "\n" text)
	write_if_changed(${OUTPUT}/names_${suffix}.h "// Made by cmake/names.cmake.\n${text}\n")
endforeach()

set(text "// Made by cmake/names.cmake.\n")
file(GLOB headers ${SOURCE}/include/drape/*.h)
foreach(header ${headers})
	file(READ ${header} header_text)
	string(REGEX MATCHALL "DRAPE_API [^;#\"()]*\\(" declarations "${header_text}")
	foreach(declaration ${declarations})
		string(REGEX REPLACE ".*[ *\n](drape[A-Za-z0-9_]+)\\($" "\\1" name "${declaration}")
		if(name IN_LIST names)
			string(APPEND text "DRAPE_PUBLIC(${name})\n")
		endif()
	endforeach()
endforeach()
write_if_changed(${OUTPUT}/base/public_names.h "${text}")
