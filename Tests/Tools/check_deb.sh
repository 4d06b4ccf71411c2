#!/usr/bin/env bash
# Installs a Debian package in a fresh Debian without Swift, uses what it brings and removes it: check_deb.sh PACKAGE.deb
# Needs debootstrap and root.
set -euo pipefail

fail() { echo "check_deb: $*" >&2; exit 1; }
[ $# = 1 ] || { echo "usage: check_deb.sh PACKAGE.deb" >&2; exit 64; }
package=$(realpath "$1")
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo "check_deb: left out: it needs root and debootstrap (apt install debootstrap)"
  exit 0
fi

if command -v lintian >/dev/null; then
  lintian --fail-on error,warning "$package" || fail "lintian objects"
  echo "lintian has no objection"
fi

root=$(mktemp -d)
cleanup() { umount "$root/proc" 2>/dev/null || true; rm -rf "$root"; }
trap cleanup EXIT
chmod 755 "$root"
debootstrap --variant=minbase bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >/dev/null
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
for setting in /etc/apt/apt.conf.d/*proxy*; do
  if [ -e "$setting" ]; then cp "$setting" "$root/etc/apt/apt.conf.d/"; fi
done
cp "$package" "$root/tmp/promille.deb"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }

inside apt-get update -qq
inside apt-get install -y -qq --no-install-recommends /tmp/promille.deb >/dev/null
inside sh -c '! command -v swift' >/dev/null || fail "the fresh Debian has Swift"
echo "installed: promille $(inside promille --version)"

study=/usr/share/promille/made-up-24
inside promille check "$study" --quiet >/dev/null || fail "promille check fails"
rows=$(inside promille fit "$study" --starts 1 --format csv --quiet | tail -n +2 | wc -l)
[ "$rows" -ge 24 ] || fail "promille fit has $rows rows"
inside promille import "$study" --into /tmp/study.sqlite --quiet || fail "promille import fails"
inside promille report "$study" -o /tmp/report.html --quiet || fail "promille report fails"
inside promille-serve --help >/dev/null || fail "promille-serve does not start"
inside promille regress --nist --format csv >/dev/null || fail "promille regress --nist fails"
for file in usr/share/man/man1/promille.1.gz usr/share/man/man1/promille-serve.1.gz \
  usr/share/bash-completion/completions/promille lib/systemd/system/promille-serve@.service; do
  [ -s "$root/$file" ] || fail "there is no $file"
done
if command -v systemd-analyze >/dev/null; then
  systemd-analyze verify --root "$root" promille-serve@trial.service || fail "the systemd unit is wrong"
fi

# The shortest of 20 starts: a machine that is busy is slower.
shortest=$(inside bash -c 'for i in $(seq 20); do a=$EPOCHREALTIME; promille --version >/dev/null; b=$EPOCHREALTIME
  echo $(( ${b/./} - ${a/./} )); done' | sort -n | head -1)
echo "starts in $((shortest / 1000)).$(printf '%03d' $((shortest % 1000))) ms"
[ "$shortest" -lt 20000 ] || fail "a start takes 20 ms or more"

inside apt-get purge -y -qq promille >/dev/null
left=$(find "$root/usr" "$root/lib" -name '*promille*')
[ -z "$left" ] || fail "the package leaves $left"
echo "installed, used and removed in a fresh Debian"
