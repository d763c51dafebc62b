#!/bin/sh
# SPDX-License-Identifier: MIT
# With BUILD_SHARED_LIBS both programs link, and so do tests that look into the core; installed, the program finds its libraries.
# The libraries export the public functions and nothing else.
# usage: test_shared.sh CMAKE SOURCE_DIR BUILD_DIR CC
set -eu
cmake=$1 source=$2 build=$3 cc=$4
unset DESTDIR LD_LIBRARY_PATH || true

prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
log=$prefix/log
fail() { cat "$log"; exit 1; }

# Nothing here is measured: without optimisation the build takes a quarter of the time.
"$cmake" -S "$source" -B "$build" -G Ninja -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
	-DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_C_COMPILER="$cc" >"$log" 2>&1 || fail
"$cmake" --build "$build" --target programs test_edge test_scene >"$log" 2>&1 || fail
"$build/bin/test_edge" >"$log" 2>&1 || fail
"$cmake" --install "$build" >"$log" 2>&1 || fail

cd /
"$prefix/bin/drape" --version >"$log" 2>&1 || fail
"$prefix/bin/drape" check "$source/scenes/two_corners.json" >"$log" 2>&1 || fail
"$prefix/bin/drape" bench --help >"$log" 2>&1 || fail
ldd "$prefix/bin/drape" >"$log"
grep -q "libdrape.so.* => $prefix" "$log" || fail

# Each public function is exported by one of the three libraries, and they export nothing else.
cat "$source"/include/drape/*.h | tr '\n' ' ' | grep -oE 'DRAPE_API [^;#"()]*\(' | grep -oE 'drape[A-Za-z0-9_]+ *\($' |
	tr -d '( ' | sort -u >"$prefix/public"
[ "$(wc -l <"$prefix/public")" -gt 200 ] || { echo "the headers have too few functions"; exit 1; }
for library in drape drape_io drape_render; do
	[ ! -e "$build/lib$library.so" ] || nm -D --defined-only "$build/lib$library.so" | sed 's/.* //' >>"$prefix/exported"
done
sort "$prefix/exported" >"$log"
mv "$log" "$prefix/exported"
uniq -d "$prefix/exported" >"$log"
[ ! -s "$log" ] || { echo "two libraries export:"; fail; }
comm -13 "$prefix/public" "$prefix/exported" >"$log"
[ ! -s "$log" ] || { echo "exported, but in no public header:"; fail; }
comm -23 "$prefix/public" "$prefix/exported" >"$log"
[ ! -s "$log" ] || { echo "in a public header, but exported by no library:"; fail; }

# Another program links each of them by pkg-config alone.
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
cat >"$prefix/main.c" <<'END'
#include "drape/io.h"
#include "drape/render.h"

int main(void)
{
	drapeObj obj;
	if (drapeObj_Parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 32, "text", &obj, 0) != drape_ok)
		return 1;
	drapeObj_Free(&obj);
	return drapeGetVersion().minor != DRAPE_VERSION_MINOR || !drapeRenderView_GetName((drapeRenderView)0);
}
END
"$cc" -std=c17 $(pkg-config --cflags drape_io drape_render) "$prefix/main.c" $(pkg-config --libs drape_io drape_render) \
	-Wl,-rpath,"$prefix/lib" -o "$prefix/main" >"$log" 2>&1 || fail
"$prefix/main" >"$log" 2>&1 || fail
