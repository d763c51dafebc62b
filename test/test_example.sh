#!/bin/sh
# docs/library.md shows examples/hang.c itself, and the example works.
# Usage: test_example.sh SOURCE_DIR EXAMPLE_PROGRAM
set -eu
source=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n '/^```c$/,/^```$/p' "$source/docs/library.md" | sed '1d;$d' >"$work/shown.c"
diff "$source/examples/hang.c" "$work/shown.c" || { echo "docs/library.md does not show examples/hang.c as it is"; exit 1; }

cd "$work"
"$program"
grep -q '^f ' hang.obj || { echo "the example wrote no mesh"; exit 1; }
