#!/usr/bin/env bash
# A whole certification on the shipped example, command by command.
# Usage: examples/demo.sh FOLDER, with decidendi on the PATH. FOLDER becomes the run's folder.
set -euo pipefail
run=$1
cd "$(dirname "$0")/.."
old=examples/refunds/v1
revised=examples/refunds/v2
cases=examples/refunds/cases.jsonl

say() {
  printf '\n\033[1m$ decidendi %s\033[0m\n' "$*"
  decidendi "$@"
}

say check $revised

# Exit code 3: finished, and some cases have no full answer. Seven of these cases rest on a kind
# of evidence that the old version does not know, so 3 is what is expected here.
say certify $old $revised --cases $cases --out "$run" && code=0 || code=$?
[ "$code" -eq 3 ] || { echo "certify ended with $code, not 3" >&2; exit 1; }

say explain "$run" r-0114 --drill norms --evaluators $old $revised
say verify "$run"
say replay "$run" --evaluators $old $revised

printf '\nThe report is in %s/report.html\n' "$run"
