#!/usr/bin/env bash
# Scores every bundled model on the bundled world into backend/bundled/results, which ships. Goes on where it stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
export FLIPSIDE_CACHE=$PWD/backend/bundled/results

score() { .venv/bin/python -m backend run --benchmark world --model "bundled:$1" --kinds "$2" ${3:+--prior "$3"}; }

for name in clip-bag clip-young clip clip-relational; do score "$name" itc,t2t; done
score matcher itc,itm,t2t
score sentence t2t
score lm prior
score captioner gen,prior noise:3
score captioner prior images:20
score captioner prior lm:bundled:lm
