"""What a model is given of pictures."""

from __future__ import annotations

from langchain_core.messages import AIMessage, HumanMessage

from minds.dialogue import Dialogue, Picture, Turn, TurnContext
from minds.fast import spoken_messages, tool_messages
from minds.pictures import ROOM, heard, size, unseen
from minds.strategies.steps import merged

CAT = Picture("1", "cat.png", b"bytes")
URL = {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,Ynl0ZXM="}}


def test_words_without_a_picture_are_words() -> None:
    assert heard("hello").content == "hello"


def test_a_picture_stands_behind_the_words_that_name_it() -> None:
    assert heard("Who?", [CAT]).content == [{"type": "text", "text": "Who?\n\n[Shown with this: cat.png]"}, URL]


def test_one_whose_bytes_are_not_at_hand_is_only_named() -> None:
    assert heard("Who?", [Picture("1", "cat.png")]).content == "Who?\n\n[Shown with this: cat.png]"


def test_a_model_that_cannot_see_reads_words_that_say_so() -> None:
    plain = AIMessage("A cat.")
    shown, same = unseen([heard("Who?", [CAT]), plain])
    assert str(shown.content).startswith("Who?\n\n[Shown with this: cat.png]\n[You cannot see") and same is plain


def test_a_picture_takes_the_room_of_many_words_however_large_it_is() -> None:
    small, large = (size(heard("Who?", [Picture("1", "a", b"x" * many)])) for many in (10, 1_000_000))
    assert small == large == ROOM + size(HumanMessage("Who?\n\n[Shown with this: a]"))


def test_neighbours_are_joined_with_their_pictures() -> None:
    [one] = merged([HumanMessage("Look."), heard("Who?", [CAT])])
    assert one.content == [{"type": "text", "text": "Look."}, *heard("Who?", [CAT]).content]


def test_both_forms_of_asking_show_what_was_and_what_is_shown() -> None:
    dialogue = Dialogue("s", "ada", (Turn("user", "Who?", pictures=(CAT,)), Turn("fast", "A cat.")))
    for make in (tool_messages, spoken_messages):
        messages = make(dialogue, "And who is this?", TurnContext(pictures=(Picture("2", "dog.png", b"bytes"),)))
        shown = [message for message in messages if not isinstance(message.content, str)]
        assert [message.content[-1] for message in shown] == [URL, URL]
        assert "cat.png" in str(shown[0].content) and "dog.png" in str(shown[1].content)
