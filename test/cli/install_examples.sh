#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples in C and C++ build against an installed drape, through pkg-config and through find_package, and print the same
# line: their task systems differ, and results do not.
# usage: install_examples.sh CMAKE PREFIX LIBDIR CC CXX [SANITIZERS]
set -eu
cmake=$1 prefix=$2 libdir=$3 cc=$4 cxx=$5 sanitize=${6:-}
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
flags="-Wall -Wextra -Werror ${sanitize:+-fsanitize=$sanitize}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { cat "$work/log"; exit 1; }

export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
packages=$(pkg-config --cflags --libs drape)
"$cc" -std=c17 $flags "$examples/cape.c" $packages -lm -pthread -o "$work/c" >"$work/log" 2>&1 || fail
"$cxx" -std=c++17 $flags "$examples/cape.cpp" $packages -lm -pthread -o "$work/cpp" >"$work/log" 2>&1 || fail

cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(examples LANGUAGES C CXX)
find_package(drape REQUIRED)
find_package(Threads REQUIRED)
set(CMAKE_C_STANDARD 17)
set(CMAKE_CXX_STANDARD 17)
add_executable(c_cmake $examples/cape.c)
add_executable(cpp_cmake $examples/cape.cpp)
foreach(target c_cmake cpp_cmake)
	target_link_libraries(\${target} PRIVATE drape::drape Threads::Threads m)
endforeach()
END
"$cmake" -S "$work" -B "$work" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
	-DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" >"$work/log" 2>&1 || fail
"$cmake" --build "$work" >"$work/log" 2>&1 || fail

for program in c cpp c_cmake cpp_cmake; do
	"$work/$program" >"$work/$program.out" 2>"$work/log" || fail
	grep -q "a ray hits the cape" "$work/$program.out" || { cat "$work/$program.out"; exit 1; }
	cmp "$work/c.out" "$work/$program.out" || { cat "$work/c.out" "$work/$program.out"; exit 1; }
done
cat "$work/c.out"
