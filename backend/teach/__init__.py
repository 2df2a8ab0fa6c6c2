"""Teaching: a loaded model is fine-tuned on minimal pairs, by the losses of the EqSim and SVLC papers or one of ours.

`losses/` are pure functions of scores, `pairs/` says what a batch holds and what was generated for it, `students/` lets
gradients through a loaded model and saves what was learned, `training/` takes the steps. Importing this package loads
no torch.
"""
