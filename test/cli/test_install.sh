#!/bin/sh
# SPDX-License-Identifier: MIT
# Another project can use an installed drape, through pkg-config without --static and through find_package, and as a folder of
# itself, where its own warnings are no errors. The installed `drape bench` starts the
# installed drape-bench, and drape-bench finds the installed scenes.
# usage: test_install.sh CMAKE SOURCE_DIR BUILD_DIR LIBDIR CC [SANITIZERS]
set -eu
cmake=$1 source=$2 build=$3 libdir=$4 cc=$5 sanitize=${6:-}
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

cat >"$work/main_render.c" <<'END'
#include "drape/render.h"
#include <string.h>

int main(void)
{
	return strcmp(drapeRenderView_GetName((drapeRenderView)0), "") == 0;
}
END

"$cmake" --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
export LD_LIBRARY_PATH="$prefix/$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# The .pc files find their prefix from where they lie. Each names all that its library needs.
export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
tryPackage() # PACKAGE SOURCE [FLAGS]
{
	"$cc" -std=c17 $flags ${3:-} $(pkg-config --cflags "$1") "$2" $(pkg-config --libs "$1") -o "$work/with_$1" ||
		{ echo "$(pkg-config --libs "$1") does not link a program"; exit 1; }
	[ "$(pkg-config --modversion "$1")" = "$(pkg-config --modversion drape)" ] || { echo "$1 has another version"; exit 1; }
}
tryPackage drape "$work/main.c"
[ "$("$work/with_drape")" = "drape $(pkg-config --modversion drape)" ] || { echo "header and package have different versions"; exit 1; }
if [ -e "$prefix/$libdir/pkgconfig/drape_io.pc" ]; then
	scenes=
	! grep -q 'Requires.*jansson' "$prefix/$libdir/pkgconfig/drape_io.pc" || scenes=-DHAS_SCENES
	tryPackage drape_io "$work/main_io.c" "$scenes"
	"$work/with_drape_io"
fi
if [ -e "$prefix/$libdir/pkgconfig/drape_render.pc" ]; then
	tryPackage drape_render "$work/main_render.c"
	"$work/with_drape_render"
fi

"$cmake" -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" \
	>"$work/log" 2>&1 && "$cmake" --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/build/user"
[ ! -e "$work/build/user_io" ] || "$work/build/user_io"

# DRAPE_CXX is the C++ compiler; nothing without one.
case ${DRAPE_CXX:-} in
"" | *NOTFOUND) echo "no C++ compiler: the examples are not built" ;;
*) "$(dirname "$0")/install_examples.sh" "$cmake" "$prefix" "$libdir" "$cc" "$DRAPE_CXX" "$sanitize" ;;
esac

# As a folder of another project: only the core, and a warning is no error.
cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(embedder LANGUAGES C)
include(FetchContent)
FetchContent_Declare(drape SOURCE_DIR "$source")
FetchContent_MakeAvailable(drape)
if(DRAPE_WERROR OR DRAPE_TESTS OR DRAPE_TOOLS OR TARGET drape_io)
	message(FATAL_ERROR "an embedded drape builds more than the core, or with -Werror")
endif()
add_executable(user main.c)
target_link_libraries(user PRIVATE drape::drape)
END
"$cmake" -S "$work" -B "$work/embedded" -DCMAKE_C_COMPILER="$cc" -DDRAPE_SIMD=scalar >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
! grep -rq -e -Werror "$work/embedded/compile_commands.json" || { echo "an embedded drape is built with -Werror"; exit 1; }

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
