#!/bin/sh
# SPDX-License-Identifier: MIT
# Another project can use an installed drape, through pkg-config and through find_package. The installed `drape bench` starts the
# installed drape-bench, and drape-bench finds the installed scenes.
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
	return version.minor != DRAPE_VERSION_MINOR || strcmp(drapeResult_GetText(drape_ok), "done") != 0;
}
END

cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(drape REQUIRED)
add_executable(user main.c)
target_link_libraries(user PRIVATE drape::drape)
if(TARGET drape::io)
	add_executable(user_io main_io.c)
	target_link_libraries(user_io PRIVATE drape::io)
	if(drape_HAS_SCENES)
		target_compile_definitions(user_io PRIVATE HAS_SCENES)
	endif()
endif()
END

cat >"$work/main_io.c" <<'END'
#include "drape/io.h"
#ifdef HAS_SCENES
#include "drape/scene.h"
#endif

int main(void)
{
	drapeObj obj;
	if (drapeObj_Parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 32, "text", &obj, 0) != drape_ok)
		return 1;
	drapeObj_Free(&obj);
#ifdef HAS_SCENES
	drapeScene* scene;
	if (drapeScene_Parse("[]", 2, "text", &scene, 0) != drape_errorData)
		return 1;
#endif
	return 0;
}
END

"$cmake" --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
export LD_LIBRARY_PATH="$prefix/$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# The .pc file finds its prefix from where it lies.
export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
package="pkg-config --static"
"$cc" -std=c17 $flags $($package --cflags drape) "$work/main.c" $($package --libs drape) -o "$work/with_pkg_config"
"$work/with_pkg_config"

"$cmake" -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" \
	>"$work/log" 2>&1 && "$cmake" --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/build/user"
[ ! -e "$work/build/user_io" ] || "$work/build/user_io"

# DRAPE_CXX is the C++ compiler; nothing without one.
case ${DRAPE_CXX:-} in
"" | *NOTFOUND) echo "no C++ compiler: the examples are not built" ;;
*) "$(dirname "$0")/install_examples.sh" "$cmake" "$prefix" "$libdir" "$cc" "$DRAPE_CXX" "$sanitize" ;;
esac

# Run from another folder, and from a moved tree.
if [ -e "$prefix/bin/drape" ]; then
	mv "$prefix" "$work/moved"
	export LD_LIBRARY_PATH="$work/moved/$libdir"
	[ -x "$work/moved/bin/drape-bench" ] || { echo "drape-bench is not installed"; exit 1; }
	mkdir "$work/elsewhere"
	(cd "$work/elsewhere" && "$work/moved/bin/drape" bench --help) >"$work/log" || { cat "$work/log"; exit 1; }
	grep -q "usage: drape bench" "$work/log" || { cat "$work/log"; exit 1; }
	# A scene that only this tree has.
	cp "$work/moved/share/drape/scenes/two_corners.json" "$work/moved/share/drape/scenes/only_here.json"
	(cd "$work/elsewhere" && "$work/moved/bin/drape" bench scenes --quick --only only_here) >"$work/log" || { cat "$work/log"; exit 1; }
	grep -q "only_here" "$work/log" || { cat "$work/log"; exit 1; }
	# Without its neighbour it says so.
	rm "$work/moved/bin/drape-bench"
	! PATH="$work/elsewhere" "$work/moved/bin/drape" bench 2>"$work/log" || { echo "a missing drape-bench was not an error"; exit 1; }
	grep -q "cannot start" "$work/log" || { cat "$work/log"; exit 1; }
fi
