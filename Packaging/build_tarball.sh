#!/usr/bin/env bash
# Makes an archive of what `make stage` put into a folder: build_tarball.sh STAGE OUTPUT_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# = 2 ] || { echo "usage: build_tarball.sh STAGE OUTPUT_FOLDER" >&2; exit 64; }
stage=$(realpath "$1")
output=$(realpath "$2")

name=promille-$("$stage/usr/bin/promille" --version)-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$name"
cp -a "$stage/usr/." "$work/$name"
cp LICENSE README.md CHANGELOG.md "$work/$name"
strip --strip-unneeded "$work/$name"/bin/*
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
  --directory "$work" "$name" | gzip -9n >"$output/$name.tar.gz"
echo "$output/$name.tar.gz"
