#!/usr/bin/env bash
# Puts into a folder what packages are made of: programs linked statically with the Swift runtime, their manual,
# completions and a study: build_stage.sh STAGE
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# = 1 ] || { echo "usage: build_stage.sh STAGE" >&2; exit 64; }
# Each program with its package.
programs=(promille promille-serve)
packages=(. StudyDay)
build=.build/static
# `-z now` binds all functions at the start, after which nobody can redirect them.
for index in "${!programs[@]}"; do
  swift build -c release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now \
    --package-path "${packages[index]}" --scratch-path "$build" --product "${programs[index]}"
done
rm -rf "$1"
install -d "$1"/usr/bin "$1"/usr/share/{man/man1,promille,doc/promille} \
  "$1"/usr/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
share=$1/usr/share
cp -R datasets/made-up-24 "$share/promille/"
install -m 644 Packaging/copyright "$share/doc/promille"
cat "$build"/checkouts/*/NOTICE.txt >"$share/doc/promille/NOTICE"
for program in "${programs[@]}"; do
  built=$1/usr/bin/$program
  install -m 755 "$build/release/$program" "$built"
  strip --strip-unneeded --remove-section=.comment --remove-section=.note "$built"
  Packaging/build_manual.sh "$built" "$share/man/man1"
  "$built" --generate-completion-script bash | sed '1{/^#!/d;}' >"$share/bash-completion/completions/$program"
  "$built" --generate-completion-script zsh >"$share/zsh/vendor-completions/_$program"
  "$built" --generate-completion-script fish >"$share/fish/vendor_completions.d/$program.fish"
done
