"""Weights and tokenizers of transformers in memory: each once, quantised by bitsandbytes where it can run."""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from minds.models.endpoint import excerpt
from minds.models.language import Missing

log = logging.getLogger(__name__)


@dataclass
class Loaded:
    """Weights and tokenizer in memory; one generation at a time."""

    model: Any
    tokenizer: Any
    busy: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def guide(self) -> Any:
        """The tokenizer as llguidance wants it (a second to make)."""
        from llguidance.hf import from_tokenizer

        return from_tokenizer(self.tokenizer, n_vocab=self.model.get_output_embeddings().weight.shape[0])


_loading = threading.Lock()
_loaded: WeakValueDictionary[tuple[str, str], Loaded] = WeakValueDictionary()


def load(name: str, quant: str) -> Loaded:
    """The process's one copy of these weights, which stays for as long as somebody holds it. A local folder is never
    looked up on the hub. Raises Missing."""
    with _loading:
        found = _loaded[name, quant] = _loaded.get((name, quant)) or _load(name, quant)
        return found


def _load(name: str, quant: str) -> Loaded:
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # stderr belongs to the app
    device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    options: dict[str, Any] = {"local_files_only": Path(name).expanduser().is_dir(), "trust_remote_code": False}
    place = str(Path(name).expanduser()) if options["local_files_only"] else name
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, **options)
        if quant:
            options |= {"quantization_config": _quantised(quant), "device_map": {"": device}}
        model = AutoModelForCausalLM.from_pretrained(
            place, dtype=torch.float32 if device == "cpu" else "auto", **options
        )
    except Exception as error:  # of files that are damaged each library has its own
        log.warning("%s: %s", name, error)
        why = excerpt(str(error))
        if quant and isinstance(error, ImportError | RuntimeError | ValueError):  # the last: a package is missed
            raise Missing(f"hf:{name} cannot be quantised here ({why}); leave out ?quant={quant}.") from error
        if isinstance(error, ImportError | RuntimeError):
            raise Missing(
                f"hf:{name} could not be loaded ({why}); free some memory or choose another model."
            ) from error
        raise Missing(
            f"There is no usable model {name!r} on this machine or on the hub; "
            "check the name, the network, or give the path of a folder that holds it."
        ) from error
    if not tokenizer.chat_template:
        raise Missing(f"The model {name!r} has no chat template; choose one that was made for chat.")
    return Loaded((model if quant else model.to(device)).eval(), tokenizer)


def _quantised(quant: str) -> Any:
    import torch
    from transformers import BitsAndBytesConfig

    if quant == "8bit":
        return BitsAndBytesConfig(load_in_8bit=True)
    compute = torch.bfloat16 if torch.cuda.is_available() else torch.float32
    return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=compute)
