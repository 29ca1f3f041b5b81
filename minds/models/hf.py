"""`hf:REPO_OR_PATH[?quant=4bit|8bit]`: transformers in this process, quantised by bitsandbytes where it can run."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import queue
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr

from minds.models.adapter import CANDIDATES, ChatAdapter, structured_runnable
from minds.models.language import Abilities, BadSpec, Missing, ModelFault, TooLong
from minds.models.spec import ModelSettings, Spec

log = logging.getLogger(__name__)

Say = Callable[[ChatGenerationChunk], None]
_END = object()


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


_loaded: dict[tuple[str, str], Loaded] = {}
_loading = threading.Lock()


def load(name: str, quant: str) -> Loaded:
    """The process's one copy of these weights. A local folder is never looked up on the hub. Raises Missing."""
    with _loading:
        if (name, quant) not in _loaded:
            _loaded[name, quant] = _load(name, quant)
        return _loaded[name, quant]


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
    except ModelFault:
        raise
    except (ImportError, RuntimeError) as error:
        log.warning("%s: %s", name, error)
        if quant:
            raise Missing(f"hf:{name} cannot be quantised here ({_line(error)}); leave out ?quant={quant}.") from error
        raise Missing(
            f"hf:{name} could not be loaded ({_line(error)}); free some memory or choose another model."
        ) from error
    except (OSError, ValueError, KeyError) as error:
        log.warning("%s: %s", name, error)
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

    for package in ("bitsandbytes", "accelerate"):
        if importlib.util.find_spec(package) is None:
            raise Missing(f"?quant={quant} needs {package}: run `make setup`, or leave it out.")
    if quant == "8bit":
        return BitsAndBytesConfig(load_in_8bit=True)
    compute = torch.bfloat16 if torch.cuda.is_available() else torch.float32
    return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=compute)


class TransformersChat(BaseChatModel):
    """A LangChain chat model over AutoModelForCausalLM and its chat template; loads on first use.

    A last message of the assistant is continued. `logprobs=True` gives the first token and its candidates only.
    """

    model_name: str
    quant: str = ""
    temperature: float = 0.0
    max_tokens: int = 512
    seed: int | None = None
    stop: list[str] | None = None
    _in_memory: Loaded | None = PrivateAttr(default=None)

    @property
    def _llm_type(self) -> str:
        return "duet-transformers"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name, "quant": self.quant}

    def load(self) -> Loaded:
        """Seconds at first, then at once."""
        if self._in_memory is None:
            self._in_memory = load(self.model_name, self.quant)
        return self._in_memory

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **kwargs: Any) -> Runnable[Any, Any]:
        return structured_runnable(self, schema, include_raw)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, run_manager, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        said: queue.SimpleQueue[Any] = queue.SimpleQueue()
        cancelled = threading.Event()
        self._start(messages, stop, kwargs, said.put, cancelled)
        try:
            while (chunk := said.get()) is not _END:
                if isinstance(chunk, Exception):
                    raise chunk
                if run_manager:
                    run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                yield chunk
        finally:
            cancelled.set()

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        said: asyncio.Queue[Any] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        cancelled = threading.Event()

        def hand_over(item: Any) -> None:
            if not cancelled.is_set():  # nobody listens any more, and the loop may be closed
                loop.call_soon_threadsafe(said.put_nowait, item)

        self._start(messages, stop, kwargs, hand_over, cancelled)
        try:
            while (chunk := await said.get()) is not _END:
                if isinstance(chunk, Exception):
                    raise chunk
                if run_manager:
                    await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                yield chunk
        finally:
            cancelled.set()

    def _start(
        self,
        messages: Sequence[BaseMessage],
        stop: list[str] | None,
        options: dict[str, Any],
        hand_over: Callable[[Any], None],
        cancelled: threading.Event,
    ) -> None:
        """Generates in a thread of its own; what it makes, an exception included, goes to `hand_over`, then _END."""
        asked = {"temperature": self.temperature, "max_tokens": self.max_tokens, "seed": self.seed, **options}

        def work() -> None:
            try:
                loaded = self.load()
                with loaded.busy:
                    if not cancelled.is_set():
                        _generate(loaded, messages, stop or self.stop or [], asked, hand_over, cancelled)
            except Exception as error:
                hand_over(error)
            hand_over(_END)

        threading.Thread(target=work, name="transformers", daemon=True).start()


