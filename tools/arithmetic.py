"""Exact, bounded arithmetic on an expression of numbers, signs and known functions, without eval."""

from __future__ import annotations

import ast
import math
import operator
import statistics
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tools.desk import ToolFault

Number = Fraction | float

LARGEST = 5_000
"""Decimal digits of the largest number worked with."""
_WRITTEN_OUT = 60
"""Digits up to which a whole number is shown in full."""


def evaluate(expression: str) -> Number:
    """The value of a Python-style expression. Whole numbers and decimals stay exact, roots where they can.

    Raises ToolFault for what cannot be worked out (division by zero, numbers too large, not a calculation).
    """
    from simpleeval import InvalidExpression, SimpleEval

    evaluator: Any = SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names=_NAMES)
    kept = (ast.Expr, ast.Name, ast.UnaryOp, ast.BinOp, ast.Call)
    evaluator.nodes = {kind: evaluator.nodes[kind] for kind in kept}
    evaluator.nodes[ast.Constant] = lambda node: _literal(expression, node)
    evaluator.nodes[ast.List] = lambda node: [evaluator._eval(item) for item in node.elts]
    try:
        value = evaluator.eval(expression)
    except ZeroDivisionError as error:
        raise ToolFault("Division by zero has no result; change the divisor.") from error
    except (InvalidExpression, SyntaxError, TypeError, AttributeError, RecursionError, MemoryError) as error:
        raise ToolFault(UNREADABLE) from error
    except (ValueError, OverflowError) as error:
        raise ToolFault("This calculation has no real result, or one too large to work out.") from error
    if not isinstance(value, int | float | Fraction):
        raise ToolFault(UNREADABLE)
    return _held(value)


UNREADABLE = "This is no calculation; write numbers and signs, for example 387 * 46 or 17% of 250."


def show(value: Number) -> str:
    """In full where that is short, else rounded: `17802`, `0.3`, `3.333333 (rounded)`, `about 1.07e+301`."""
    if isinstance(value, Fraction) and value.denominator == 1:
        whole = value.numerator
        size = int(abs(whole).bit_length() * math.log10(2))
        if size < _WRITTEN_OUT:
            return str(whole)
        return f"about {Decimal(whole):.6e} ({len(str(abs(whole)))} digits)"
    exact = _terminating(value) if isinstance(value, Fraction) else None
    if exact is not None:
        return exact
    if isinstance(value, float) and abs(value) < 1e-12:
        return "0"
    if isinstance(value, Fraction) and abs(value) >= 10**15:
        return f"about {Decimal(value.numerator) / Decimal(value.denominator):.6e}"
    short = rounded(float(value))
    same = isinstance(value, float) and math.isclose(float(short), value, rel_tol=1e-12)
    return short if same else f"{short} (rounded)"


def rounded(value: float) -> str:
    """Six decimals, or six significant digits below one and in very large figures; no trailing zeros."""
    if value and not 1e-6 <= abs(value) < 1e15:
        return f"{value:.6g}"
    places = 6 if abs(value) >= 1 or not value else 5 - math.floor(math.log10(abs(value)))
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _terminating(value: Fraction) -> str | None:
    """The decimal writing of `value` where it ends within ten places."""
    scaled = value * 10**10
    if scaled.denominator != 1:
        return None
    text = f"{Decimal(scaled.numerator).scaleb(-10):f}"
    return text.rstrip("0").rstrip(".")


def _literal(expression: str, node: ast.Constant) -> Number:
    """A number as it was written: `0.1` is one tenth, not the nearest float."""
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise ToolFault(UNREADABLE)
    if isinstance(node.value, float) and not math.isfinite(node.value):
        raise ToolFault(_TOO_LARGE)
    written = ast.get_source_segment(expression, node) or repr(node.value)
    return Fraction(node.value) if isinstance(node.value, int) else Fraction(written)


_TOO_LARGE = f"The numbers get too large: at most {LARGEST} digits can be worked with."


