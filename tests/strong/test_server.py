"""The recorded model's server: what decides, what does not, and that nothing passes which was not recorded."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from langchain_core.messages import HumanMessage

from minds.models import ModelSettings, open_model
from minds.models.language import Said, Usage
from tests.strong.server import Asked, Exchange, StrongModel, asked_of, read_recordings, serving, written

THINK, SLOW = ("think",), ("give_up", "python")
DIRECT = Exchange(Asked("fast", "Hello!", "", THINK), "Hi there!")
STEP = Exchange(
    Asked("slow", "2 + 2 and 3 + 3?", "", SLOW),
    "Both.",
    ({"name": "python", "arguments": {"program": "a"}}, {"name": "python", "arguments": '{"program": '}),
)
SEEN = Exchange(Asked("slow", "2 + 2 and 3 + 3?", "The sums that you wanted are 4\n\n6", SLOW), "4 and 6.")
SUMMARY = Exchange(Asked("plain", "user: I live in Ghent.", "", ()), "The person lives in Ghent.")


@pytest.fixture
def model() -> Iterator[StrongModel]:
    with serving([DIRECT, STEP, SEEN, SUMMARY]) as made:
        yield made


def request(*messages: tuple[str, str], tools: tuple[str, ...] = THINK, **more: Any) -> dict[str, Any]:
    told = [{"role": role, "content": text} for role, text in messages]
    offered = [{"type": "function", "function": {"name": name, "description": "x"}} for name in tools]
    return {"model": "by-hand", "messages": told, **({"tools": offered} if tools else {}), **more}


def post(model: StrongModel, body: dict[str, Any]) -> httpx2.Response:
    return httpx2.post(f"{model.url}/v1/chat/completions", json=body, trust_env=False)


def said(model: StrongModel, body: dict[str, Any]) -> str:
    return str(post(model, body).json()["choices"][0]["message"]["content"])


def test_instructions_context_and_earlier_turns_do_not_matter(model: StrongModel) -> None:
    before = (("system", "Be brief."), ("user", "Who are you?"), ("assistant", "Duet."))
    now = ("user", "Hello!\n\n<context>\nNow: Tuesday, 24 November 2026.\n</context>")
    assert said(model, request(*before, now)) == said(model, request(("user", "Hello!"))) == "Hi there!"


def test_the_mind_the_words_and_the_tools_matter(model: StrongModel) -> None:
    assert post(model, request(("user", "Hello"))).status_code == 500
    assert post(model, request(("user", "Hello!"), tools=("think", "tell_slow_mind"))).status_code == 500
    assert post(model, request(("user", "Hello!"), tools=SLOW)).status_code == 500


def test_what_was_not_recorded_is_told_with_the_nearest_recording(model: StrongModel) -> None:
    answer = post(model, request(("user", "Hello you!")))
    told = answer.json()["error"]["message"]
    assert told == (
        "Nothing is recorded for the fast mind, asked 'Hello you!', with think. "
        "The nearest recording: the fast mind, asked 'Hello!', with think."
    )
    assert model.unmatched == [told] and model.made == []


def test_a_request_made_of_the_words_stands_behind_them(model: StrongModel) -> None:
    asked = ("user", "2 + 2 and 3 + 3?\n\nRequest: what is 2 + 2, and what is 3 + 3?\n\n<context>\nNow.\n</context>")
    assert said(model, request(asked, tools=SLOW)) == "Both."


def test_several_observations_are_one_and_figures_count_more_than_words(model: StrongModel) -> None:
    def seen(*observations: str) -> dict[str, Any]:
        told = [("tool", text) for text in observations]
        return request(("user", "2 + 2 and 3 + 3?"), ("assistant", ""), *told, tools=SLOW)

    assert said(model, seen("The sums that you wanted are 4", "6")) == "4 and 6."
    assert said(model, seen("The sums that you wished are 4", "6")) == "4 and 6."
    assert post(model, seen("The sums that you wanted are 4", "7")).status_code == 500
    assert post(model, seen("Four", "six")).status_code == 500


def test_what_is_said_behind_an_observation_belongs_to_it() -> None:
    body = request(("user", "Go!"), ("assistant", ""), ("tool", "done"), ("user", "Faster, please."))
    assert asked_of(body) == Asked("fast", "Go!", "done\n\nFaster, please.", THINK)


def test_a_request_without_tools_is_known_by_its_end(model: StrongModel) -> None:
    long = replace(SUMMARY.asked, said="x" * 300)
    model.recordings.append(Exchange(long, "Long."))
    assert said(model, request(("user", "Sum this up.\n\nuser: I live in Ghent."), tools=())) == SUMMARY.content
    assert said(model, request(("user", "Write down what matters:\n" + "x" * 400), tools=())) == "Long."


async def test_a_stream_brings_words_calls_and_usage(model: StrongModel, tmp_path: Path) -> None:
    spoken = await call(model, tmp_path, usage := Usage())
    assert spoken.text == "Both." and [one.name for one in spoken.calls] == ["python", "python"]
    assert spoken.calls[0].arguments == {"program": "a"} and "not JSON" in spoken.calls[1].fault
    assert usage.calls == 1 and usage.read == model.made[0].tokens > 0 and usage.written > 0


async def call(model: StrongModel, folder: Path, usage: Usage) -> Said:
    opened = open_model(model.spec, ModelSettings(folder), "slow")
    tools = request(tools=SLOW)["tools"]
    return await opened.call([HumanMessage("2 + 2 and 3 + 3?")], tools, usage=usage)


def test_an_answer_that_was_cut_says_so(model: StrongModel) -> None:
    model.recordings.append(Exchange(Asked("fast", "Tell me all.", "", THINK), "It began", finish="length"))
    answer = post(model, request(("user", "Tell me all."))).json()
    assert answer["choices"][0]["finish_reason"] == "length"


def test_a_rate_is_kept(model: StrongModel) -> None:
    model.rate = 20
    began = time.monotonic()
    lines = post(model, request(("user", "Hello!"), stream=True)).text.splitlines()
    pieces = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    assert len(pieces) == 6 and time.monotonic() - began >= 6 / 20


def test_recordings_are_written_as_they_are_read(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text("\n".join(map(written, (DIRECT, STEP, SEEN, SUMMARY))), encoding="utf-8")
    assert read_recordings(file) == [DIRECT, STEP, SEEN, SUMMARY]


def test_no_recording_stands_in_the_way_of_another() -> None:
    recordings = read_recordings()
    keys = [(one.asked.who, one.asked.said, one.asked.observation, one.asked.tools) for one in recordings]
    assert len(keys) == len(set(keys)) > 100
