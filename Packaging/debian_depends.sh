#!/usr/bin/env bash
# Prints the Debian packages that programs need, as a package's Depends has them: debian_depends.sh PROGRAM...
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: debian_depends.sh PROGRAM..." >&2; exit 64; }
command -v dpkg-shlibdeps >/dev/null || { echo "dpkg-shlibdeps is missing: apt install dpkg-dev" >&2; exit 1; }
programs=$(realpath "$@")

# dpkg-shlibdeps wants to stand in a source package.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/debian"
printf 'Source: promille\n\nPackage: promille\nArchitecture: any\n' >"$work/debian/control"
cd "$work"
mapfile -t programs <<<"$programs"
depends=$(dpkg-shlibdeps -O "${programs[@]}" 2>warnings | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { cat warnings >&2; echo "dpkg-shlibdeps found no dependencies" >&2; exit 1; }
echo "$depends"
