"""An adapter (LoRA) for an embedded model, which then reads wishes and actions without examples."""
