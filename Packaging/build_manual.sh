#!/usr/bin/env bash
# Makes the manual page of a program from its help: build_manual.sh PROGRAM OUTPUT_FOLDER
#
# By the tool of swift-argument-parser. Its plugin, `swift package generate-manual`, would build every product of every
# package first.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# = 2 ] || { echo "usage: build_manual.sh PROGRAM OUTPUT_FOLDER" >&2; exit 64; }
page=$2/$(basename "$1").1

parser=.build/checkouts/swift-argument-parser
[ -d "$parser" ] || swift package resolve >/dev/null
tool=(swift build --quiet -Xswiftc -suppress-warnings --package-path "$parser" --scratch-path .build/generate-manual
  --product generate-manual)
"${tool[@]}"
mkdir -p "$2"
# The date is that of the commit, so that the same commit makes the same page.
"$("${tool[@]}" --show-bin-path)/generate-manual" "$1" --output-directory "$2" \
  --date "$(git log -1 --format=%cs 2>/dev/null || date +%F)"
# An empty line is an error in mdoc.
sed -i.bak 's/^$/.Pp/' "$page"
rm "$page.bak"
