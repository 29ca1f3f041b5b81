"""The adapters of an embedded model: layers of low rank (LoRA) that we trained, added where a request names them.

Trained by `python main.py train adapter`. They lie in the project as safetensors, and are written once as the files
that llama.cpp reads, beside the model's weights.
"""

from __future__ import annotations

import logging
import os
from hashlib import sha256
from pathlib import Path

log = logging.getLogger(__name__)

FOLDER = Path(__file__).parents[1] / "policies" / "weights"
"""`MODEL.KIND.safetensors`, MODEL the weights' file without its ending."""
READS, NOTES, RECOUNTS, RECALLS, BEYOND = KINDS = "adapter", "facts", "story", "past", "beyond"
"""What they are for: reading wishes, actions and pairs of questions; noting what a person tells; answering from a
task's story; answering from what the person told before; hearing what neither mind can do or know."""
ARCHITECTURE = "qwen2"
SLOT = 2
"""Of the server, behind those of both minds: what the adapters read is read anew where another was there."""


def adapters_of(weights: Path) -> dict[str, Path]:
    """The files for llama.cpp by kind, in the order in which a server loads them; without those that are not there for
    these weights, and where the folder takes no file.

    Another Duet may share the folder: files of other trainings stay, for its server may start again.
    """
    return {kind: path for kind in KINDS if (path := _file(weights, kind))}


def _file(weights: Path, kind: str) -> Path | None:
    source = FOLDER / f"{weights.stem}.{kind}.safetensors"
    if not (source.is_file() and weights.is_file()):
        return None
    content = source.read_bytes()
    path = weights.with_name(f"{weights.stem}.{kind}-{sha256(content).hexdigest()[:12]}.gguf")
    try:
        if not path.is_file():
            _write(content, path)
    except OSError as error:
        log.warning("no adapter: %s", error)
        return None
    return path


def _write(content: bytes, path: Path) -> None:
    from gguf import GGUFWriter
    from safetensors.numpy import load

    part = path.with_suffix(f".{os.getpid()}.part")
    writer = GGUFWriter(part, ARCHITECTURE)
    tensors = load(content)
    rank = next(rows.shape[0] for name, rows in tensors.items() if name.endswith(".lora_a"))
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(2 * rank))
    for name, rows in tensors.items():
        writer.add_tensor(name, rows)
    for write in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file):
        write()
    writer.close()
    part.replace(path)
