"""Chat models behind one short spec: `open_model("embedded", settings)`."""

from minds.models.spec import FORMS, ModelSettings, Role, open_model, parse

__all__ = ["FORMS", "ModelSettings", "Role", "open_model", "parse"]
