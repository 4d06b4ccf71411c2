#!/usr/bin/env bash
# Makes an archive of what `build_stage.sh` put into a folder: build_tarball.sh STAGE OUTPUT_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# = 2 ] || { echo "usage: build_tarball.sh STAGE OUTPUT_FOLDER" >&2; exit 64; }
stage=$(realpath "$1")
output=$(realpath "$2")

version=$("$stage/usr/bin/promille" --version)
name=promille-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$name"
cp -a "$stage/usr/." "$work/$name"
cp LICENSE README.md CHANGELOG.md "$work/$name"
# Debian has this text already; others may not.
cp .build/static/checkouts/swift-argument-parser/LICENSE.txt "$work/$name/share/doc/promille/Apache-2.0"

system=$(. /etc/os-release && echo "$PRETTY_NAME")
libraries=$(objdump -p "$stage"/usr/bin/* | awk '$1 == "NEEDED" { print "  " $2 }' | sort -u)
glibc=$(objdump -T "$stage"/usr/bin/* | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
packages=$(Packaging/debian_depends.sh "$stage"/usr/bin/* | sed 's/ ([^)]*)//g; s/,//g')
cat >"$work/$name/INSTALL" <<INSTALL
Promille $version, built on $system for $(uname -m)

Unpack the archive anywhere and run bin/promille and bin/promille-serve; nothing is found by its place.

The programs need no Swift. They need glibc ${glibc#GLIBC_} or newer, and these libraries:
$libraries

On $system they come with
  apt-get install $packages
and librsvg2-bin if \`promille plot\` is to write PNG or PDF.

share has the manual pages, completions for bash, zsh and fish, and a made-up study:
  bin/promille fit share/promille/made-up-24
INSTALL

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
rm -f "$output"/promille-*-linux-*.tar.gz
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
  --directory "$work" "$name" | gzip -9n >"$output/$name.tar.gz"
echo "$output/$name.tar.gz"
