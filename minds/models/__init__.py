"""Chat models behind one short spec: `open_model("embedded", settings)`. The one place that knows all backends, each
imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minds.models.spec import FORMS, ModelSettings, Role, parse

if TYPE_CHECKING:
    from minds.models.language import LanguageModel

__all__ = ["FORMS", "ModelSettings", "Role", "open_model", "parse"]


def open_model(spec: str, settings: ModelSettings, role: Role = "fast") -> LanguageModel:
    """The model that `spec` names; nothing is loaded or contacted before its first use.

    `role` matters to embedded models alone: both minds share one server, each with a prefix cache of its own,
    and calls of the fast one go first. Raises BadSpec, and Missing or Refused where a runtime or key is not there.
    """
    parsed = parse(spec)
    if parsed.kind in ("embedded", "gguf"):
        from minds.models.embedded import open_embedded

        return open_embedded(parsed, settings, role)
    if parsed.kind == "openai":
        from minds.models.endpoint import open_endpoint

        return open_endpoint(parsed, settings)
    if parsed.kind == "langchain":
        from minds.models.through_langchain import open_langchain

        return open_langchain(parsed, settings)
    from minds.models.hf import open_hf

    return open_hf(parsed, settings)
