"""Contact details, left voluntarily: checked, read back to the person, and stored only after their yes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import Field

from tools.desk import Desk, ToolFault
from tools.ledger import Consent, Findings, Ledger, Proposal

KIND = "contact"
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


class Contact(Consent):
    """What `leave_contact` takes: a name with at least one way to reach the person."""

    name: str = Field("", max_length=60)
    phone: str = Field("", max_length=40)
    email: str = Field("", max_length=100)


@dataclass(frozen=True)
class Contacts:
    """What people left, as one run sees it."""

    desk: Desk
    ledger: Ledger

    def checked(self, name: str, phone: str, email: str) -> tuple[Mapping[str, str], str, str]:
        """What is to be stored. Raises ToolFault with what is missing or wrong."""
        number = re.sub(r"[^\d+]", "", phone)
        if email and not _MAIL.fullmatch(email.strip()):
            raise ToolFault("The email address is not complete; ask the person to say it again, like ann@example.org.")
        if phone and not 7 <= len(number.lstrip("+")) <= 15:
            raise ToolFault(f"{phone} is no whole phone number: it needs 7 to 15 digits; ask the person again.")
        if not email and not phone:
            raise ToolFault("May I have a phone number or an email address? It is used for nothing else.")
        if not name.strip():
            raise ToolFault("Thank you. What name may I put with it?")
        details = {"name": " ".join(name.split()), "phone": number, "email": email.strip()}
        ways = ", ".join([details["name"], *(f"{way} {details[way]}" for way in ("phone", "email") if details[way])])
        return details, f"contact details: {ways}", f"Shall I store {ways}, so that an agent can get in touch?"

    def store(self, proposal: Proposal) -> tuple[str, Findings]:
        """Once."""
        depends = {"session": self.ledger.session}
        change = self.ledger.carry_out(proposal, KIND, f"{self.ledger.session} {proposal.code}", self.desk.now)
        if not change:
            return f"These are stored already: {proposal.said}.", {"depends": depends}
        return f"Stored: {proposal.said}. An agent will get in touch.", {"depends": depends, "changes": [change]}
