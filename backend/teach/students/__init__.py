"""Students: loaded models through which gradients go (`base`, `dual`, `matching`), with LoRA or all weights free
(`tuning`), saved as adapter and as merged folder (`saving`). `loading.student` makes one of a spec.
"""