class TransformersModel(ChatAdapter):
    """Prefixes, log-probabilities and schemas (through llguidance); no native tool calls."""

    chat: BaseChatModel

    def fault(self, error: Exception) -> ModelFault:
        if "out of memory" in str(error).lower():
            return Missing(f"{self.who} does not fit into memory; choose a smaller one or add ?quant=4bit.")
        return super().fault(error)

    async def chunks(self, messages: Sequence[BaseMessage], **options: Any) -> AsyncGenerator[AIMessageChunk, None]:
        """Loading takes its own time, before the clock for the first token starts."""
        assert isinstance(self.chat, TransformersChat)
        await asyncio.to_thread(self.chat.load)
        async for chunk in super().chunks(messages, **options):
            yield chunk


def open_hf(spec: Spec, settings: ModelSettings) -> TransformersModel:
    """Raises BadSpec for another quantisation than 4bit and 8bit."""
    quant = spec.options.get("quant", "")
    if quant not in ("", "4bit", "8bit"):
        raise BadSpec(f"In the model spec {spec.text!r}, quant must be 4bit or 8bit.")
    chat = TransformersChat(model_name=spec.name, quant=quant)
    return TransformersModel(spec.text, chat, Abilities(prefix=True, logprobs=True, schema=True), settings)


def _generate(
    loaded: Loaded,
    messages: Sequence[BaseMessage],
    stop: Sequence[str],
    asked: dict[str, Any],
    say: Say,
    cancelled: threading.Event,
) -> None:
    import torch

    ids = _prompt(loaded, messages)
    room = _context(loaded.model) - ids.shape[1]
    if room < 1:
        raise TooLong(
            f"This is longer than the model can read ({_context(loaded.model)} tokens); start a new conversation, "
            "or choose a larger model."
        )
    if asked.get("logprobs"):
        say(_weighed(loaded, ids, int(asked.get("top_logprobs") or CANDIDATES)))
        say(_last(ids.shape[1], 1, "length", loaded.model.name_or_path))
        return
    if asked["seed"] is not None:
        torch.manual_seed(asked["seed"])
    limit = min(int(asked["max_tokens"]), room)
    streamer = _Streamer(loaded.tokenizer, stop, say)
    warm = float(asked["temperature"]) > 0
    with torch.inference_mode():
        output = loaded.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=limit,
            do_sample=warm,
            **({"temperature": float(asked["temperature"])} if warm else _GREEDY),
            streamer=streamer,
            stopping_criteria=[lambda *_: torch.tensor([cancelled.is_set() or streamer.stopped])],
            logits_processor=_constraints(loaded, asked),
            pad_token_id=loaded.tokenizer.pad_token_id or loaded.tokenizer.eos_token_id,
        )
    written = output.shape[1] - ids.shape[1]
    cut = written >= limit and not streamer.stopped and int(output[0, -1]) not in _ends(loaded)
    say(_last(ids.shape[1], written, "length" if cut else "stop", loaded.model.name_or_path))


_GREEDY: dict[str, None] = {"temperature": None, "top_p": None, "top_k": None}
"""What the model's own generation settings say about sampling must not warn where there is none."""


def _prompt(loaded: Loaded, messages: Sequence[BaseMessage]) -> Any:
    """The chat as token ids of shape (1, length); the assistant's begun message comes after the template's opening."""
    begun = str(messages[-1].text) if messages and messages[-1].type == "ai" else ""
    chat = convert_to_openai_messages(list(messages[:-1] if begun else messages), text_format="string")
    text = loaded.tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True) + begun
    ids = loaded.tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"]
    return ids.to(loaded.model.device)


