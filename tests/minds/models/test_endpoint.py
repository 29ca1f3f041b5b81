"""Every way in which an endpoint fails ends in one sentence, and the next call works."""

from __future__ import annotations

import asyncio
import json
import math
import ssl
import time
from dataclasses import replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolCall, ToolCallChunk, ToolMessage

from minds.dialogue import Dialogue, Episode, Reply, Task, TurnContext
from minds.fast import FastMind
from minds.models import ModelSettings, open_model
from minds.models.answers import made_of
from minds.models.language import (
    Busy,
    Declined,
    Garbled,
    LanguageModel,
    ModelFault,
    NoProtocol,
    OutOfQuota,
    Refused,
    Toolless,
    TooLong,
    Unreachable,
    Usage,
    metered,
    spent,
)
from minds.models.listing import PROVIDERS, unreached
from minds.slow import Workbench
from minds.strategies.react import ReAct

ASK = [HumanMessage("hi")]
KEY = "sk-secret1234567890"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch, fake: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
    monkeypatch.delenv("DUET_KEYS", raising=False)


def model_of(fake: Any, options: str = "", **patience: Any) -> LanguageModel:
    settings = ModelSettings(models_dir=Path(), **{"first": 5.0, "between": 5.0, "retries": 0, **patience})
    return open_model(f"openai:m@{fake.url}{options}", settings)


async def said(model: LanguageModel, **options: Any) -> str:
    return "".join([piece async for piece in model.stream(ASK, **options)])


async def fault(model: LanguageModel) -> ModelFault:
    with pytest.raises(ModelFault) as caught:
        await said(model)
    text = str(caught.value)
    assert "\n" not in text and text.endswith(".") and "secret" not in text
    return caught.value


async def test_streams_and_counts(fake: Any) -> None:
    fake.then(lambda call: call.say("Hel", "lo"))
    usage = Usage()
    assert await said(model_of(fake), usage=usage, stop=["x"], max_tokens=9, temperature=0.5) == "Hello"
    assert usage == Usage(read=7, written=3, cached=5, calls=1)
    body = fake.bodies[0]
    assert (body["max_tokens"], body["stop"], body["temperature"], body["stream"]) == (9, ["x"], 0.5, True)
    assert fake.keys == [f"Bearer {KEY}"]


