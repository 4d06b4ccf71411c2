#!/usr/bin/env bash
# Makes a Debian package of what `make stage` put into a folder: build_deb.sh STAGE OUTPUT_FOLDER
#
# The Swift runtime is linked statically, so that the package needs none. What it needs of Debian is read off the
# programs by dpkg-shlibdeps.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# = 2 ] || { echo "usage: build_deb.sh STAGE OUTPUT_FOLDER" >&2; exit 64; }
stage=$(realpath "$1")
output=$(realpath "$2")
for tool in dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: apt install dpkg-dev" >&2; exit 1; }
done

version=$("$stage/usr/bin/promille" --version)
architecture=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# `mktemp` makes what only its owner may enter; the root of the package is for everybody.
root=$work/promille
install -d -m 755 "$root"
cp -a "$stage/." "$root"

documents=$root/usr/share/doc/promille
install -d -m 755 "$documents" "$root/lib/systemd/system" "$root/DEBIAN"
install -m 644 Packaging/promille-serve@.service "$root/lib/systemd/system"
install -m 644 Packaging/copyright "$documents/copyright"
gzip -9n <CHANGELOG.md >"$documents/changelog.gz"
gzip -9n "$root"/usr/share/man/man1/*.1
find "$root/usr/share" -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root"/usr/bin/*

# dpkg-shlibdeps wants to stand in a source package.
install -d "$work/debian"
printf 'Source: promille\n\nPackage: promille\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -ldebian/promille/usr/lib promille/usr/bin/* 2>/dev/null \
  | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { echo "dpkg-shlibdeps found no dependencies" >&2; exit 1; }

cat >"$root/DEBIAN/control" <<CONTROL
Package: promille
Version: $version
Section: science
Priority: optional
Architecture: $architecture
Maintainer: The Promille developers <promille@localhost.localdomain>
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends
Recommends: librsvg2-bin
Description: validate blood-alcohol models against measured people
 Promille fits the absorption rate constant and the elimination rate of
 ethanol to breathalyser or blood series, with intervals and verdicts,
 compares the r factors of Widmark, Watson, Forrest, Seidl and Ulrich on the
 same people, predicts times to sobriety with their uncertainty, answers
 single cases, and serves drinking studies live.
CONTROL
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) \
  >"$root/DEBIAN/md5sums"
chmod 644 "$root/DEBIAN/control" "$root/DEBIAN/md5sums"

# All times are that of the commit, so that the same commit makes the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
package=$output/promille_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package"