def _held(value: Any) -> Number:
    """`value` as an exact fraction or a finite float, within bounds."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ToolFault(_TOO_LARGE)
        return value
    exact = Fraction(value)
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) * math.log10(2) > LARGEST:
        raise ToolFault(_TOO_LARGE)
    return exact


def _bounded(function: Callable[..., Any]) -> Callable[..., Number]:
    return lambda *values: _held(function(*values))


def _power(base: Number, exponent: Number) -> Number:
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    if isinstance(exponent, Fraction) and exponent.denominator == 2 and base >= 0:
        return _power(root(base), Fraction(exponent.numerator))
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        return _whole_power(base, exponent.numerator)
    if base < 0:
        raise ToolFault("A negative number has no real root or fractional power.")
    return _near_whole(float(base) ** float(exponent))


def _whole_power(base: Fraction, exponent: int) -> Fraction:
    if base == -1:
        return Fraction(-1 if exponent % 2 else 1)
    if base in (0, 1):
        return Fraction(base or not exponent)
    size = (max(abs(base.numerator), base.denominator).bit_length() - 1) * math.log10(2)
    if size * abs(exponent) > LARGEST:
        raise ToolFault(_TOO_LARGE)
    return base**exponent


def _near_whole(value: float) -> Number:
    """64 to the power of 1/3 is 4, whatever the last bit says."""
    nearest = round(value)
    return Fraction(nearest) if math.isclose(value, nearest, rel_tol=1e-14) else value


def root(value: Number, degree: Number = 2) -> Number:
    """The real root; exact where there is an exact one."""
    if degree == 0:
        raise ZeroDivisionError
    if value < 0:
        if degree % 2 == 1:
            return -root(-value, degree)
        raise ToolFault("A negative number has no real square root.")
    if degree == 2 and isinstance(value, Fraction):
        over, under = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if over * over == value.numerator and under * under == value.denominator:
            return Fraction(over, under)
    return _near_whole(float(value) ** (1 / float(degree)))


def _factorial(value: Number) -> int:
    if value < 0 or value != int(value):
        raise ToolFault("A factorial needs a whole number from 0 up.")
    if value > 1500:
        raise ToolFault(_TOO_LARGE)
    return math.factorial(int(value))


def _whole(values: Iterable[Number]) -> list[int]:
    numbers = _flat(values)
    if any(n != int(n) for n in numbers):
        raise ToolFault("This needs whole numbers.")
    return [int(n) for n in numbers]


def _flat(values: Iterable[Any]) -> list[Any]:
    """Both `mean(3, 5)` and `mean([3, 5])` are meant."""
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    if not flat:
        raise ToolFault(UNREADABLE)
    return flat


def _round(value: Number, places: Number = Fraction(0)) -> Number:
    """Half away from zero, as people round (2.5 is 3)."""
    scale = Fraction(10) ** max(-15, min(15, int(places)))
    scaled = Fraction(value) * scale
    return Fraction(math.floor(abs(scaled) + Fraction(1, 2)) * (1 if scaled >= 0 else -1)) / scale


def _log(value: Number, base: Number = Fraction(10)) -> Number:
    if value <= 0 or base <= 0 or base == 1:
        raise ToolFault("A logarithm needs a number above zero.")
    return _near_whole(_ln(value) / _ln(base)) if base != 10 or isinstance(value, float) else _log10(value)


def _ln(value: Number) -> float:
    if isinstance(value, float):
        return math.log(value)
    return math.log(value.numerator) - math.log(value.denominator)


def _log10(value: Fraction) -> Number:
    return _near_whole(math.log10(value.numerator) - math.log10(value.denominator))


def _product(*values: Any) -> Number:
    result: Number = Fraction(1)
    for value in _flat(values):
        result = _held(result * value)
    return result


def _choose(n: Number, k: Number) -> int:
    many, few = _whole([n, k])
    if not 0 <= few <= many <= 1500:
        raise ToolFault("Combinations need whole numbers with 0 <= k <= n <= 1500.")
    return math.comb(many, few)


_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: _bounded(operator.add), ast.Sub: _bounded(operator.sub), ast.Mult: _bounded(operator.mul),
    ast.Div: _bounded(operator.truediv), ast.FloorDiv: _bounded(operator.floordiv),
    ast.Mod: _bounded(operator.mod), ast.Pow: _power, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip
_NAMES = {"pi": math.pi, "e": math.e, "tau": math.tau}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": root, "cbrt": lambda x: root(x, Fraction(3)), "root": root, "abs": abs, "factorial": _factorial,
    "round": _round, "floor": lambda x: Fraction(math.floor(x)), "ceil": lambda x: Fraction(math.ceil(x)),
    "log": _log, "log10": _log, "log2": lambda x: _log(x, Fraction(2)), "ln": lambda x: _log(x, math.e),
    "exp": lambda x: math.exp(x), "pow": _power,
    "sin": lambda x: math.sin(x), "cos": lambda x: math.cos(x), "tan": lambda x: math.tan(x),
    "asin": lambda x: math.asin(x), "acos": lambda x: math.acos(x), "atan": lambda x: math.atan(x),
    "degrees": lambda x: math.degrees(x), "radians": lambda x: math.radians(x),
    "min": lambda *v: min(_flat(v)), "max": lambda *v: max(_flat(v)), "sum": lambda *v: _held(sum(_flat(v))),
    "mean": lambda *v: _held(sum(_flat(v)) / len(_flat(v))), "median": lambda *v: statistics.median(_flat(v)),
    "product": _product, "difference": lambda a, b: abs(a - b),
    "gcd": lambda *v: Fraction(math.gcd(*_whole(v))), "lcm": lambda *v: _held(math.lcm(*_whole(v))),
    "comb": _choose,
}  # fmt: skip
FUNCTIONS = frozenset(_FUNCTIONS)
CONSTANTS = frozenset(_NAMES)
