"""How two questions are compared: the training pairs, and the fit of memory/weights/sameness.safetensors."""
