"""Speech becomes words in the message box, by a Whisper on this machine where `faster-whisper` is installed: what is
said goes nowhere else, and is not kept."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from fastapi import APIRouter, Request

from chat.app import Duet
from chat.faults import ChatFault
from chat.ui.language import _

INSTALL = ".venv/bin/python -m pip install faster-whisper==1.2.1"
RATE, LONGEST = 16_000, 130
"""Samples of a second, as Whisper takes them; seconds of one recording (static/voice.js ends earlier)."""


def add_hearing(router: APIRouter, duet: Duet) -> None:
    """For whoever the door lets in; one recording is worked on at a time."""
    hearing, one = Hearing(duet.settings.whisper), asyncio.Lock()  # who waits takes no thread from others

    @router.get("/hear")
    def ready() -> dict[str, str]:
        """Before anything is recorded: why it could not be heard, or nothing."""
        return {"fault": hearing.missing()}

    @router.post("/hear")
    async def hear(request: Request) -> dict[str, str]:
        sound = await request.body()
        async with one:
            return {"text": await asyncio.to_thread(hearing.words, sound)}


class Hearing:
    """Loads its model with the first recording."""

    def __init__(self, model: str) -> None:
        """`model`: a folder of one, or a size that the hub has."""
        self._name = model
        self._model: Any = None

    def missing(self) -> str:
        """What is to be installed; empty where nothing is."""
        told = _("Duet cannot hear yet: whoever runs it types {command} in its folder, then starts it again.")
        return "" if find_spec("faster_whisper") else told.format(command=f"`{INSTALL}`")

    def words(self, sound: bytes) -> str:
        """Blocking. Raises ChatFault."""
        if fault := self.missing():
            raise ChatFault(fault)
        model, samples = self._loaded(), self._samples(sound)
        parts, _about = model.transcribe(samples, vad_filter=True, condition_on_previous_text=False)
        text = " ".join(part.text.strip() for part in parts)
        if not text:
            raise ChatFault(_("No words were heard: speak closer to the microphone and try it again."))
        return text

    def _loaded(self) -> Any:
        from faster_whisper import WhisperModel

        if self._model is None:
            try:
                self._model = WhisperModel(self._name, device="auto", compute_type="int8")
            except Exception as error:  # the hub's client and CTranslate2 have many kinds
                told = _("The Whisper {name} is not here and could not be fetched: set DUET_WHISPER to its folder.")
                raise ChatFault(told.format(name=f"`{self._name}`")) from error
        return self._model

    def _samples(self, sound: bytes) -> Any:
        from faster_whisper import decode_audio

        try:
            samples = decode_audio(BytesIO(sound), sampling_rate=RATE)
        except Exception as error:  # whatever PyAV finds wrong with it
            raise ChatFault(_("This is no recording that can be read: try it again.")) from error
        return samples[: LONGEST * RATE]
