"""What a turn costs is said where it is known, and only there."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from langchain_core.messages import HumanMessage

from chat.app import build
from chat.faults import ChatFault
from chat.services import TurnRequest, read_prices
from chat.settings import Settings
from chat.ui.fields import Told, cost
from minds.models import ModelSettings, open_model
from minds.models.language import Spent, Usage, metered, spent
from tests.servers import running

CLOUD, HERE = "openai:grand-1@https://models.example/v1?see=1", "embedded:1.5b"


def used(read: int, written: int, cached: int = 0, *, told: bool = True) -> Spent:
    return Spent(Usage(read, written, cached, calls=1), told)


def test_a_price_is_of_what_was_read_written_and_cached() -> None:
    prices = read_prices("EUR grand-1=2/8/0.5")
    assert prices.cost({CLOUD: used(1_000_000, 500_000, 400_000)}) == {"price": 5.4, "currency": "EUR"}
    assert read_prices("grand-1=2/8").cost({CLOUD: used(1_000, 0, 400)}) == {"price": 0.002, "currency": ""}
    assert read_prices(f"{CLOUD}=1/1").cost({CLOUD: used(1_000, 0)}) == {"price": 0.001, "currency": ""}


def test_a_model_of_this_machine_costs_nothing_and_is_no_reason_to_be_silent() -> None:
    prices = read_prices("grand-1=2/8")
    assert prices.cost({CLOUD: used(1_000, 0), HERE: used(9, 9)})["price"] == 0.002
    assert prices.cost({HERE: used(9, 9)}) == prices.cost({}) == {}


def test_no_sum_is_made_up() -> None:
    assert read_prices("").cost({CLOUD: used(9, 9)}) == {}
    assert read_prices("grand-1=2/8").cost({CLOUD: used(9, 9), "openai:other": used(9, 9)}) == {}
    assert read_prices("grand-1=2/8").cost({CLOUD: used(0, 9, told=False)}) == {}


def test_a_file_has_them_with_comments(tmp_path: Path) -> None:
    (tmp_path / "prices").write_text("EUR  # a million tokens\ngrand-1=2/8\nother=1/1\n")
    assert read_prices(str(tmp_path / "prices")) == read_prices("EUR grand-1=2/8 other=1/1")


@pytest.mark.parametrize(
    "given", ["grand-1=2", "grand-1=two/8", "grand-1=-1/8", "grand-1=nan/8", "a=1/2/3/4", "/no/file"]
)
def test_bad_ones_are_told_in_a_sentence(given: str) -> None:
    with pytest.raises(ChatFault, match=r"^DUET_PRICES .*\.$"):
        read_prices(given)


async def test_a_turn_meters_its_own_calls() -> None:
    with running("vLLM") as fake:
        model = open_model(f"openai:m@{fake.url}", ModelSettings(models_dir=Path()))
        for calls in (1, 2):
            with metered():
                for _ in range(calls):
                    assert [piece async for piece in model.stream([HumanMessage("hi")])]
                assert {
                    spec: (one.usage.calls, one.usage.read, one.usage.written, one.told)
                    for spec, one in spent().items()
                } == {model.spec: (calls, 40 * calls, 20 * calls, True)}
        assert spent() == {}


async def test_a_reply_says_it(tmp_path: Path) -> None:
    with running("vLLM") as fake:
        spec = f"openai:m@{fake.url}"
        duet = build(Settings(home=tmp_path, fast_model=spec, slow_model=spec, prices="EUR m=2/8", memory=False))
        session = duet.open_session("ada")
        turn = await duet.runs.submit(session, "hello")
        said = [event.data async for event in duet.runs.wait(session, turn) if event.kind == "reply"]
        await duet.close()
    assert (said[-1]["price"], said[-1]["currency"]) == (0.00024, "EUR")
    assert cost(Told.model_validate(said[-1])).endswith("60 tokens · 1 call · EUR 0.00024")


def test_tokens_of_the_prefix_cache_are_not_paid_whichever_mind_read_them() -> None:
    asked = SimpleNamespace(usage=Usage(read=1_000, written=5, cached=900, calls=1), began=0.0)
    assert TurnRequest.cost(cast("TurnRequest", asked), read_prices(""))["tokens"] == 105


@pytest.mark.parametrize(("price", "shown"), [(0, "0.00"), (0.00001, "< 0.0001"), (0.0123, "0.012"), (1.5, "1.50")])
def test_small_sums_have_two_figures(price: float, shown: str) -> None:
    assert cost(Told(price=price, currency="$")) == f"$ {shown}"


@pytest.mark.parametrize("name", ["openai:grand-1", "grand-1", CLOUD.partition("?")[0]])
def test_a_name_fits_whatever_options_stand_behind_it(name: str) -> None:
    assert read_prices(f"{name}=2/8").cost({CLOUD: used(1_000, 0)})["price"] == 0.002
    assert read_prices("grand-1=2/8").cost({"langchain:own:grand-1": used(1_000, 0)})["price"] == 0.002
