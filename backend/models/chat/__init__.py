"""Instruction-tuned vision-language models through their chat template: gen, prior and vqa."""
