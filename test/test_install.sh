#!/bin/sh
# SPDX-License-Identifier: MIT
# An installed drape can be used by another project, through pkg-config and through find_package.
# usage: test_install.sh CMAKE BUILD_DIR LIBDIR CC [SANITIZERS]
set -eu
cmake=$1 build=$2 libdir=$3 cc=$4 sanitize=${5:-}
unset DESTDIR || true

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
flags=${sanitize:+-fsanitize=$sanitize}

cat >"$work/main.c" <<'END'
#include "drape/mesh.h"
#include <stdio.h>
#include <string.h>

int main(void)
{
	drapeVersion version = drapeGetVersion();
	printf("drape %d.%d.%d\n", version.major, version.minor, version.patch);
	return version.minor != DRAPE_VERSION_MINOR || strcmp(drapeResult_String(drape_ok), "done") != 0;
}
END

cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(drape REQUIRED)
add_executable(user main.c)
target_link_libraries(user PRIVATE drape::drape)
END

"$cmake" --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
export LD_LIBRARY_PATH="$prefix/$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# The .pc file names the prefix of the configuration; this installation went elsewhere.
export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
package="pkg-config --define-variable=prefix=$prefix --static"
"$cc" -std=c17 $flags $($package --cflags drape) "$work/main.c" $($package --libs drape) -o "$work/with_pkg_config"
"$work/with_pkg_config"

"$cmake" -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" \
	>"$work/log" 2>&1 && "$cmake" --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/build/user"