async def test_running_totals_are_not_added_up(fake: Any) -> None:
    """Gemini's endpoint tells the tokens so far with every piece."""

    def counting(call: Any) -> None:
        call.begin()
        for number in range(1, 4):
            choice = {"index": 0, "delta": {"content": "la"}, "finish_reason": "stop" if number == 3 else None}
            usage = {"prompt_tokens": 7, "completion_tokens": number, "total_tokens": 7 + number}
            call.event({"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
                       | {"usage": usage})  # fmt: skip
        call.handler.wfile.write(b"data: [DONE]\n\n")

    fake.then(counting, counting)
    model, usage = model_of(fake), Usage()
    assert await said(model, usage=usage) == "lalala"
    assert usage == Usage(read=7, written=3, calls=1)
    await said(model, usage=usage)
    assert usage == Usage(read=14, written=6, calls=2)


@pytest.mark.parametrize(
    ("code", "kind", "names"),
    [
        (401, Refused, "OPENAI_API_KEY"),
        (403, Refused, "check the key"),
        (404, Refused, "choose another model"),
        (400, Refused, "choose another model"),
        (429, Busy, "wait"),
        (500, Busy, "later"),
        (503, Busy, "later"),
    ],
)
async def test_status_codes(fake: Any, code: int, kind: type[ModelFault], names: str) -> None:
    fake.then(lambda call: call.status(code, f"bad key {KEY}"), lambda call: call.say("ok"))
    model = model_of(fake)
    error = await fault(model)
    assert type(error) is kind and names in str(error)
    assert await said(model) == "ok"


@pytest.mark.parametrize(
    ("code", "told", "kind", "names"),
    [
        (429, {"code": "insufficient_quota", "message": "You exceeded your current quota."}, OutOfQuota, "credit"),
        (402, {"message": "Insufficient credits"}, OutOfQuota, "choose another model"),
        (400, {"code": "content_filter", "message": "The prompt was filtered."}, Declined, "say it differently"),
        (400, {"code": "content_policy_violation", "message": "Not allowed."}, Declined, "say it differently"),
        (429, {"code": "rate_limit_exceeded", "message": "Slow down."}, Busy, "wait"),
        (400, {"code": "context_length_exceeded", "message": "Too many tokens."}, TooLong, "start a new one"),
        (400, {"message": "Input length 9000 exceeds the maximum allowed token length 8192"}, TooLong, "start a new"),
        (400, {"message": "input length and `max_tokens` exceed context limit: 9 + 9 > 8"}, TooLong, "start a new one"),
        (400, {"message": "inputs tokens + max_new_tokens must be <= 8192"}, TooLong, "start a new one"),
        (413, {"message": "Request too large for model `m` on tokens per minute"}, Refused, "tokens per minute"),
        (400, {"message": "API key not valid. Please pass a valid API key."}, Refused, "does not accept the key"),
        (429, {"message": "Rate limit exceeded: free-models-per-day."}, Busy, "free-models-per-day"),
        (403, {"message": "Country not supported"}, Refused, "Country not supported"),
        (404, {"message": "No endpoints found matching your data policy"}, Refused, "your data policy"),
    ],
)
async def test_what_a_refusal_says_counts_more_than_its_number(
    fake: Any, code: int, told: dict[str, str], kind: type[ModelFault], names: str
) -> None:
    fake.then(lambda call: call.raw(code, json.dumps({"error": told})))
    error = await fault(model_of(fake))
    assert type(error) is kind and names in str(error)


async def test_an_address_that_lacks_its_end_is_told_of_it(fake: Any) -> None:
    """What is asked there is no model server's: the answer does not know which model is meant."""
    bare = open_model(f"openai:m@{fake.url.removesuffix('/v1')}", ModelSettings(models_dir=Path(), retries=0))
    model = model_of(fake)
    named = json.dumps({"error": {"message": f"model '{getattr(model.chat, 'model_name', '')}' not found"}})
    lacking = lambda call: call.raw(404, '{"detail": "Not Found"}')  # noqa: E731
    fake.then(lacking, lambda call: call.raw(404, named), lacking)
    assert "/v1" in str(await fault(bare))
    assert "/v1" not in str(await fault(bare))
    assert "/v1" not in str(await fault(model)), "it has its end"


@pytest.mark.parametrize("code", [400, 500])
@pytest.mark.parametrize(
    ("form", "told"),
    [
        ('{"error": {"message": "m takes no tools"}}', "m takes no tools"),
        ('{"error": "m takes no tools"}', "m takes no tools"),
        ('[{"error": {"code": 400, "message": "m takes no tools"}}]', "m takes no tools"),
        ('{"object": "error", "message": {"detail": [{"msg": "bad"}]}}', '[{"msg": "bad"}]'),
        ('{"detail": "m takes no tools"}', "m takes no tools"),
        ("<html><title>Bad Gateway</title></html>", "it gave no reason"),
    ],
)
async def test_a_servers_reason_is_told_in_its_own_words(fake: Any, code: int, form: str, told: str) -> None:
    fake.then(lambda call: call.raw(code, form))
    assert f"({code}: {told})" in str(await fault(model_of(fake)))


async def test_a_redirection_names_the_other_address(fake: Any) -> None:
    fake.then(lambda call: call.raw(301, "", {"Location": "https://else.example/v1/chat/completions"}))
    assert "https://else.example/v1/chat/completions" in str(await fault(model_of(fake)))


async def test_a_key_that_is_none_is_not_sought_in_what_a_server_says(
    fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    fake.then(lambda call: call.status(400, "unexpected text"))
    assert "unexpected text" in str(await fault(model_of(fake)))
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    fake.answers[:] = [lambda call: call.status(400, "Invalid token hunter2 given")]
    assert "Invalid token *** given" in str(await fault(model_of(fake)))


async def test_https_where_there_is_none_is_told_so(fake: Any) -> None:
    model = open_model(f"openai:m@{fake.url.replace('http', 'https')}", ModelSettings(models_dir=Path(), retries=0))
    assert "does not speak https" in str(await fault(model))


def test_an_unknown_certificate_is_told_with_what_helps() -> None:
    refused = ssl.SSLCertVerificationError("no")
    refused.verify_message = "self-signed certificate"
    error = OSError("cannot connect")
    error.__cause__ = refused
    assert "self-signed" in unreached(error) and "SSL_CERT_FILE" in unreached(error)
    old = ssl.SSLError("old")
    old.reason = "TLSV1_ALERT_PROTOCOL_VERSION"
    assert "TLSV1_ALERT_PROTOCOL_VERSION" in unreached(old) and "does not speak" not in unreached(old)


@pytest.mark.parametrize("code", [429, 500])
async def test_retries(fake: Any, code: int) -> None:
    fake.then(lambda call: call.status(code, headers={"retry-after-ms": "1"}), lambda call: call.say("ok"))
    assert await said(model_of(fake, retries=2)) == "ok"
    assert len(fake.bodies) == 2


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "90"}, [90]),
        ({"retry-after-ms": "40000"}, [40]),
        ({"retry-after": "2.5"}, [3]),
        ({"retry-after": "3600"}, []),
        ({"retry-after": "90", "x-should-retry": "false"}, []),
        ({}, [1]),
    ],
)
async def test_of_a_limit_is_told_what_the_client_will_do(
    fake: Any, headers: dict[str, str], seconds: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def at_once(wait: float) -> None:
        slept.append(wait)

    told: list[object] = []
    slept: list[float] = []
    monkeypatch.setattr("openai._base_client.anyio.sleep", at_once)
    fake.then(lambda call: call.status(429, headers=headers), lambda call: call.say("ok"))
    with metered(lambda words, **values: told.append(values["seconds"])):
        if seconds:
            assert await said(model_of(fake, retries=2)) == "ok"
        else:
            assert isinstance(await fault(model_of(fake, retries=2)), Busy)
    assert told == [ceil(wait) for wait in slept] == seconds


async def test_who_waits_for_a_limit_is_told_why_and_how_long(fake: Any) -> None:
    told: list[str] = []
    waits = [{"retry-after-ms": "1"}, {"retry-after": "1"}, {}]
    fake.then(*(partial(lambda wait, call: call.status(429, headers=wait), wait) for wait in waits))
    with metered(lambda words, **values: told.append(words)):
        assert isinstance(await fault(model_of(fake, retries=2)), Busy)
    limit = "127.0.0.1 says that the limit is reached; it is asked again"
    assert told == [f"{limit} in 1 s"] * 2, "and behind the last one it is not asked again"


async def test_what_stands_behind_an_address_reaches_every_request(fake: Any) -> None:
    paths: list[str] = []

    def noted(call: Any) -> None:
        paths.append(call.handler.path)
        call.say("ok")

    fake.then(noted)
    assert await said(model_of(fake, "?api-version=2024-10-21&strong=0")) == "ok"
    assert paths == ["/v1/chat/completions?api-version=2024-10-21"]


def test_azure_is_given_its_key_as_it_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUET_KEYS", "https://x.openai.azure.com/v1=the-key-of-azure")
    spec = "openai:d@https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21"
    client = open_model(spec, ModelSettings(models_dir=Path())).chat.root_async_client  # type: ignore[attr-defined]
    assert client.default_headers["api-key"] == "the-key-of-azure"
    assert dict(client.default_query) == {"api-version": "2024-10-21"}


async def test_a_refused_call_is_not_paid_for(fake: Any) -> None:
    fake.then(lambda call: call.say("ok"), lambda call: call.status(429))
    model = model_of(fake)
    with metered():
        await said(model)
        await fault(model)
        assert spent()[model.spec].told and spent()[model.spec].usage.read == 7


async def test_too_long(fake: Any) -> None:
    fake.then(lambda call: call.status(400, "This model's maximum context length is 10 tokens"))
    assert isinstance(await fault(model_of(fake)), TooLong)


@pytest.mark.parametrize("text", ["", "[1, 2]", '{"choices": null}', "data: [DONE]\n\n", 'data: {"choices": []}\n\n'])
async def test_a_stream_in_which_nothing_comes_is_a_bad_answer(fake: Any, text: str) -> None:
    fake.then(lambda call: call.raw(200, text), lambda call: call.say("ok"))
    model = model_of(fake)
    assert isinstance(await fault(model), Garbled)
    assert await said(model) == "ok"


async def test_a_web_page_is_no_protocol_and_asked_for_once(fake: Any) -> None:
    page = {"Content-Type": "text/html; charset=utf-8"}
    fake.then(lambda call: call.raw(200, "<html>hello</html>", page), lambda call: call.say("ok"))
    model = model_of(fake, retries=2)
    assert isinstance(await fault(model), NoProtocol)
    assert await said(model) == "ok" and len(fake.bodies) == 2


async def test_garbage_in_the_stream(fake: Any) -> None:
    def broken(call: Any) -> None:
        call.begin()
        call.handler.wfile.write(b"data: {not json\n\n")

    fake.then(broken)
    assert isinstance(await fault(model_of(fake)), NoProtocol)


async def test_an_error_event_in_the_stream(fake: Any) -> None:
    def broken(call: Any) -> None:
        call.begin()
        call.piece({"content": "He"})
        call.event({"error": {"message": f"overloaded {KEY}", "code": 500}})

    fake.then(broken)
    assert isinstance(await fault(model_of(fake)), Busy)


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("Trying to keep the first 9000 tokens, but the model is loaded with context length of only 4096.", TooLong),
        ("Model unloaded.", Busy),
        ({"message": "This model's maximum prompt length is 131072 but the request contains 200000."}, TooLong),
        ({"message": "The decoder prompt (length 9000) is longer than the maximum model length of 4096."}, TooLong),
    ],
)
async def test_an_error_in_the_stream_is_read_whatever_its_form(fake: Any, told: Any, kind: type[ModelFault]) -> None:
    """LM Studio sends bare text behind a status of 200."""

    def broken(call: Any) -> None:
        call.begin()
        call.event({"error": told})

    fake.then(broken)
    error = await fault(model_of(fake))
    assert type(error) is kind and (kind is TooLong or "Model unloaded." in str(error))


