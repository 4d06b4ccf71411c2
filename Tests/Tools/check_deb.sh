#!/usr/bin/env bash
# Builds the Debian package and the archive, installs each in a fresh Debian without Swift, uses what it brings and
# removes it. Needs root, debootstrap and, for the check of the package's form, lintian.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() { echo "check_deb: $*" >&2; exit 1; }
for tool in debootstrap lintian dpkg-shlibdeps; do
  if ! command -v "$tool" >/dev/null; then missing+=" $tool"; fi
done
if [ -n "${missing:-}" ] || [ "$(id -u)" != 0 ]; then
  echo "check_deb: left out: it needs to be root, and debootstrap lintian dpkg-dev (missing:${missing:- root})"
  exit 0
fi

make --no-print-directory packages >/dev/null
package=$(echo .build/packages/promille_*.deb)
archive=$(echo .build/packages/promille-*-linux-*.tar.gz)

objections=$(lintian --fail-on error,warning "$package" 2>&1) || fail "lintian objects: $objections"
echo "lintian has no objection"

root=$(mktemp -d)
server=
cleanup() { kill "$server" 2>/dev/null || true; umount "$root/proc" 2>/dev/null || true; rm -rf "$root"; }
trap cleanup EXIT
chmod 755 "$root"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
debootstrap --variant=minbase "$release" "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >/dev/null
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$package" "$root/tmp/promille.deb"
chroot=(chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8)
inside() { "${chroot[@]}" "$@"; }
inside apt-get update -qq
install() { inside apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 || fail "cannot install $*"; }

# Uses the programs of a folder: use BIN STUDY
use() {
  local bin=$1 study=$2 rows page port
  inside "$bin/promille" check "$study" --quiet >/dev/null || fail "promille check fails"
  rows=$(inside "$bin/promille" fit "$study" --starts 1 --format csv --quiet | tail -n +2 | wc -l)
  [ "$rows" -ge 24 ] || fail "promille fit has $rows rows"
  inside "$bin/promille" fit "$study" --starts 1 --prior fasted --format csv --quiet >/dev/null \
    || fail "promille fit --prior finds no prior"
  rm -f "$root"/tmp/study.sqlite "$root"/tmp/report.html
  inside "$bin/promille" import "$study" --into /tmp/study.sqlite --quiet >/dev/null \
    || fail "promille import fails"
  inside "$bin/promille" report "$study" --starts 1 -o /tmp/report.html --quiet || fail "promille report fails"
  inside "$bin/promille" regress --nist --format csv >/dev/null || fail "promille regress --nist fails"

  rm -f "$root"/tmp/day.sqlite*
  "${chroot[@]}" "$bin/promille-serve" /tmp/day.sqlite --port 0 --demo --quiet >"$root/tmp/serve.txt" 2>&1 &
  server=$!
  for _ in $(seq 100); do
    port=$(sed -n 's#.*http://127\.0\.0\.1:\([0-9]*\).*#\1#p' "$root/tmp/serve.txt")
    port=${port%%$'\n'*}
    if [ -n "$port" ]; then break; fi
    sleep 0.1
  done
  [ -n "$port" ] || fail "promille-serve does not start: $(cat "$root/tmp/serve.txt")"
  page=$(inside timeout 30 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port
    printf 'GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nConnection: close\r\n\r\n' >&3
    cat <&3")
  kill "$server"
  wait "$server" || fail "promille-serve does not stop as asked"
  server=
  [[ $page == *'"status":"ok"'* ]] || fail "promille-serve answers: $page"
}

# The package.
install /tmp/promille.deb
if inside sh -c 'command -v swift' >/dev/null; then fail "the fresh Debian has Swift"; fi
use /usr/bin /usr/share/promille/made-up-24
python3 Tests/Tools/startup.py --root "$root" /usr/bin/promille
install man-db bash-completion zsh fish systemd
for program in promille promille-serve; do
  warnings=$(inside man --warnings=w "$program" 2>&1 >"$root/tmp/page.txt")
  [ -z "$warnings" ] || fail "the manual page of $program: $warnings"
  grep -q "$program" "$root/tmp/page.txt" || fail "the manual page of $program is empty"
  inside bash -c ". /usr/share/bash-completion/bash_completion && _completion_loader $program
    complete -p $program" >/dev/null || fail "bash does not complete $program"
  inside zsh -c "autoload -Uz compinit && compinit -u -D && [ -n \"\$_comps[$program]\" ]" \
    || fail "zsh does not complete $program"
  offered=$(inside fish -c "complete --do-complete '$program --'")
  [[ $offered == *--help* ]] || fail "fish does not complete $program"
done
inside systemd-analyze verify promille-serve@trial.service || fail "the systemd unit is wrong"
echo "installed and used: $(inside dpkg-query -W promille)"
inside apt-get purge -y -qq promille >/dev/null 2>&1
left=$(find "$root/etc" "$root/lib" "$root/usr" "$root/var/lib/dpkg/info" -name '*promille*')
[ -z "$left" ] || fail "the package leaves $left"
echo "removed without a trace"

# The archive, with what its INSTALL says that it needs.
inside apt-get autoremove -y -qq >/dev/null 2>&1
tar --extract --file "$archive" --directory "$root/opt"
folder=/opt/$(ls "$root/opt")
# shellcheck disable=SC2046  # a list of packages
install $(sed -n 's/^ *apt-get install //p' "$root$folder/INSTALL")
use "$folder/bin" "$folder/share/promille/made-up-24"
echo "unpacked and used: $(basename "$archive")"
