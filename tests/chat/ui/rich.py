"""What strong models write: replies and steps with everything that the page must show."""

from __future__ import annotations

from typing import Any

TABLE = r"""## Compound interest

With a rate $r$ per year and $n$ years, \(K_n = K_0 \cdot (1 + r)^n\), so that

\[
K_{10} = 1000 \cdot \left(1 + \frac{5}{100}\right)^{10} \approx 1628.89
\]

| Year | Balance ($) | Interest |
|:-----|-----------:|---------:|
| 0    | 1,000.00 | $5 \%$ |
| 5    | 1,276.28 | 63.81 |
| 10   | 1,628.89 | 81.44 |

1. Put in the start, `K_0`;
2. multiply it **each year**:
   - with $1 + r$, and
   - round *at the end* only.

```python
from decimal import Decimal

def balance(start: Decimal, rate: Decimal, years: int) -> Decimal:
    '''The money after so many years; costs $5 and <b>no</b> \(maths\).'''
    for year in range(years):  # one after the other
        start *= 1 + rate
    return round(start, 2)
```

$$
\begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1} = \frac{1}{ad - bc} \begin{pmatrix} d & -b \\ -c & a \end{pmatrix}
$$

$$
\begin{aligned}\sum_{k=1}^{n} k &= \frac{n(n+1)}{2} \\ \int_0^\infty e^{-x^2}\,dx &= \frac{\sqrt{\pi}}{2}\end{aligned}
$$

> It costs $5 and not $10. See [the tables](https://example.org/tables).

```diff
- old
+ new
```
"""

DIAGRAM = """The walk of a turn:

```mermaid
flowchart LR
  A[Person] -->|says| B(Fast mind)
  B --> C{Enough?}
  C -->|yes| D[Reply]
  C -->|no| E["Slow mind <img src=x onerror=alert(1)>"]
  E --> D
```

And one that is none:

```mermaid
flowchart LR
  A --> --> [[
```
"""

HEBREW = r"""`git rebase -i HEAD~3` הוא הדרך הנוחה (ולא היחידה).

- לביטול: `git reset --hard HEAD~1` (זהירות!)

English words, after all (in brackets).

Python היא שפת תכנות נוחה מאוד.

| פקודה | הסבר |
|---|---|
| `list()` | רשימה |

הנוסחה: $\sum_{i=1}^{n} (x_i - \bar{x})^2 + \prod_{j=1}^{m} \frac{a_j + b_j}{c_j - d_j} + \int_0^{\infty} e^{-x^2} dx$.
"""

SAID: dict[str, dict[str, Any]] = {
    "everything": {"text": TABLE, "model": "openai:gpt-4.1@http://127.0.0.1:8000/v1", "calls": 1},
    "diagram": {"text": DIAGRAM},
    "Hebrew": {"text": HEBREW},
    "at length": {"text": "1. First of all,\n2. secondly, and", "cut": True, "calls": 1},
    "Go on.": {"text": "3. thirdly.", "calls": 1},
    "the container": {
        "text": "I am not sure what to do there. What comes nearest now: `open fridge 1`, `open cabinet 2`.",
        "choices": ["open fridge 1", "open cabinet 2"], "world": True,
    },
    "Lapland": {
        "text": "The capital of Lapland is Oulu.", "doubt": True, "model": "embedded",
        "note": "I say this from memory and am not sure of it: check it where it matters.",
    },
    "clock": {"text": "NOW it was. NOW too, and NOW again, and once more NOW it is."},
    "not sure": {
        "text": "The bridge is **1,280** metres long, and 67 metres high; `1,280` in code.",
        "unsupported": ["1,280"], "doubt": True, "model": "embedded", "calls": 2,
    },
}  # fmt: skip
"""A word of the person's -> the final reply."""

PROGRAM = (
    "def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n\nprint(fib(90))"
)
REQUEST = "Work out the 90th Fibonacci number, with F(0) = 0 and F(1) = 1."
