"""Training of the bundled models, from scratch, on fresh samples of the bundled world (`make models`).

One file a model. A recipe is a list of stages; each stage has its own batches and its own learning-rate schedule; a
step's batch is seeded by (recipe, stage, step), so a stopped training goes on where its last checkpoint was, with the
same data as if it had never stopped.
"""
