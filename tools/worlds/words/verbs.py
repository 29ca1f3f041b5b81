"""Every verb with an argument, as people say it, and what it may mean in the worlds."""

from __future__ import annotations

from tools.worlds.words.frames import Intent
from tools.worlds.words.verbs_doing import DOING
from tools.worlds.words.verbs_moving import MOVING
from tools.worlds.words.verbs_noticing import NOTICING

INTENTS: tuple[Intent, ...] = (*MOVING, *DOING, *NOTICING)
"""Two intents may share a phrase: what fits the world decides, and where that fits equally, the order."""
