#!/usr/bin/env bash
# Scores every bundled model on the bundled world into backend/bundled/results, which ships. Goes on where it stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
export FLIPSIDE_CACHE=$PWD/backend/bundled/results

score() { .venv/bin/python -m backend run --no-reuse --benchmark world --model "bundled:$1" --kinds "$2" ${3:+--prior "$3"}; }

for name in clip-bag clip-young clip clip-relational; do score "$name" itc,t2t; done
score matcher itc,itm,t2t
score sentence t2t
score lm prior
score captioner gen,prior noise:3
score captioner prior images:20
score captioner prior lm:bundled:lm

# Perturbed editions of a sample of it, and three models on them: what Robustness takes over on request.
export FLIPSIDE_CACHE=$PWD/backend/bundled/editions
edit() {
  .venv/bin/python -m backend perturb --benchmark world --subset choice,attribute,relation --sample 200 --kinds "$1" \
    --seeds "${2:-1}"
}
edit missing_character,nearby_key,distraction,shuffle_all_words,shuffle_trigrams,negative_colour,negation
edit character_swap 5
for name in clip clip-relational; do .venv/bin/python -m backend run --no-reuse --benchmark 'world~*' --model "bundled:$name" --kinds itc; done
.venv/bin/python -m backend run --no-reuse --benchmark 'world~*' --model bundled:matcher --kinds itc,itm
# Neither the editions' own folder nor the world itself, which ships in results/.
rm -rf "$FLIPSIDE_CACHE/own"
grep -L '"name": "world~' "$FLIPSIDE_CACHE"/benchmarks/*/benchmark.json | while read -r file; do rm -r "$(dirname "$file")"; done
