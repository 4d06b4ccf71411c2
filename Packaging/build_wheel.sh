#!/usr/bin/env bash
# Builds the wheels of the Python package, with a `promille` inside that needs no Swift and no library but those of
# glibc and GCC, and of the study day, with such a `promille-serve`: build_wheel.sh OUTPUT_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# = 1 ] || { echo "usage: build_wheel.sh OUTPUT_FOLDER" >&2; exit 64; }
build=.build/static
work=$PWD/.build/wheel
rm -rf "$work"
mkdir -p "$work/archives" "$work/bin" "$1"

# Archives in the folder that is searched first are linked in the place of shared libraries. It comes first because
# it is where GNU GSL is said to be.
for name in gsl gslcblas sqlite3 z expat; do
  archive=$("${CC:-cc}" -print-file-name="lib$name.a")
  [ -e "$archive" ] || { echo "lib$name.a is missing; on Debian it comes with the headers" >&2; exit 69; }
  ln -s "$(realpath "$archive")" "$work/archives"
done
cat >"$work/gsl.pc" <<GSL
Name: GSL
Description: GNU Scientific Library
Version: $(pkg-config --modversion gsl)
Libs: -L$work/archives -lgsl -lgslcblas -lm
Cflags: $(pkg-config --cflags gsl)
GSL
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet hatchling==1.33.0 auditwheel==6.8.2 wheel==0.45.1
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

# Makes the wheel of a program: wheel PROGRAM FOLDER_OF_PACKAGE FOLDER_OF_PYPROJECT
wheel() {
  local program=$work/bin/$1 made=$work/$1 others tag
  PKG_CONFIG_PATH=$work swift build -c release --static-swift-stdlib --disable-local-rpath \
    -Xlinker -z -Xlinker now --package-path "$2" --scratch-path "$build" --product "$1"
  install -m 755 "$build/release/$1" "$program"
  strip --strip-all --remove-section=.comment --remove-section=.note "$program"
  Packaging/trim_icu.py "$program"
  others=$(objdump -p "$program" | awk '$1 == "NEEDED" { print $2 }' \
    | grep -vE '^(libc|libm|libstdc\+\+|libgcc_s|ld-linux-x86-64)\.so' || true)
  [ -z "$others" ] || { echo "$1 needs libraries that not every Linux has: $others" >&2; exit 70; }
  # The terms of what is linked in go with it.
  cat Packaging/copyright $(find "$build"/checkouts -maxdepth 2 -name NOTICE.txt -o -path '*/swift-argument-parser/LICENSE.txt' | sort) \
    >"$work/NOTICE"
  (
    cd "$3"
    PROMILLE_PROGRAM=$program PROMILLE_NOTICE=$work/NOTICE PROMILLE_WHEEL_TAG=linux_$(uname -m) \
      "$work/tools/bin/python" -m hatchling build --target wheel --directory "$made"
  )
  # The oldest systems that the wheel runs on, by the symbols of glibc that it uses.
  tag=$("$work/tools/bin/auditwheel" show "$made"/*.whl | grep -o '"manylinux[^"]*"' | head -1 | tr -d '"')
  [ -n "$tag" ] || { "$work/tools/bin/auditwheel" show "$made"/*.whl >&2; exit 70; }
  "$work/tools/bin/python" -m wheel tags --remove --platform-tag "$tag" "$made"/*.whl >/dev/null
}

wheel promille . python
wheel promille-serve StudyDay python/serve
rm -f "$1"/promille-*.whl "$1"/promille_serve-*.whl
mv "$work"/promille*/*.whl "$1"
ls -l "$1"/*.whl
