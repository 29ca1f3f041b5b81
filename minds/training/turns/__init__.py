"""What a turn is to the memory: people's questions and turns, and the fit of memory/weights/turns.safetensors."""
