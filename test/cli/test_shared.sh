#!/bin/sh
# SPDX-License-Identifier: MIT
# With BUILD_SHARED_LIBS both programs link, and so do tests that look into the core; installed, the program finds its libraries.
# The core exports nothing but public functions.
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
	-DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_C_COMPILER="$cc" >"$log" 2>&1 || fail
"$cmake" --build "$build" --target programs test_edge test_scene >"$log" 2>&1 || fail
"$build/bin/test_edge" >"$log" 2>&1 || fail
"$cmake" --install "$build" >"$log" 2>&1 || fail

cd /
"$prefix/bin/drape" --version >"$log" 2>&1 || fail
"$prefix/bin/drape" check "$source/scenes/two_corners.json" >"$log" 2>&1 || fail
"$prefix/bin/drape" bench --help >"$log" 2>&1 || fail
ldd "$prefix/bin/drape" >"$log"
grep -q "libdrape.so.* => $prefix" "$log" || fail

# drapeMesh_Repair is public, drapeEdgeScheme_Split is not.
nm -D --defined-only "$build/libdrape.so" >"$log"
grep -q " drapeMesh_Repair$" "$log" || fail
! grep -q " drapeEdgeScheme_Split$" "$log" || fail
