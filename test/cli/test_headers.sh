#!/bin/sh
# SPDX-License-Identifier: MIT
# Each public header compiles by itself, as C17 and as C++17, without a warning, and may be included twice.
# usage: test_headers.sh INCLUDE_DIR CC [CXX]
set -eu
include=$1 cc=$2 cxx=${3:-}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-Wall -Wextra -Wpedantic -Wstrict-aliasing -Werror -fsyntax-only"

case $cxx in
*NOTFOUND | "") cxx= && echo "no C++ compiler: headers are tried as C only" ;;
esac

# tryHeader INCLUDE_DIR NAME: compiles two lines that include the header.
tryHeader()
{
	printf '#include "%s"\n#include "%s"\n' "$2" "$2" >"$work/one.c"
	cp "$work/one.c" "$work/one.cpp"
	"$cc" -std=c17 $flags -I"$1" "$work/one.c" || return 1
	"$cc" -std=c17 $flags -DDRAPE_SHARED -I"$1" "$work/one.c" || return 1
	[ -z "$cxx" ] || "$cxx" -std=c++17 $flags -I"$1" "$work/one.cpp" || return 1
}

# A header that leans on another one without including it must be caught, or this test proves nothing.
mkdir "$work/bad"
echo 'uint32_t drapeBad(void);' >"$work/bad/bad.h"
if tryHeader "$work/bad" bad.h 2>/dev/null; then
	echo "a header that does not include what it needs was let through"
	exit 1
fi

count=0
for header in "$include"/drape/*.h; do
	name=drape/$(basename "$header")
	tryHeader "$include" "$name" || { echo "$name does not compile by itself"; exit 1; }
	count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "no headers in $include/drape"; exit 1; }
echo "$count headers"
