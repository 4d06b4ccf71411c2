#!/usr/bin/env bash
# Makes everything of a release from the tag that is checked out: build_release.sh OUTPUT_FOLDER
#
# Refuses to run where the files would not be those of the tag, or the tag, the program and the list of changes
# do not name the same version.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "build_release: $*" >&2; exit 65; }
[ $# = 1 ] || { echo "usage: build_release.sh OUTPUT_FOLDER" >&2; exit 64; }

tag=$(git describe --exact-match --tags --match 'v[0-9]*' 2>/dev/null) \
  || fail "no version's tag (v0.1.0) is checked out: git checkout vX.Y.Z"
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not in $tag: commit or stash them"
version=${tag#v}
grep -q "^## \[$version\]" CHANGELOG.md || fail "CHANGELOG.md has no section [$version]"

rm -rf "$1"
mkdir -p "$1"
make --no-print-directory tarball deb
built=$(.build/stage/usr/bin/promille --version)
[ "$built" = "$version" ] || fail "the program says $built, the tag $version"
git archive --format=tar --prefix="promille-$version/" "$tag" | gzip -9n >"$1/promille-$version.tar.gz"
(cd "$1" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
