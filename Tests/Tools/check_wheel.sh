#!/usr/bin/env bash
# Installs a wheel into an empty environment of another folder, without Swift on the path, and runs the tests of the
# Python package with it: check_wheel.sh WHEEL
set -euo pipefail
[ $# = 1 ] || { echo "usage: check_wheel.sh WHEEL" >&2; exit 64; }
wheel=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

size=$(stat -c %s "$wheel")
[ "$size" -le 20971520 ] || { echo "the wheel has $size bytes, more than 20 MiB" >&2; exit 1; }
case $wheel in *manylinux*) ;; *) echo "the wheel is for one system alone: $wheel" >&2; exit 1 ;; esac

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

# With all that it can use, its own tests, from a copy.
"$alone/pip" install --quiet "$wheel[pandas,polars,plot,progress,test]"
mkdir "$work/python"
cp -R "$root/python/tests" "$root/python/notebooks" "$root/python/pyproject.toml" "$root/python/README.md" "$work/python"
cp -R "$root/datasets" "$root/README.md" "$work"
cd "$work/python"
"${clean[@]}" "PROMILLE_TEST_DATA=${PROMILLE_TEST_DATA:-$root/../shared/data}" python -m pytest -q -p no:cacheprovider
