"""Chat models behind one short spec: `open_model("embedded", settings)`."""

from minds.models.opening import open_model
from minds.models.spec import FORMS, ModelSettings, Role, parse

__all__ = ["FORMS", "ModelSettings", "Role", "open_model", "parse"]
