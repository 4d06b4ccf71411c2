#!/usr/bin/env bash
# Writes the article of all codes, in Markdown, from their explanations.
set -euo pipefail
cd "$(dirname "$0")/.."

cat <<'HEAD'
# Codes

What every error and warning means, and what to do about it.

## Overview

Codes are stable, so that scripts can rely on them, and never reused. `E_` marks an error, `W_` a warning, `N_` a note
that needs no action. `promille explain CODE` prints one of these entries, also for a code that became another.
HEAD
awk '
  /^## / { print "\n" $0 "\n\n| code | what was found | what to do |\n|---|---|---|" }
  /^[ENW]_/ { code = "`" $1 "`"; text = ""; former = $0; if (!sub(/^.* was /, "was ", former)) former = "" }
  /^  / {
    sub(/^  /, "")
    if (++lines % 3) { text = text (text == "" ? "" : " ") $0; next }
    print "| " code " | " text (former == "" ? "" : " (" former ")") " | " $0 " |"
  }
' Sources/StudyData/Vocabulary/codes.txt
