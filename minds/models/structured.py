"""Answers that are held to a JSON schema."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable


def is_strict(schema: object) -> bool:
    """OpenAI's strict mode takes only schemas whose objects are closed and need all their properties."""
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


def structured_runnable(chat: BaseChatModel, schema: Any, include_raw: bool) -> Runnable[Any, Any]:
    """LangChain's with_structured_output for chat models that hold their answer to `response_format`."""
    from langchain_core.output_parsers import JsonOutputParser, PydanticOutputParser
    from langchain_core.runnables import RunnableLambda, RunnableMap, RunnablePassthrough
    from langchain_core.utils.function_calling import convert_to_json_schema
    from langchain_core.utils.pydantic import is_basemodel_subclass

    json_schema = convert_to_json_schema(schema)
    wanted = {"name": json_schema.get("title", "reply"), "schema": json_schema}
    asked = chat.bind(
        response_format={"type": "json_schema", "json_schema": wanted},
        ls_structured_output_format={"kwargs": {"method": "json_schema"}, "schema": json_schema},
    )
    is_class = isinstance(schema, type) and is_basemodel_subclass(schema)
    parser: Any = PydanticOutputParser(pydantic_object=schema) if is_class else JsonOutputParser()
    if not include_raw:
        plain: Runnable[Any, Any] = asked | parser
        return plain
    failed = RunnablePassthrough.assign(parsed=lambda _: None)
    raw = RunnableLambda(lambda got: got["raw"])
    parsed = RunnablePassthrough.assign(parsed=raw | parser, parsing_error=lambda _: None)
    both: Runnable[Any, Any] = RunnableMap(raw=asked) | parsed.with_fallbacks([failed], exception_key="parsing_error")
    return both
