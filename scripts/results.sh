#!/usr/bin/env bash
# Scores every bundled model on the bundled world into backend/bundled/results, which ships. Goes on where it stopped;
# runs of weights that ship no more are removed first. The two planted models ship without results (docs/models.md).
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/python -m scripts.superseded
export FLIPSIDE_CACHE=$PWD/backend/bundled/results

score() { .venv/bin/python -m backend run --no-reuse --benchmark world --model "bundled:$1" --kinds "$2" ${3:+--prior "$3"}; }

for name in clip-bag clip-young clip clip-relational; do score "$name" itc,t2t; done
score matcher itc,itm,t2t
score sentence t2t
score lm prior
score captioner gen,prior noise:3
score captioner prior images:20
score captioner prior lm:bundled:lm
.venv/bin/python -m scripts.compact_results "$FLIPSIDE_CACHE"
rm -rf "$FLIPSIDE_CACHE"/{recorded,bundled}

# Perturbed editions of a sample of it, and three models on them: what Robustness takes over on request.
export FLIPSIDE_CACHE=$PWD/backend/bundled/editions
edit() {
  .venv/bin/python -m backend perturb --benchmark world --subset choice,attribute,relation --sample 200 --kinds "$1" \
    --seeds "${2:-1}"
}
edit missing_character,nearby_key,distraction,shuffle_all_words,shuffle_trigrams,negative_colour,negation
edit character_swap 5
on_editions() { .venv/bin/python -m backend run --no-reuse --benchmark 'world~*' --model "bundled:$1" --kinds "$2" --counterfactual 0; }
for name in clip clip-relational; do on_editions "$name" itc; done
on_editions matcher itc,itm
# Neither the editions' own folder nor the world itself, which ships in results/.
rm -rf "$FLIPSIDE_CACHE"/{own,recorded,bundled}
grep -L '"name": "world~' "$FLIPSIDE_CACHE"/benchmarks/*/benchmark.json | while read -r file; do rm -r "$(dirname "$file")"; done

# What teaching made of clip: what Teach takes over on request. The pairs of its items alone ship; Teach offers to score
# retrieval and other images.
export FLIPSIDE_CACHE=$PWD/backend/bundled/taught
for name in clip-plain clip-eqsim clip-svlc; do score "$name" itc; done
.venv/bin/python -m scripts.compact_results "$FLIPSIDE_CACHE" --pairs
rm -rf "$FLIPSIDE_CACHE"/{own,recorded,bundled,benchmarks}

# Locks are of this machine.
find backend/bundled/results backend/bundled/editions backend/bundled/taught -name lock -delete

# The maps of Embeddings, made from the vectors that ship, and the list that `doctor` compares with.
FLIPSIDE_CACHE=$(mktemp -d)
export FLIPSIDE_CACHE
trap 'rm -rf "$FLIPSIDE_CACHE"' EXIT
rm -rf backend/bundled/results/maps
.venv/bin/python -m scripts.bundled_maps
.venv/bin/python -m backend.verbs.checking.results