async def test_calls_without_numbers_are_heard(fake: Any) -> None:
    """Gemini's endpoint numbers none of them, and may send one in pieces."""

    def calls(call: Any) -> None:
        call.begin()
        for name, first, rest in (("add", '{"one": 1,', ' "other": 2}'), ("clock", "{}", "")):
            call.piece(
                {"tool_calls": [{"id": name, "type": "function", "function": {"name": name, "arguments": first}}]}
            )
            call.piece({"tool_calls": [{"id": "", "function": {"arguments": rest}}]})
        call.end()

    fake.then(calls)
    said = await model_of(fake).call(ASK, [{"type": "function", "function": {"name": "add", "parameters": {}}}])
    assert [(one.name, one.arguments, one.fault) for one in said.calls] == [
        ("add", {"one": 1, "other": 2}, ""),
        ("clock", {}, ""),
    ]


async def test_calls_that_say_their_name_with_each_piece_are_heard(fake: Any) -> None:
    def repeated(call: Any) -> None:
        call.begin()
        for index, first, rest in ((0, '{"one":', " 1}"), (1, "{", "}")):
            for part in (first, rest):
                made = {"index": index, "id": f"c{index}", "function": {"name": "add", "arguments": part}}
                call.piece({"tool_calls": [made]})
        call.end("tool_calls")

    fake.then(repeated)
    answer = await model_of(fake).call(ASK, ADD)
    assert [(one.name, one.arguments, one.fault) for one in answer.calls] == [("add", {"one": 1}, ""), ("add", {}, "")]


