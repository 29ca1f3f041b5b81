"""Chat models behind one short spec: embedded, gguf:, openai:, hf:, scripted:."""
