#!/usr/bin/env bash
# Installs the wheels of a folder into an empty environment of another folder, without Swift on the path, uses the study
# day, and runs the tests of the Python package: check_wheel.sh FOLDER
set -euo pipefail
[ $# = 1 ] || { echo "usage: check_wheel.sh FOLDER" >&2; exit 64; }
wheels=$(realpath "$1")
wheel=$(echo "$wheels"/promille-*.whl)
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What people wait for when they install it; the study day brings a server and its cryptography along.
for limit in "20000000 $wheel" "24000000 $(echo "$wheels"/promille_serve-*.whl)"; do
  each=${limit#* }
  size=$(stat -c %s "$each")
  [ "$size" -le "${limit% *}" ] || { echo "$each has $size bytes, more than ${limit% *}" >&2; exit 1; }
  case $each in *manylinux*) ;; *) echo "the wheel is for one system alone: $each" >&2; exit 1 ;; esac
done

cd "$work"
clean=(env -i "HOME=$work" "LANG=C.UTF-8" "PATH=$work/alone/bin:/usr/bin:/bin")
"${clean[@]}" PATH= /bin/sh -c 'command -v swift' && exit 1
python3 -m venv "$work/alone"
alone=$work/alone/bin

# With pyarrow alone: the command, and tables of Arrow.
"$alone/pip" install --quiet "$wheel"
"${clean[@]}" promille --version
"${clean[@]}" python - "$root/datasets/nacar-2021" <<'PYTHON'
import sys

import promille as pm

fits = pm.read_study(sys.argv[1]).fit()
assert type(fits.frame).__module__ == "pyarrow.lib", type(fits.frame)
assert fits.provenance["version"] == pm.__version__
assert pm.command().startswith(sys.prefix), pm.command()
PYTHON

# With the study day.
said=$("${clean[@]}" promille serve day.sqlite 2>&1) && exit 1
[[ $said == *E_SERVE_MISSING* ]] || { echo "without the study day: $said" >&2; exit 1; }
"$alone/pip" install --quiet --find-links "$wheels" "$wheel[serve]"
"${clean[@]}" python - <<'PYTHON'
import re
import subprocess
import urllib.request

line = ["promille", "serve", "day.sqlite", "--port", "0", "--demo", "--quiet"]
with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
    address = next(found[0] for said in server.stdout if (found := re.search(r"http://127\.0\.0\.1:\d+", said)))
    with urllib.request.urlopen(f"{address}/api/v1/health", timeout=30) as answer:
        assert b'"status":"ok"' in answer.read()
    server.terminate()
assert server.returncode == 0, server.returncode
PYTHON

# With all that it can use, its own tests, from a copy.
"$alone/pip" install --quiet "$wheel[pandas,polars,plot,progress,test]"
mkdir "$work/python"
cp -R "$root/python/tests" "$root/python/notebooks" "$root/python/pyproject.toml" "$root/python/README.md" "$work/python"
cp -R "$root/datasets" "$root/README.md" "$work"
cd "$work/python"
"${clean[@]}" "PROMILLE_TEST_DATA=${PROMILLE_TEST_DATA:-$root/../shared/data}" python -m pytest -q -p no:cacheprovider
