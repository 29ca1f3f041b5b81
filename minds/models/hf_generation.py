"""One generation with transformers: the prompt's tokens, the limits of the answer, and the text as it comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGenerationChunk

from minds.models.adapter import CANDIDATES
from minds.models.answers import OPENED
from minds.models.hf_loading import Loaded
from minds.models.language import TooLong

Say = Callable[[ChatGenerationChunk], None]


def generate(
    loaded: Loaded,
    messages: Sequence[BaseMessage],
    stop: Sequence[str],
    asked: dict[str, Any],
    say: Say,
    cancelled: threading.Event,
) -> None:
    import torch

    ids = prompt_ids(loaded, messages)
    room = context(loaded.model) - ids.shape[1]
    if room < 1:
        raise TooLong(
            f"This is longer than the model can read ({context(loaded.model)} tokens); start a new conversation, "
            "or choose a larger model."
        )
    if asked.get("logprobs") and int(asked["max_tokens"]) == 1:  # of a longer answer they are not told
        say(_weighed(loaded, ids, int(asked.get("top_logprobs") or CANDIDATES)))
        say(_last(ids.shape[1], 1, "length", loaded.model.name_or_path))
        return
    if asked["seed"] is not None:
        torch.manual_seed(asked["seed"])
    limit, form = min(int(asked["max_tokens"]), room), asked.get("response_format")
    if _thinks(loaded, ids) and not form:  # a form has no room for thoughts
        say(ChatGenerationChunk(message=AIMessageChunk(content=OPENED)))
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
            logits_processor=[_Constraint(loaded.guide, form["json_schema"]["schema"])] if form else [],
            pad_token_id=loaded.tokenizer.pad_token_id or loaded.tokenizer.eos_token_id,
        )
    written = output.shape[1] - ids.shape[1]
    cut = written >= limit and not streamer.stopped and int(output[0, -1]) not in _ends(loaded)
    say(_last(ids.shape[1], written, "length" if cut else "stop", loaded.model.name_or_path))


_GREEDY: dict[str, None] = {"temperature": None, "top_p": None, "top_k": None}
"""What the model's own generation settings say about sampling must not warn where there is none."""


def prompt_ids(loaded: Loaded, messages: Sequence[BaseMessage]) -> Any:
    """The chat as token ids of shape (1, length); the assistant's begun message comes after the template's opening."""
    begun = str(messages[-1].text) if messages and messages[-1].type == "ai" else ""
    chat = convert_to_openai_messages(list(messages[:-1] if begun else messages), text_format="string")
    text = _templated(loaded, chat) + begun
    ids = loaded.tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"]
    return ids.to(loaded.model.device)


def _templated(loaded: Loaded, chat: list[dict[str, Any]]) -> str:
    from jinja2 import TemplateError

    def told(messages: list[dict[str, Any]]) -> str:
        return str(loaded.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))

    try:
        return told(chat)
    except TemplateError:
        if not (folded := _without_system(chat)):
            raise
        return told(folded)


def _without_system(chat: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For templates without a system role, such as Gemma's: its words stand before the person's first ones. Nothing
    where there are none of both."""
    system = [message["content"] for message in chat if message["role"] == "system"]
    rest = [message for message in chat if message["role"] != "system"]
    if not system or not rest or rest[0]["role"] != "user":
        return []
    return [{**rest[0], "content": "\n\n".join([*system, rest[0]["content"]])}, *rest[1:]]


def _thinks(loaded: Loaded, ids: Any) -> bool:
    """Whether the template has begun the model's thinking for it: what comes first is nobody's reply then."""
    end = ids[0, -16:]  # more than the tag and a line's end take
    return str(loaded.tokenizer.decode(end)).rstrip().endswith(OPENED)


def context(model: Any) -> int:
    """Tokens that the model was made to read and write in one call."""
    return int(getattr(model.config, "max_position_embeddings", None) or 4096)


def _ends(loaded: Loaded) -> set[int]:
    ends = loaded.model.generation_config.eos_token_id
    return set(ends) if isinstance(ends, list) else {ends, loaded.tokenizer.eos_token_id}


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
        sizes = (size for word in self._stop for size in range(1, len(word)) if text.endswith(word[:size]))
        return max(sizes, default=0)


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
