#!/usr/bin/env bash
# Writes the article of all columns, in Markdown, from their list.
set -euo pipefail
cd "$(dirname "$0")"

cat <<'HEAD'
# Columns

The columns of every results table: the header line in CSV, the keys of each row in JSON.

## Overview

CSV holds the first table of a command. JSON holds all of them, each under its name. A value that is
unknown, not finite or not applicable is empty in CSV and null in JSON; only columns whose type says so may
be empty. Columns keep their names and meanings; new ones may be added, and until version 1.0 the changelog says
which ones went. `promille explain NAME` prints what is said here of a column.

Names in CSV and JSON are exactly those of the study. Some spreadsheets treat a name that begins with `=`,
`+`, `-` or `@` as a formula: import such a table as text. Tables on a terminal, pages, pictures and
messages show control and bidirectional characters as escapes such as `\u{202e}`.
HEAD
awk -F '\t' '
  NR == 1 { next }
  $1 != command { command = $1; print "\n## promille " command }
  $3 == "" {
    print "\n### " $2 "\n\n" $7 "\n\n| Column | Unit | Type | Meaning |\n| --- | --- | --- | --- |"
    next
  }
  { print "| `" $3 "` | " $4 " | " $5 " | " $7 ($6 == "" ? "" : " (with `" $6 "`)") " |" }
' columns.tsv
