from __future__ import annotations

import time

import pytest

from chat.ui.markup import MARKDOWN_LIMIT, markdown
from chat.ui.maths import formula


@pytest.mark.parametrize(
    "text",
    [
        "so $x_1 * y_2 * z$ it is", r"so \(x_1\) it is", r"so \[x_1\] it is", "so $$x_1$$ it is", "$x$ is 5",
        "so\n\\[\nx\n- y_1\n\\],\nthen", "$$\nx_1\n$$", "- a\n  \\[ x_1 \\]", "> $$\n> x\n> $$", "**$x$**",
        "| $x$ |\n|-|", "函数$x_1$在", "함수 $x_1$는", "و$x_1$في",
        "\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}",
    ],
)  # fmt: skip
def test_formulas_are_found_wherever_models_write_them(text: str) -> None:
    html = markdown(text)
    assert html.count("<math ") == 1 and "<em>" not in html and "<code" not in html


@pytest.mark.parametrize(
    "text",
    [
        "`$x$`", "```\n$$\nx\n$$\n\\[y\\]\n```", "it costs $5 and $10", "between $20–$30 or US$5 and US$7",
        r"\$x\$", "from $5 a month to 7 A$", "$ 5 and 6 $", "a $b without an end", r"\\(x\\)", "$$ nothing",
        r"\[ nothing", "价格从$5到$10", "从5$到10$",
        "    $$\n    x\n    $$", "$a `b$ c`",
    ],
)  # fmt: skip
def test_money_and_code_are_no_formulas(text: str) -> None:
    assert "<math" not in markdown(text)


@pytest.mark.parametrize(
    "tex",
    [r"\frac{", "}}{", r"\unheardof{x}", r"\ce{H2O}", "{" * 3000, r"\sqrt{" * 900 + "}" * 900, "x" * 5000, "x^1^2"],
)
def test_what_cannot_be_drawn_is_shown_as_it_was_written(tex: str) -> None:
    assert formula(tex, display=False) == ""
    if len(tex) < 100:
        assert f'<code class="tex">\\({tex}\\)</code>' in markdown(rf"\({tex}\)")


@pytest.mark.parametrize(
    "tex",
    [
        r"\begin{pmatrix}a & b\\c & d\end{pmatrix}^{-1}", r"\begin{aligned}a&=b\\&=c\end{aligned}", r"a = b \\ c = d",
        r"\begin{gather*}a\\c\end{gather*}", r"\begin{alignat}{2}a&=b\end{alignat}", r"\bm{x} \tfrac12 \lVert x\rVert",
        r"\begin{equation}a=b \label{eq:one}\end{equation}", r"\begin{cases}1 & x>0\\0 & \text{else}\end{cases}",
    ],
)  # fmt: skip
def test_what_models_like_to_write_is_drawn(tex: str) -> None:
    html = formula(tex, display=True)
    assert html.startswith('<math display="block">') and "&amp;" not in html and "(1)" not in html


def test_matrices_bear_indices_as_a_whole() -> None:
    assert "<msup><mrow><mo>(</mo>" in formula(r"\begin{pmatrix}a\end{pmatrix}^2", display=True)


def test_nothing_but_drawing_is_let_through() -> None:
    html = formula(r"\href{javascript:x}{a} \style{color:red}{b} \class{reply}{c} \text{<b>d}", display=False)
    assert "href" not in html and "style" not in html and "class" not in html and "<b>" not in html
    assert "&lt;b&gt;d" in html


@pytest.mark.parametrize(
    "begun", [r"so \( x_1 *a* + y_2 *b*", "so\n\n$$\nx_1 *a*", "so\n\\[\nx_1 *a*", "- so\n  $$ x *a*"]
)
def test_a_formula_that_is_being_written_is_shown_as_it_comes(begun: str) -> None:
    html = markdown(begun, coming=True)
    assert '<code class="tex">' in html and "<em>" not in html
    assert '<code class="tex">' not in markdown(begun)


@pytest.mark.slow
@pytest.mark.parametrize("piece", [r"\(", "$$a\n", "\\(\\\\)", "$a ", "\\[\n", "> $$a\n", "- \\[a\n", "$\n", "[$"])
def test_no_text_keeps_the_server_busy(piece: str) -> None:
    began = time.process_time()
    markdown((piece * MARKDOWN_LIMIT)[:MARKDOWN_LIMIT])
    assert time.process_time() - began < 15
