#!/usr/bin/env bash
# Makes a Debian package of what `build_stage.sh` put into a folder: build_deb.sh STAGE OUTPUT_FOLDER
#
# The Swift runtime is linked statically, so that the package needs none. What it needs of Debian is read off the
# programs. DEBFULLNAME and DEBEMAIL name who answers for the package, as with Debian's own tools.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# = 2 ] || { echo "usage: build_deb.sh STAGE OUTPUT_FOLDER" >&2; exit 64; }
stage=$(realpath "$1")
output=$(realpath "$2")
command -v dpkg-deb >/dev/null || { echo "dpkg-deb is missing: apt install dpkg" >&2; exit 1; }

upstream=$("$stage/usr/bin/promille" --version)
version=$upstream-1
architecture=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-The Promille developers} <${DEBEMAIL:-developers@promille.invalid}>"
# All times are that of the commit, so that the same commit makes the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# `mktemp` makes what only its owner may enter; the root of the package is for everybody.
root=$work/promille
install -d -m 755 "$root"
cp -a "$stage/." "$root"

documents=$root/usr/share/doc/promille
install -d -m 755 "$documents" "$root/lib/systemd/system" "$root/usr/share/lintian/overrides" "$root/DEBIAN"
install -m 644 Packaging/promille-serve@.service "$root/lib/systemd/system"
install -m 644 Packaging/lintian-overrides "$root/usr/share/lintian/overrides/promille"
gzip -9n "$documents/NOTICE"
gzip -9n <CHANGELOG.md >"$documents/changelog.gz"
gzip -9n <<CHANGELOG >"$documents/changelog.Debian.gz"
promille ($version) unstable; urgency=medium

  * Promille $upstream; changelog.gz says what is new.

 -- $maintainer  $(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
CHANGELOG
gzip -9n "$root"/usr/share/man/man1/*.1
find "$root/usr/share" -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +

cat >"$root/DEBIAN/control" <<CONTROL
Package: promille
Version: $version
Section: science
Priority: optional
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f1)
Depends: $(Packaging/debian_depends.sh "$stage"/usr/bin/*)
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

find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
package=$output/promille_${version}_$architecture.deb
rm -f "$output"/promille_*.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package"
