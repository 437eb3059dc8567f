#!/usr/bin/env bash
# Trains, parses and scores the count DMVs of docs/results/count-dmv.md; prints one Markdown row per language.
# Usage: docs/results/count-dmv.sh DATA SPLIT [LANGUAGE ...]     DATA/LANGUAGE/{train,dev,test}.conllu; SPLIT dev or test
# PRIOR=N in the environment is the --prior-strength of dmv-sibling.
set -euo pipefail
data=$1 split=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

score() { # MODEL FILE -> ≤15/≤40
  depinduce parse "$1" "$2" -o "$work/parsed.conllu" 2>/dev/null
  depinduce evaluate "$2" "$work/parsed.conllu" --json |
    python3 -c 'import json, sys; cut = json.load(sys.stdin)["by_length"]; print(*(f"{cut[n]['"'uas'"']:.1f}" for n in ("15", "40")), sep="/")'
}

echo "| | dmv, no constraint | dmv | dmv-sibling |"
echo "|---|---|---|---|"
for language in "${@:-de es eu fr it nl pl pt}"; do
  for name in $language; do
    train=$data/$name/train.conllu gold=$data/$name/$split.conllu
    depinduce train --train "$train" --out "$work/$name-free" 2>/dev/null
    depinduce train --train "$train" --non-heads ud --out "$work/$name" 2>/dev/null
    depinduce train --model dmv-sibling --init model "$work/$name" --prior-strength ${PRIOR:-100} --train "$train" \
      --non-heads ud --out "$work/$name-sibling" 2>/dev/null
    free=$(score "$work/$name-free" "$gold")
    first=$(score "$work/$name" "$gold")
    sibling=$(score "$work/$name-sibling" "$gold")
    echo "| $name | $free | $first | $sibling |"
  done
done
