"""A LangChain tool with typed arguments, whose faults are all ToolFaults of a sentence or two."""

from __future__ import annotations

import logging
from collections.abc import Callable

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel

from tools.desk import Artifact, ToolFault

log = logging.getLogger(__name__)


def typed_tool(
    name: str, description: str, arguments: type[BaseModel], answer: Callable[..., tuple[str, Artifact]]
) -> BaseTool:
    """`answer` is called with the arguments by name; anything but a ToolFault becomes one without its inner words."""

    def run(**values: object) -> tuple[str, Artifact]:
        try:
            return answer(**values)
        except ToolFault:
            raise
        except Exception as error:  # a library's own: none may pass as it is
            log.warning("%s could not answer", name, exc_info=True)
            raise ToolFault(f"The {name} tool could not work this out; ask for it in a simpler way.") from error

    return StructuredTool(
        name=name, description=description, func=run, args_schema=arguments, response_format="content_and_artifact"
    )
