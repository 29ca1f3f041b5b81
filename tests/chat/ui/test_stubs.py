"""Gradio's components are imported without their stubs, and everything else finds its source as ever."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from chat.ui.stubs import without_stubs


class ComponentMeta(type):
    """As Gradio calls the class of its components."""


def test_only_components_have_no_source_and_only_meanwhile() -> None:
    component = ComponentMeta("Box", (), {"__module__": __name__})
    with without_stubs():
        assert Path(inspect.getfile(Path)).name == "pathlib.py"
        with pytest.raises(OSError):
            inspect.getfile(component)
    assert inspect.getfile(component) == __file__


def test_gradio_still_makes_its_components_by_that_class() -> None:
    from chat.ui import page

    html = vars(page)["gr"].HTML
    assert type(html).__name__ == ComponentMeta.__name__
    assert html.get_component_class_id() and html().change is not None
