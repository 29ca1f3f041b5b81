"""A LangChain tool with typed arguments, whose faults are all ToolFaults of a sentence or two."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any, get_type_hints
from weakref import WeakKeyDictionary

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, GetPydanticSchema, create_model
from pydantic_core.core_schema import literal_schema

from tools.desk import Artifact, ToolFault

log = logging.getLogger(__name__)
CHANGES = "changes"
"""A tag of tools that change something: the calls of a step that has one are acted out in their order."""


def typed_tool(
    name: str,
    description: str,
    answer: Callable[..., tuple[str, Artifact]],
    arguments: type[BaseModel] | None = None,
    *,
    changes: bool = False,
) -> BaseTool:
    """`answer` is called with the arguments by name; anything but a ToolFault becomes one without its inner words.

    arguments: where they are not those of its signature. changes: whether it changes something.
    """

    def run(**values: object) -> tuple[str, Artifact]:
        try:
            return answer(**values)
        except ToolFault:
            raise
        except Exception as error:  # a library's own: none may pass as it is
            log.warning("%s could not answer", name, exc_info=True)
            raise ToolFault(f"The {name} tool could not work this out; ask for it in a simpler way.") from error

    return StructuredTool(
        name=name,
        description=description,
        func=run,
        args_schema=arguments or model_of(name, answer),
        response_format="content_and_artifact",
        tags=[CHANGES] if changes else None,
    )


_MODELS: dict[object, type[BaseModel]] = {}
_OFFERED: WeakKeyDictionary[type, dict[tuple[str, str], dict[str, Any]]] = WeakKeyDictionary()


def model_of(name: str, function: Callable[..., object], base: type[BaseModel] | None = None) -> type[BaseModel]:
    """A model that takes what the function takes. Made once of the same code, as tools are made anew for each run."""
    bare: Any = function.func if isinstance(function, partial) else function
    given = frozenset(function.keywords) if isinstance(function, partial) else None
    key = (name, base, given, getattr(bare, "__code__", bare), getattr(bare, "__defaults__", None))
    if key not in _MODELS:
        _MODELS[key] = create_model(name, __base__=base, **parameters(function))
    return _MODELS[key]


def offered(tool: BaseTool) -> Mapping[str, Any]:
    """The tool as OpenAI's protocol has it: worked out once for the same words and model of arguments."""
    from langchain_core.utils.function_calling import convert_to_openai_tool

    if not isinstance(model := tool.args_schema, type):
        return convert_to_openai_tool(tool)
    known, key = _OFFERED.setdefault(model, {}), (tool.name, tool.description)
    if key not in known:
        known[key] = convert_to_openai_tool(tool)
    return known[key]


def parameters(function: Callable[..., object]) -> dict[str, Any]:
    """The fields of a model that takes what the function takes: each annotation with its default."""
    whole, given = (function.func, function.keywords) if isinstance(function, partial) else (function, {})
    hints = get_type_hints(whole, include_extras=True)
    taken = [one for name, one in signature(function).parameters.items() if name not in given]
    return {one.name: (hints[one.name], ... if one.default is one.empty else one.default) for one in taken}


def one_of(names: Iterable[str]) -> Any:
    """In `Annotated[str, one_of(names)]`: a text that is one of these, as a Literal is of names that are data."""
    known = literal_schema(list(names))
    return GetPydanticSchema(lambda _, __: known)


Choices = Mapping[str, Sequence[object]]


def narrowed(tool: BaseTool, choices: Choices) -> tuple[dict[str, Any], list[str]] | None:
    """The tool's arguments as a grammar can hold a model to them, with those that must be there.

    choices: what an argument of that name can be, or each of a list of them (`homes` are chosen among `home`). An
    argument without a choice is left out; None where the tool cannot do without it.
    """
    schema = offered(tool)["function"]["parameters"]
    held = {name: _held(name, field, choices) for name, field in schema["properties"].items()}
    needed = list(schema.get("required", ()))
    return ({name: field for name, field in held.items() if field}, needed) if all(map(held.get, needed)) else None


def _held(name: str, field: Mapping[str, Any], choices: Choices) -> dict[str, Any]:
    """Of one type, without bounds; {} where there is no choice."""
    field = next((one for one in field.get("anyOf", ()) if one["type"] != "null"), field)
    if field.get("type") == "array":
        items = _held(name.removesuffix("s"), field["items"], choices)
        return {"type": "array", "minItems": field.get("minItems", 1), "maxItems": 4, "items": items} if items else {}
    if name in choices:
        return {"enum": [*choices[name]]} if choices[name] else {}
    return {key: value for key, value in field.items() if key in ("type", "enum", "const")}
