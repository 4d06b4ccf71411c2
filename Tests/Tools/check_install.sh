#!/usr/bin/env bash
# Installs into a temporary folder, runs what is there, and removes it again.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
fail() { echo "check_install: $*" >&2; exit 1; }

make --no-print-directory install DESTDIR="$root" PREFIX=/opt/promille >/dev/null
installed=$root/opt/promille

cd /
version=$("$installed/bin/promille" --version)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the version is $version"
"$installed/bin/promille" regress --nist --format csv >/dev/null || fail "it does not run from /"
cd - >/dev/null

bash -n "$installed/share/bash-completion/completions/promille"
for shell in zsh fish; do
  script=$(find "$installed/share/$shell" -type f)
  [ -s "$script" ] || fail "there is no completion for $shell"
  if command -v "$shell" >/dev/null; then "$shell" -n "$script"; fi
done

page=$installed/share/man/man1/promille.1
[ -s "$page" ] || fail "there is no manual page"
if command -v man >/dev/null; then
  warnings=$(MANWIDTH=100 man --warnings=w -l "$page" 2>&1 >"$root/page.txt")
  [ -z "$warnings" ] || fail "the manual page: $warnings"
  grep -q 'promille fit datasets/nacar-2021' "$root/page.txt" || fail "the manual page is not whole"
fi

make --no-print-directory uninstall DESTDIR="$root" PREFIX=/opt/promille >/dev/null
left=$(find "$installed" -type f)
[ -z "$left" ] || fail "uninstall leaves $left"
echo "installed, used and removed: promille $version"
