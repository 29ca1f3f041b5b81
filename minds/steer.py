"""What a person wants who types while the slow mind works: a word to the run, or a turn of its own.

Only clear cases count as a word to the run; everything else is an ordinary turn for the fast mind.
"""

from __future__ import annotations

import re
from typing import Literal

Wish = Literal["stop", "pause", "resume", "status", "steer", "talk"]

_PLEASE = r"^(?:(?:please|ok(?:ay)?|hey|no|wait|hold on|and|oh|actually|sorry|then|just|could you|can you)[,.!]?\s+)*"
_END = (
    r"(?:[\s.!,]+(?:please|now|it|that|for now|a moment|a second|there|then|the run"
    r"|(?:working|thinking)(?: on (?:it|that|this))?|for a (?:moment|second|bit)))*[\s.!]*$"
)
_STOP = re.compile(_PLEASE + r"(?:stop|cancel|abort|never ?mind|forget (?:it|that)|quit)" + _END, re.IGNORECASE)
_PAUSE = re.compile(_PLEASE + r"(?:pause|wait|hold on|hang on)" + _END, re.IGNORECASE)
_RESUME = re.compile(_PLEASE + r"(?:resume|continue|go on|carry on|keep going|proceed|unpause)" + _END, re.IGNORECASE)
_STATUS = re.compile(
    _PLEASE + r"(?:how far (?:are you|is it|along)|how(?:'s| is) it (?:going|coming)|status|progress|done|finished"
    r"|what(?:'s| is) (?:the )?(?:status|progress)|any (?:progress|news|luck|results?)|is it (?:done|finished|ready)"
    r"|(?:are|aren't) you (?:done|finished|ready|still (?:there|working))|what are you (?:doing|working on)"
    r"|how (?:much )?long(?:er)?)"
    r"(?:,?\s+(?:yet|now|so far|along|left|more|there|right now|at the moment|(?:do|will) you need"
    r"|(?:will|does|is) (?:it|this|that)(?: going to)?(?: take| be)?|(?:with|on) (?:it|that|this)))*[\s?.!]*$",
    re.IGNORECASE,
)
_STEER = re.compile(
    r"^(?:(?:please|ok(?:ay)?|and|oh|actually|sorry|also|but|no|wait)[,.!]?\s+)*"
    r"(?:use|in (?:metric|imperial|miles|km|kilomet\w+|euros?|dollars|celsius|fahrenheit|hours|minutes|days|weeks)\b"
    r"|with(?:out)? |include|exclude|ignore|skip|leave out|add |round|assume|make it|make that"
    r"|give (?:me )?(?:it|the (?:answer|result))|answer in"
    r"|show (?:it|the)|keep|only |don['’]t |do not |instead|rather|i mean|i meant|it should|to \d+ decimal"
    r"|focus on|check (?:also|the)|look (?:also|in|at)|also (?:check|look|use|include))",
    re.IGNORECASE,
)


def wish(text: str) -> Wish:
    """Of a turn typed while a slow run is under way. A question is never taken for steering."""
    said = " ".join(text.split())
    if _STOP.match(said):
        return "stop"
    if _RESUME.match(said):
        return "resume"
    if _PAUSE.match(said):
        return "pause"
    if _STATUS.match(said.replace("’", "'")):
        return "status"
    if len(said) <= 200 and not said.endswith("?") and _STEER.match(said):
        return "steer"
    return "talk"
