#!/bin/sh
# docs/library.md shows the programs of examples/ as they are, in this order, and they work. Blocks that do not begin as a program does
# are snippets.
# Usage: test_example.sh SOURCE_DIR HANG_PROGRAM FABRIC_PROGRAM
set -eu
source=$1
hang=$2
fabric=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

number=0
for example in hang fabric; do
	number=$((number + 1))
	awk -v wanted=$number '
		/^```c$/ { first = 1; next }
		first { first = 0; inside = /^(\/\/ SPDX|#include)/; block += inside }
		/^```$/ { inside = 0 }
		inside && block == wanted' "$source/docs/library.md" >"$work/shown.c"
	diff "$source/examples/$example.c" "$work/shown.c" ||
		{ echo "docs/library.md does not show examples/$example.c as it is"; exit 1; }
done

cd "$work"
"$hang"
grep -q '^f ' hang.obj || { echo "the example wrote no mesh"; exit 1; }
"$fabric" | grep 'linear solves' || { echo "the example counted no solves"; exit 1; }
