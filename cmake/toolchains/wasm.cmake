# WebAssembly with threads, run by node. Debian: emscripten node-acorn, with NODE_PATH=/usr/share/nodejs in the environment.
find_file(DRAPE_EMSCRIPTEN Emscripten.cmake
	PATHS $ENV{EMSDK}/upstream/emscripten/cmake/Modules/Platform /usr/share/emscripten/cmake/Modules/Platform
	NO_CMAKE_FIND_ROOT_PATH REQUIRED)
include(${DRAPE_EMSCRIPTEN})
set(CMAKE_C_FLAGS_INIT -pthread)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-pthread -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1 -Wno-pthreads-mem-growth")
# node's fetch cannot read files, and emscripten 3.1.6 prefers it to reading them.
find_program(DRAPE_NODE NAMES node nodejs NO_CMAKE_FIND_ROOT_PATH REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${DRAPE_NODE};--no-experimental-fetch)
