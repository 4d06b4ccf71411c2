#!/usr/bin/env bash
# Builds the documentation of every module, and of the Python package from its docstrings, as one site in
# .build/docs/site, without warnings.
set -euo pipefail
cd "$(dirname "$0")/.."

# Bottom up: each may link to those before it.
modules=(Statistics GSL AlcoholKinetics StudyData StudyFiles Spreadsheets StudyStore Estimation Population
  Casework Validation Certification Reporting HealthData StudyServer)
docs=.build/docs
convert() {
  docc convert --warnings-as-errors --enable-experimental-external-link-support "$@" | sed '/^$/d'
}

rm -rf "$docs" .build/*/symbolgraph
mkdir -p "$docs"/{catalogs,symbols}
# It builds what it needs, and fails in the end for the tests' bundle, which it does not build. It removes the graphs of
# the other package.
for package in . StudyDay; do
  swift package --package-path "$package" --scratch-path .build dump-symbol-graph --minimum-access-level public \
    >"$docs/graphs.log" 2>&1 || ! grep 'error:' "$docs/graphs.log" | grep -v "for 'promille.*Package"
  cp .build/*/symbolgraph/*.symbols.json "$docs/symbols"
done

dependencies=()
archives=()
for module in "${modules[@]}"; do
  graphs=$docs/graphs/$module
  mkdir -p "$graphs"
  find "$docs/symbols" \( -name "$module.symbols.json" -o -name "$module@*.symbols.json" \) -exec cp {} "$graphs" \;
  catalog=$docs/catalogs/$module.docc
  cp -R "$(ls -d {.,StudyDay}/Sources/"$module"/Documentation.docc 2>/dev/null)" "$catalog"
  [ "$module" != Reporting ] || Documentation/columns.sh >"$catalog/Columns.md"
  [ "$module" != Reporting ] || Documentation/codes.sh >"$catalog/Codes.md"
  convert "$catalog" --fallback-display-name "$module" \
    --fallback-bundle-identifier "promille.$module" --additional-symbol-graph-dir "$graphs" "${dependencies[@]}" \
    --output-dir "$docs/$module.doccarchive"
  dependencies+=(--dependency "$docs/$module.doccarchive")
  archives+=("$docs/$module.doccarchive")
  echo "$module"
done
# The first page links to all modules.
convert Documentation/Promille.docc --fallback-display-name Promille --fallback-bundle-identifier promille \
  "${dependencies[@]}" --output-dir "$docs/Promille.doccarchive"
# Last, as pages take their navigation from the first entry of their module, which must not be a link to it.
docc merge "${archives[@]}" "$docs/Promille.doccarchive" --synthesized-landing-page-name Promille \
  --synthesized-landing-page-topics-style list --output-path "$docs/site"
PYTHONPATH=python/src .venv/bin/python -W error -m pdoc --docformat numpy --output-directory "$docs/site/python" promille
cat >"$docs/site/index.html" <<'HTML'
<!DOCTYPE html><title>Promille</title>
<p><a href="documentation/promille/">Promille: the command and the Swift modules</a>
<p><a href="python/promille.html">The Python package</a>
HTML
echo "To look at it: python3 -m http.server --directory $docs/site"