@pytest.mark.parametrize(
    ("first", "second"),
    [((None, 0), (None, 0)), (("a", 0), ("a", 0)), (("", None), ("", None)), (("a", 0), ("b", 0))],
)
def test_calls_that_are_whole_are_each_one_of_its_own(first: Any, second: Any) -> None:
    pieces = [piece("add", '{"one": 1}', *first), piece("add", '{"one": 2}', *second)]
    assert [call.arguments for call in made_of(pieces)] == [{"one": 1}, {"one": 2}]


@pytest.mark.parametrize("where", [("a", None), ("a", 0), (None, 0), (None, None)])
def test_a_call_that_says_its_name_with_each_piece_is_one(where: Any) -> None:
    pieces = [piece("add", part, *where) for part in ('{"one"', ": 1}", "")]
    assert [(call.arguments, call.fault) for call in made_of(pieces)] == [({"one": 1}, "")]


def piece(name: str, args: str, key: str | None, index: int | None) -> ToolCallChunk:
    return {"type": "tool_call_chunk", "name": name, "args": args, "id": key, "index": index}


ADD = [{"type": "function", "function": {"name": "add", "parameters": {}}}]


@pytest.mark.parametrize(
    "written",
    [
        '<tool_call>\n{"name": "add", "arguments": {"one": 1}}\n</tool_call>',
        '<tool_call>\n{"arguments": {"one": 1}, "name": "add"}\n</tool_call>',
        "<tool_call>\n<function=add>\n<parameter=one>\n1\n</parameter>\n</function>\n</tool_call>",
        '<function=add>{"one": 1}</function>',
        '<|python_tag|>{"name": "add", "parameters": {}}',
        '[TOOL_CALLS] [{"name": "add", "arguments": {}}]',
        "[TOOL_CALLS]add[ARGS]{}",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n{}\n```",
    ],
)
async def test_calls_that_are_written_as_words_are_no_answer(fake: Any, written: str) -> None:
    """A server that does not know the model's own form of a call passes it on as words."""
    fake.then(lambda call: call.say("I add. ", *written))
    model, aloud = model_of(fake), list[str]()
    for tools in (True, False):
        with pytest.raises(Garbled, match="tools=0"):
            await model.call(ASK, ADD, aloud=aloud.append)
        assert model.abilities.tools is tools, "once may be a slip"
    assert "".join(aloud).split() == ["I", "add."] * 2, "nobody sees the call"


async def test_a_bare_call_is_no_answer_and_one_between_shows_that_the_server_knows_calls(fake: Any) -> None:
    def calls(call: Any) -> None:
        call.begin()
        call.piece({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "add", "arguments": "{}"}}]})
        call.end("tool_calls")

    bare = lambda call: call.say('{"name": ', '"add", "parameters": {"one": 1}}')  # noqa: E731
    fake.then(bare, calls, bare)
    model = model_of(fake)
    with pytest.raises(Toolless):
        await model.call(ASK, ADD)
    assert (await model.call(ASK, ADD)).calls
    with pytest.raises(Toolless):
        await model.call(ASK, ADD)
    assert model.abilities.tools


@pytest.mark.parametrize(
    "shown",
    [
        'As JSON: {"name": "add"}, and a call: <tool_call>{"name": "other", "arguments": {}}</tool_call>',
        'A call looks like this: {"name": "add", "arguments": {"one": 1}} as JSON.',
        'A call looks like this: {"name": "add", "arguments": {"one": 1}}',
        'So:\n```json\n{"name": "add", "arguments": {"one": 1}}\n```',
        'So:\n```\n<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call>\n```',
        'Hermes writes `<tool_call>{"name": "add", "arguments": {}}</tool_call>`.',
        '<tool_call>{"name": "add", "arguments": {}}</tool_call> is how Hermes writes it.',
        '{"name": "add"}',
        "a < b, and [TOOL",
    ],
)
async def test_words_that_show_or_explain_a_call_are_an_answer(fake: Any, shown: str) -> None:
    fake.then(lambda call: call.say(*shown))
    model, aloud = model_of(fake), list[str]()
    assert (await model.call(ASK, ADD, aloud=aloud.append)).text == shown == "".join(aloud)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (400, "registry.ollama.ai/library/m:latest does not support tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (500, "tools param requires --jinja flag"),
        (404, "No endpoints found that support tool use."),
    ],
)
async def test_where_tools_are_refused_the_model_is_asked_in_words(fake: Any, code: int, told: str) -> None:
    refuses, goes_through = (lambda call: call.status(code, told)), (lambda call: call.say("ok"))
    fake.then(*(refuses, goes_through) * 2)
    model = model_of(fake)
    for tools in (True, False):
        with pytest.raises(Toolless, match="try again"):
            await model.call(ASK, ADD)
        assert model.abilities.tools is tools
    assert await said(model) == "ok" and ["tools" in body for body in fake.bodies] == [True, False] * 2 + [False]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (429, "Rate limit reached for tool calls"),
        (503, "toolserver overloaded"),
        (400, "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."),
        (413, "too large: tools"),
    ],
)
async def test_what_merely_speaks_of_tools_says_nothing_of_the_model(fake: Any, code: int, told: str) -> None:
    fake.then(lambda call: call.status(code, told))
    model = model_of(fake)
    for _ in range(2):
        with pytest.raises(ModelFault) as caught:
            await model.call(ASK, ADD)
        assert not isinstance(caught.value, Toolless) and told[:20] in str(caught.value)
        assert caught.value.__cause__ not in (None, caught.value)
    assert model.abilities.tools


async def test_both_minds_go_on_in_words_within_the_turn(fake: Any) -> None:
    refuses = lambda call: call.status(400, "m does not support tools")  # noqa: E731
    writes = lambda call: call.say('<tool_call>{"name": "think", ', '"arguments": {"request": "x"}}</tool_call>')  # noqa: E731
    worded = lambda call: call.say("Invoke[True]\nResponse[One moment.]\nRequest[387 * 46]")  # noqa: E731
    dialogue, now = Dialogue("s", "ada"), TurnContext()
    for answers in ([refuses, worded, worded], [writes, worded]):
        told, fake.answers[:] = Reply(), answers
        pieces = FastMind(model_of(fake)).reply(dialogue, "387 * 46?", now, told)
        assert "".join([piece async for piece in pieces]) == "One moment."
        assert told.invoke and told.request == "387 * 46"
    fake.answers[:] = [
        lambda call: call.say('<tool_call>{"name": "give_up", "arguments": {"why": "no"}}</tool_call>'),
        lambda call: call.say('{"thought": "", "answer": "17802"}'),
    ]
    heard: list[str] = []
    bench = Workbench(model_of(fake), aloud=heard.append)
    move = await ReAct(bench).act(Episode(Task("387 * 46", "387 * 46?", dialogue)))
    assert move.answer == "17802" and heard[-1] == "", "what it said aloud was no answer"


async def test_a_models_name_says_nothing_of_tools(fake: Any) -> None:
    fake.then(lambda call: call.status(404, "model 'groq-tool-use' not found"))
    model = open_model(f"openai:groq-tool-use@{fake.url}", ModelSettings(models_dir=Path(), retries=0))
    with pytest.raises(Refused):
        await model.call(ASK, ADD)
    assert model.abilities.tools


async def test_what_a_server_refuses_by_name_is_left_out_from_then_on(fake: Any) -> None:
    """A model that thinks, under a name that nobody knows, and a provider that holds no answer to a schema."""
    fake.then(
        lambda call: call.status(400, "Unsupported value: 'temperature' does not support 0 with this model."),
        lambda call: call.status(400, "This response_format type is unavailable now"),
        lambda call: call.say('```json\n{"city": "Rome"}\n```'),
        lambda call: call.say("ok"),
    )
    model = model_of(fake)
    assert await model.structured(ASK, {"type": "object"}) == {"city": "Rome"}
    assert await said(model, temperature=0.5, max_tokens=9) == "ok"
    asked = [{"temperature", "response_format", "max_tokens"} & body.keys() for body in fake.bodies]
    assert asked == [{"temperature", "response_format"}, {"response_format"}, set(), {"max_tokens"}]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (400, "max_tokens is too large: 40000. This model supports at most 16384 completion tokens"),
        (400, "Could not finish the message because max_tokens or model output limit was reached."),
        (403, "Your subscription was put to a stop"),
        (400, "temperature, stop: bad request"),
    ],
)
async def test_an_option_is_left_out_only_behind_a_request_that_went_through(fake: Any, code: int, told: str) -> None:
    fake.then(lambda call: call.status(code, told))
    model = model_of(fake)
    with pytest.raises(Refused, match=told[:20]):
        await said(model, max_tokens=9, stop=["x"])
    fake.answers[:] = [lambda call: call.say("ok")]
    assert await said(model, max_tokens=9, stop=["x"]) == "ok"
    assert {"max_tokens", "stop", "temperature"} <= fake.bodies[-1].keys()


async def test_silence_before_the_first_token(fake: Any) -> None:
    fake.then(lambda call: call.wait_until_closed(), lambda call: call.say("ok"))
    model = model_of(fake, first=0.2)
    error = await fault(model)
    assert isinstance(error, Unreachable) and "silent for 0.2 seconds" in str(error)
    assert await asyncio.to_thread(fake.closed.wait, 5)
    assert await said(model) == "ok"


async def test_silence_in_the_middle(fake: Any) -> None:
    def stalls(call: Any) -> None:
        call.begin()
        call.piece({"content": "He"})
        call.wait_until_closed()

    fake.then(stalls)
    error = await fault(model_of(fake, between=0.2))
    assert isinstance(error, Unreachable) and "silent" in str(error)
    assert await asyncio.to_thread(fake.closed.wait, 5)


async def test_half_a_stream(fake: Any) -> None:
    def half(call: Any) -> None:
        call.begin()
        call.piece({"content": "He"})

    fake.then(half, lambda call: call.say("ok"))
    model = model_of(fake)
    pieces = []
    with pytest.raises(Unreachable, match="broke off"):
        async for piece in model.stream(ASK):
            pieces.append(piece)
    assert pieces == ["He"]
    assert await said(model) == "ok"


async def test_what_breaks_amid_an_answer_is_told_so(fake: Any) -> None:
    """Not that the server cannot be reached, or speaks another protocol: it was answering."""

    def cut(call: Any) -> None:
        call.begin()
        call.piece({"content": "He"})
        call.handler.wfile.write(b'data: {"choices": [{"ind\n\n')

    def gone(call: Any) -> None:
        call.begin()
        call.piece({"content": "He"})
        call.handler.wfile.write(b"zz")  # less than was announced

    def failed(call: Any) -> None:
        call.begin()
        call.piece({"content": "He"})
        call.end("error")

    fake.then(cut, failed)
    for _ in range(2):
        error = await fault(model_of(fake))
        assert type(error) is Unreachable and "broke off in the middle" in str(error)


async def test_an_answer_that_came_to_its_end_is_whole_however_the_connection_ends(
    fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never_hangs_up(call: Any) -> None:
        call.begin()
        call.piece({"content": "ok"})
        call.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        call.wait_until_closed()

    def breaks(call: Any) -> None:
        call.begin()
        call.piece({"content": "ok"})
        call.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        call.handler.wfile.write(b"data: {not json\n\n")

    monkeypatch.setattr("minds.models.adapter.ENDED", 0.1)
    fake.then(never_hangs_up, breaks)
    assert [await said(model_of(fake)) for _ in range(2)] == ["ok", "ok"]


async def test_half_a_structured_answer(fake: Any) -> None:
    def half(call: Any) -> None:
        call.begin()
        call.piece({"content": '{"a": 1}'})

    fake.then(half)
    with pytest.raises(Unreachable):
        await model_of(fake).structured(ASK, {"type": "object"})


async def test_nobody_there() -> None:
    class Nowhere:
        url = "http://127.0.0.1:9/v1"

    error = await fault(model_of(Nowhere()))
    assert isinstance(error, Unreachable) and "127.0.0.1:9" in str(error)


async def test_cancelling_hangs_up(fake: Any) -> None:
    def endless(call: Any) -> None:
        call.begin()
        for _ in range(500):
            call.piece({"content": "la "})
            time.sleep(0.01)

    fake.then(endless)
    model, begun = model_of(fake), asyncio.Event()

    async def listen() -> None:
        async for _ in model.stream(ASK):
            begun.set()

    task = asyncio.create_task(listen())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(fake.closed.wait, 3)


async def test_leaving_the_stream_hangs_up(fake: Any) -> None:
    def endless(call: Any) -> None:
        call.begin()
        call.piece({"content": "la "})
        call.wait_until_closed()

    fake.then(endless)
    usage = Usage()
    stream = model_of(fake).stream(ASK, usage=usage)
    assert await anext(stream) == "la "
    await stream.aclose()  # type: ignore[attr-defined]
    assert await asyncio.to_thread(fake.closed.wait, 3)
    assert usage.written == 1


async def test_structured(fake: Any) -> None:
    fake.then(lambda call: call.say('{"city":', ' "Rome"}'), lambda call: call.say('{"city": "Ro', finish="length"))
    schema: dict[str, object] = {"type": "object", "properties": {"city": {"type": "string"}}}
    model = model_of(fake)
    assert await model.structured(ASK, schema) == {"city": "Rome"}
    assert fake.bodies[0]["response_format"]["json_schema"]["schema"] == schema
    assert "strict" not in fake.bodies[0]["response_format"]["json_schema"]
    with pytest.raises(Garbled, match="did not finish"):
        await model.structured(ASK, schema)
    closed = {**schema, "required": ["city"], "additionalProperties": False}
    fake.answers[:] = [lambda call: call.say("no JSON")]
    with pytest.raises(Garbled, match="JSON"):
        await model.structured(ASK, closed)
    assert fake.bodies[-1]["response_format"]["json_schema"]["strict"] is True


async def test_a_strict_schema_does_not_say_how_long_a_text_may_be(fake: Any) -> None:
    """OpenAI refuses one that does; how many things a list may have it takes."""
    fake.then(lambda call: call.say('{"maxLength": ["x"]}'))
    text = {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "x"}
    items = {"type": "array", "maxItems": 6, "items": text}
    closed = {
        "type": "object",
        "properties": {"maxLength": items},
        "required": ["maxLength"],
        "additionalProperties": False,
    }
    await model_of(fake).structured(ASK, closed)
    asked = fake.bodies[0]["response_format"]["json_schema"]
    found = asked["schema"]["properties"]["maxLength"]
    assert asked["strict"] and found == {**items, "items": {"type": "string", "pattern": "x"}}


async def test_a_choice_at_the_root_is_not_strict(fake: Any) -> None:
    fake.then(lambda call: call.say('{"a": "x"}'))
    closed = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    await model_of(fake).structured(ASK, {"anyOf": [closed]})
    assert "strict" not in fake.bodies[0]["response_format"]["json_schema"]


async def test_weigh_and_prefix(fake: Any) -> None:
    def weighed(call: Any) -> None:
        top = [{"token": "True", "logprob": -0.5, "bytes": None}, {"token": "False", "logprob": -1.5, "bytes": None}]
        call.begin()
        call.piece({"content": "True"}, logprobs={"content": [{**top[0], "top_logprobs": top}], "refusal": None})
        call.end("length")

    fake.then(weighed, lambda call: call.say("x"))
    model = model_of(fake, "?prefix=1&logprobs=1")
    rest = math.log(1 - math.exp(-0.5) - math.exp(-1.5))
    assert await model.weigh(ASK, "Invoke[", ["True", "False", "Maybe"]) == {
        "True": -0.5,
        "False": -1.5,
        "Maybe": pytest.approx(rest),
    }, "what the server does not name is no likelier than what is left"
    assert fake.bodies[0]["messages"][-1] == {"role": "assistant", "content": "Invoke["}
    assert fake.bodies[0]["continue_final_message"] is True
    with pytest.raises(Garbled, match="logprobs=1 out of its spec"):
        await model.weigh(ASK, "Invoke[", ["True", "False"])


async def test_token_probabilities_are_asked_only_of_a_server_that_has_them(fake: Any) -> None:
    fake.then(*[lambda call: call.say("ok")] * 2)
    for options in ("?strong=0", "?strong=0&logprobs=1"):
        assert await said(model_of(fake, options), usage=Usage(logprobs=[])) == "ok"
    assert ["logprobs" in body for body in fake.bodies] == [False, True]


async def test_choices_are_weighed_along_what_they_share(fake: Any) -> None:
    """`go to 1` and `go to 11` begin alike; `look` is so far behind that nothing more is asked about it."""

    def told(**top: float) -> Any:
        def weighed(call: Any) -> None:
            found = [{"token": token, "logprob": p, "bytes": None} for token, p in top.items()]
            call.begin()
            call.piece({"content": "x"}, logprobs={"content": [{**found[0], "top_logprobs": found}], "refusal": None})
            call.end("length")

        return weighed

    fake.then(told(go=-0.1, look=-14.0), told(**{" to 1": -0.2}), told(**{"1": math.log(0.25)}))
    found = await model_of(fake, "?prefix=1&logprobs=1").weigh(ASK, "", ["go to 1", "go to 11", "look 1", "look 2"])
    assert found["go to 1"] == pytest.approx(-0.3 + math.log(0.75))
    assert found["go to 11"] == pytest.approx(-0.3 + math.log(0.25))
    assert found["look 1"] == found["look 2"] == -14.0
    assert [body["messages"][-1]["content"] for body in fake.bodies[1:]] == ["go", "go to 1"]


async def test_options_say_what_a_small_server_can(fake: Any) -> None:
    able = model_of(fake, "?tools=0&strong=0&schema=no").abilities
    assert not (able.tools or able.strong or able.schema)
    able = model_of(fake, "?context=8000&limit=900").abilities
    assert (able.context, able.limit) == (8000, 900)
    able = model_of(fake).abilities
    assert able.limit is None
    assert able.tools and able.strong and able.schema and not able.logprobs and not able.prefix


@pytest.mark.parametrize(
    ("spec", "marked"),
    [
        ("openai:codestral-latest@https://api.mistral.ai/v1", True),
        ("openai:mistralai/devstral-small@https://openrouter.ai/api/v1", True),
        ("openai:Mistral-Small-3.2.gguf@http://localhost:8080/v1", True),
        ("openai:devstral-small-2507@http://localhost:8080/v1", True),
        ("openai:mixtral:8x7b@http://localhost:11434/v1", True),
        ("openai:gpt-4.1", False),
        ("openai:qwen3:4b@http://localhost:11434/v1", False),
        ("openai:anthropic/claude@https://openrouter.ai/api/v1", False),
    ],
)
def test_what_a_person_adds_stands_in_a_tools_message_only_where_it_must(
    spec: str, marked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.setenv("DUET_KEYS", "https://api.mistral.ai/v1=k https://openrouter.ai/api/v1=k")
    assert open_model(spec, ModelSettings(models_dir=Path())).abilities.told_in_tools is marked


@pytest.mark.parametrize(
    "spec",
    [
        "openai:o4-mini",
        "openai:gpt-5-mini@https://me.openai.azure.com/openai/v1",
        "openai:gpt-5-mini@http://localhost:4000/v1",
        "openai:azure/o3@http://localhost:4000/v1",
    ],
)
def test_reasoning_models_get_no_temperature(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.setenv("DUET_KEYS", "https://me.openai.azure.com=k")
    model = open_model(spec, ModelSettings(models_dir=Path()))
    options = {"temperature": 0.0, "max_tokens": 5, "stop": ["\nUser["]}
    payload = model.chat._get_request_payload(ASK, **options)  # type: ignore[attr-defined]
    assert not {"temperature", "stop", "max_tokens"} & set(payload) and payload["max_completion_tokens"] == 5


async def test_what_a_provider_demands_of_a_models_own_messages_is_there(
    fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gemini 3 refuses calls without a signature, DeepSeek messages without what was thought."""
    calls: list[ToolCall] = [{"name": "clock", "args": {}, "id": key} for key in ("step00000", "step00001")]
    given = [ToolMessage("noon", tool_call_id=str(call["id"])) for call in calls]
    history = [*ASK, AIMessage("", tool_calls=calls), *given, AIMessage("It is noon."), *ASK]
    fake.then(*[lambda call: call.say("ok")] * 3)
    for name in ("Google Gemini", "DeepSeek", "Groq"):
        one = next(provider for provider in PROVIDERS if provider.name == name)
        monkeypatch.setattr("minds.models.listing.PROVIDERS", (replace(one, url=fake.url),))
        assert [piece async for piece in model_of(fake).stream(history)] == ["ok"]
    gemini, deepseek, other = ([m for m in body["messages"] if m["role"] == "assistant"] for body in fake.bodies)
    signature = {"google": {"thought_signature": "skip_thought_signature_validator"}}
    assert [call.get("extra_content") for call in gemini[0]["tool_calls"]] == [signature, None]
    assert [own["reasoning_content"] for own in deepseek] == ["", ""]
    assert other[0]["tool_calls"] == deepseek[0]["tool_calls"] and "reasoning_content" not in str(gemini + other)