def _context(model: Any) -> int:
    return int(getattr(model.config, "max_position_embeddings", None) or 4096)


def _ends(loaded: Loaded) -> set[int]:
    ends = loaded.model.generation_config.eos_token_id
    return set(ends) if isinstance(ends, list) else {ends, loaded.tokenizer.eos_token_id}


def _constraints(loaded: Loaded, asked: dict[str, Any]) -> list[Any]:
    wanted = asked.get("response_format")
    return [_Constraint(loaded.guide, wanted["json_schema"]["schema"])] if wanted else []


class _Constraint:
    """Lets only tokens through that keep the answer within the JSON schema (llguidance)."""

    def __init__(self, guide: Any, schema: dict[str, Any]) -> None:
        from llguidance import LLMatcher

        self._matcher = LLMatcher(
            guide, LLMatcher.grammar_from_json_schema(schema, defaults={"whitespace_flexible": False})
        )
        if self._matcher.is_error():
            raise ValueError(f"the schema cannot be kept to: {self._matcher.get_error()}")
        self._read: int | None = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        import torch

        if self._read is not None:
            for token in input_ids[0, self._read :].tolist():
                self._matcher.consume_token(token)
        self._read = input_ids.shape[1]
        allowed = torch.frombuffer(bytearray(self._matcher.compute_logit_bias()), dtype=torch.uint8)
        forbidden = (allowed == 0)[: scores.shape[1]].to(scores.device)
        return scores.masked_fill(forbidden, float("-inf"))


class _Streamer:
    """Text as it comes: no half characters, nothing of a stop word, nothing after it."""

    def __init__(self, tokenizer: Any, stop: Sequence[str], say: Say) -> None:
        self._tokenizer = tokenizer
        self._stop = [word for word in stop if word]
        self._say = say
        self._ids: list[int] | None = None
        self._said = 0
        self.stopped = False

    def put(self, value: Any) -> None:
        """transformers gives the prompt first, then one token at a time."""
        if self._ids is None:
            self._ids = []
            return
        self._ids.extend(value.flatten().tolist())
        text = self._tokenizer.decode(self._ids, skip_special_tokens=True)
        if not text.endswith("\ufffd"):
            self._tell(text, last=False)

    def end(self) -> None:
        if not self.stopped:
            self._tell(self._tokenizer.decode(self._ids or [], skip_special_tokens=True), last=True)

    def _tell(self, text: str, last: bool) -> None:
        ends = [text.index(word) for word in self._stop if word in text]
        self.stopped = self.stopped or bool(ends)
        ready = min(ends) if ends else len(text) if last else len(text) - self._begun(text)
        if ready > self._said:
            self._say(ChatGenerationChunk(message=AIMessageChunk(content=text[self._said : ready])))
            self._said = ready

    def _begun(self, text: str) -> int:
        """How many characters at the end may be the beginning of a stop word."""
        longest = max((len(word) for word in self._stop), default=1) - 1
        for size in range(min(longest, len(text)), 0, -1):
            if any(word.startswith(text[-size:]) for word in self._stop):
                return size
        return 0


def _weighed(loaded: Loaded, ids: Any, many: int) -> ChatGenerationChunk:
    import torch

    with torch.inference_mode():
        scores = loaded.model(ids).logits[0, -1].float().log_softmax(-1)
    best = scores.topk(min(many, scores.shape[0]))
    top = [
        {"token": loaded.tokenizer.decode([token]), "logprob": value}
        for token, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
    info = {"logprobs": {"content": [{**top[0], "top_logprobs": top}]}}
    return ChatGenerationChunk(message=AIMessageChunk(content=top[0]["token"]), generation_info=info)


def _last(read: int, written: int, finish: str, name: str) -> ChatGenerationChunk:
    usage: Any = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    message = AIMessageChunk(content="", usage_metadata=usage)
    return ChatGenerationChunk(message=message, generation_info={"finish_reason": finish, "model_name": name})


def _line(error: Exception) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= 120 else line[:119] + "…"
