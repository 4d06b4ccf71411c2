#!/usr/bin/env bash
# Makes everything of a release from the tag that is checked out: build_release.sh OUTPUT_FOLDER
#
# Refuses to run where the files would not be those of the tag, or where the tag, the program, the list of changes and
# the citation do not name the same version and day.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "build_release: $*" >&2; exit 65; }
[ $# = 1 ] || { echo "usage: build_release.sh OUTPUT_FOLDER" >&2; exit 64; }

tag=$(git describe --exact-match --tags --match 'v[0-9]*' 2>/dev/null) \
  || fail "this commit has no version's tag: git tag vX.Y.Z, or git checkout vX.Y.Z"
changed=$(git status --porcelain)
[ -z "$changed" ] || fail "these files are not as in $tag; commit, stash or remove them:"$'\n'"$changed"

version=${tag#v}
day=$(sed -n "s/^## \[$version\] - //p" CHANGELOG.md)
[ -n "$day" ] || fail "CHANGELOG.md has no section [$version] with a day"
grep -qx "version: $version" CITATION.cff || fail "CITATION.cff is not of version $version"
grep -qx "date-released: $day" CITATION.cff || fail "CITATION.cff is not of $day, the day in CHANGELOG.md"
grep -q "static let version = \"$version\"" Sources/promille/Console/Release.swift \
  || fail "Sources/promille/Console/Release.swift is not of version $version"

rm -rf "$1"
mkdir -p "$1"
make --no-print-directory packages wheel
built=$(.build/stage/usr/bin/promille --version)
[ "$built" = "$version" ] || fail "the program says $built, the tag $version"
# The versions of the packages that both were built with go along.
git archive --format=tar --prefix="promille-$version/StudyDay/" --add-file=StudyDay/Package.resolved \
  --prefix="promille-$version/" --add-file=Package.resolved "$tag" \
  | gzip -9n >"$1/promille-$version.tar.gz"
(cd "$1" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
