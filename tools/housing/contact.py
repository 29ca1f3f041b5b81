"""Contact details, left voluntarily: checked, read back to the person, and stored only after their yes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.desk import Desk, ToolFault
from tools.ledger import Findings, Ledger, answered, asking, withdrawn
from tools.plain import clean, plain_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

KIND = "contact"
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"\+?\(?\d[\d ()/.-]{4,22}\d")
_LEADS = r"\b(?:my name is|name(?: is)?|i am|i'm|this is|call me|it's)\b[\s:=]*"
_OTHER = (
    r"\b(?:my|and|phone|telephone|tel|mobile|number|email|e-mail|mail|address|contact|is|please|the|at|on|or|"
    r"details)\b"
)


@dataclass(frozen=True)
class Contact:
    """At least one way to reach the person."""

    name: str
    phone: str
    email: str

    @property
    def said(self) -> str:
        ways = [f"phone {self.phone}" if self.phone else "", f"email {self.email}" if self.email else ""]
        return ", ".join([self.name, *filter(None, ways)])


def make(desk: Desk, folder: Path) -> list[BaseTool]:
    ledger = Ledger(folder, desk.session, said=desk.said or None, before=desk.sessions)
    description = "Stores a name with phone or email; asks first. Input: Ann Lee, 555 0134 22, then: yes CODE"
    return [plain_tool("leave_contact", description, lambda text: leave(text, ledger, desk))]


def leave(text: str, ledger: Ledger, desk: Desk) -> tuple[str, Findings]:
    """Reads back, and with the person's yes stores. Raises ToolFault."""
    asked = clean(text, "leave_contact")
    depends = {"session": desk.session, "changes": ledger.revision()}
    if reply := answered(ledger, KIND, asked):
        proposal, agreed = reply
        if not agreed:
            return withdrawn(ledger, proposal)
        key = f"{ledger.session} {proposal.code}"
        if not ledger.enter(KIND, key, proposal.details, desk.now.isoformat()):
            return f"These are stored already: {proposal.said}.", {"depends": depends}
        ledger.close(proposal, done=True)
        change = {"kind": KIND, "done": "made", "key": key, **proposal.details}
        thanks = "An agent will get in touch."
        return f"Stored: {proposal.said}. {thanks}", {"depends": depends, "changes": [change]}
    contact = read_contact(asked)
    details = {"name": contact.name, "phone": contact.phone, "email": contact.email}
    proposal = ledger.propose(KIND, details, f"contact details: {contact.said}")
    told = f"Shall I store {contact.said}, so that an agent can get in touch?"
    said, artifact = asking("leave_contact", proposal, told)
    return said.replace("go ahead with", "store"), {"depends": depends, **artifact}


def ways_to_reach(text: str) -> tuple[str, str]:
    """Phone and email in a text; empty where there is none."""
    mail = _MAIL.search(text)
    phone = _PHONE.search(text.replace(mail[0], " ") if mail else text)
    return phone[0].strip() if phone else "", mail[0] if mail else ""


def name_in(text: str, *, alone: bool = False) -> str:
    """What the person is called: behind `my name is`, or in capitals; `alone`: all that is left may be it."""
    rest = _PHONE.sub(" ", _MAIL.sub(" ", text))
    if found := re.search(
        r"\b(?:my name is|name:?|call me|i am|i'm|this is|it is|"
        r"it's)\s+([A-Z][\w'-]+(?: (?:[a-z]{2,3} )?[A-Z][\w'-]+){0,2})",
        rest,
    ):
        return found[1]
    if found := re.search(r"(?<![\w.] )(?<!^)\b([A-Z][a-z'-]+ [A-Z][\w'-]+)|^\W*([A-Z][a-z'-]+ [A-Z][\w'-]+)", rest):
        return found[1] or found[2]
    words = re.sub(_OTHER, " ", re.sub(r"[^\w' -]", " ", rest), flags=re.I).split()
    fit = alone and 1 <= len(words) <= 3 and not {word.lower() for word in words} & _NO_NAMES
    return " ".join(words).title() if fit else ""


_NO_NAMES = {
    "yes",
    "no",
    "ok",
    "okay",
    "sure",
    "call",
    "me",
    "please",
    "thanks",
    "later",
    "maybe",
    "hello",
    "hi",
    "what",
    "why",
    "how",
}


def read_contact(text: str) -> Contact:
    """Raises ToolFault with what is missing or wrong."""
    mail = _MAIL.search(text)
    rest = text.replace(mail[0], " ") if mail else text
    if not mail and "@" in rest:
        raise ToolFault("The email address is not complete; ask the person to say it again, like ann@example.org.")
    phone = _PHONE.search(rest)
    number = re.sub(r"[^\d+]", "", phone[0]) if phone else ""
    if phone and not 7 <= len(number.lstrip("+")) <= 15:
        raise ToolFault(f"{phone[0].strip()} is no whole phone number: it needs 7 to 15 digits; ask the person again.")
    if not mail and not phone:
        raise ToolFault(
            "A phone number or an email address is missing; ask the person, and only if they want to give one."
        )
    rest = rest.replace(phone[0], " ") if phone else rest
    lead = re.search(_LEADS, rest, re.I)
    rest = rest[lead.end() :] if lead else rest
    rest = re.sub(_OTHER, " ", re.sub(r"[^\w' -]", " ", rest), flags=re.I)
    name = " ".join(word for word in rest.split() if re.search(r"[^\W\d_]", word))[:60]
    if not name:
        raise ToolFault("The name is missing; ask the person how they would like to be called.")
    titled = name if any(c.isupper() for c in name) else name.title()
    return Contact(titled, number, mail[0] if mail else "")
