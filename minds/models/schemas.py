"""What a server takes of a JSON schema in OpenAI's strict mode."""

from __future__ import annotations

from typing import Any

LENGTHS = frozenset({"minLength", "maxLength"})


def is_strict(schema: object) -> bool:
    """Strict mode takes only schemas whose objects are closed and need all their properties."""
    if isinstance(schema, list):
        return all(is_strict(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", ())) != set(schema.get("properties", {}))
    ):
        return False
    return all(is_strict(part) for part in schema.values())


def without_lengths(schema: Any) -> Any:
    """A schema, or a part of one, that does not say how long its texts may be."""
    if isinstance(schema, list):
        return [without_lengths(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    text = schema.get("type") == "string"
    return {key: without_lengths(part) for key, part in schema.items() if not (text and key in LENGTHS)}
