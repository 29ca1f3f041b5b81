"""The embedded weights as transformers has them: a folder of safetensors and a tokenizer, made from the GGUF file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""llama.cpp's name -> transformers'."""
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""Where Qwen's tokenizer cuts a text before it looks for pieces."""
END, PAD = "<|im_end|>", "<|endoftext|>"


def unpack(weights: Path, folder: Path) -> Path:
    """Writes `folder`; about a gigabyte. transformers' own reader of GGUF keeps the weights packed: bitsandbytes cannot
    take them so."""
    import gguf

    reader = gguf.GGUFReader(weights)
    about = {name: field.contents() for name, field in reader.fields.items()}
    _model(reader.tensors, about, gguf.quants.dequantize, folder)
    _tokenizer(about, folder)
    return folder


def _model(tensors: Any, about: dict[str, Any], plain: Any, folder: Path) -> None:
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(
        vocab_size=len(about["tokenizer.ggml.tokens"]),
        hidden_size=about["qwen2.embedding_length"],
        intermediate_size=about["qwen2.feed_forward_length"],
        num_hidden_layers=about["qwen2.block_count"],
        num_attention_heads=about["qwen2.attention.head_count"],
        num_key_value_heads=about["qwen2.attention.head_count_kv"],
        max_position_embeddings=about["qwen2.context_length"],
        rope_parameters={"rope_type": "default", "rope_theta": about["qwen2.rope.freq_base"]},
        rms_norm_eps=about["qwen2.attention.layer_norm_rms_epsilon"],
        tie_word_embeddings=True,
        bos_token_id=about["tokenizer.ggml.bos_token_id"],
        eos_token_id=about["tokenizer.ggml.eos_token_id"],
    )
    state = {
        name: torch.tensor(plain(tensor.data, tensor.tensor_type), dtype=torch.bfloat16)
        for tensor in tensors
        if (name := _renamed(tensor.name))
    }
    with torch.device("meta"):
        model = Qwen2ForCausalLM(config)
    model.load_state_dict(state, strict=False, assign=True)
    model.tie_weights()
    model.save_pretrained(folder)


def _renamed(name: str) -> str:
    """Empty for the output layer, which is the embedding once more."""
    found = re.fullmatch(r"(?:blk\.(\d+)\.)?(\w+)\.(weight|bias)", name)
    assert found, name
    layer, part, kind = found.groups()
    if part == "output":
        return ""
    return f"model.layers.{layer}.{NAMES[part]}.{kind}" if layer else f"{NAMES[part]}.{kind}"


def _tokenizer(about: dict[str, Any], folder: Path) -> None:
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    tokens = about["tokenizer.ggml.tokens"]
    merges = [(one, other) for one, _, other in (merge.partition(" ") for merge in about["tokenizer.ggml.merges"])]
    raw = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, merges))
    raw.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    raw.decoder = decoders.ByteLevel()
    raw.add_special_tokens([AddedToken(token, special=True) for token in tokens if re.fullmatch(r"<\|\w+\|>", token)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token=END, pad_token=PAD)
    tokenizer.chat_template = about["tokenizer.chat_template"]
    tokenizer.save_pretrained(folder)
