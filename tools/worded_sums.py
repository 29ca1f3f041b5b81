# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Sums as people and small models write them, made into one expression: `17% of 250` is `((17/100)*250)`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from tools.arithmetic import CONSTANTS, FUNCTIONS, UNREADABLE
from tools.desk import ToolFault
from tools.numerals import digits


@dataclass(frozen=True)
class Sum:
    """What is to be worked out: the expression, the unit of the result (`%`), a note on the reading."""

    expression: str
    unit: str = ""
    note: str = ""


_N = r"\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?(?![\w.])"
_PARENS = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
_P = rf"(-?(?:[a-z]+\d*{_PARENS}|{_PARENS}|{_N}|(?:pi|e|tau)\b))"
_S = rf"([$]?(?:[a-z]+\d*{_PARENS}|{_PARENS}|{_N}))"
_ITEM = rf"-?(?:[a-z]+\d*{_PARENS}|{_PARENS}|{_N})%?"
_LIST = rf"((?:{_ITEM})(?:\s*(?:,\s*and\b|,|\band\b|&|;|\bor\b)\s*{_ITEM})+)"
_PC = r"\s*%"

_LISTS = {
    "mean": "average|mean|avg", "sum": "sum up|sum|total up|total|add up|add together|add|plus up", "product": "product", "median": "median",
    "max": "max|maximum|largest|biggest|highest|greater|larger",
    "min": "min|minimum|smallest|lowest|lesser|smaller",
    "gcd": "gcd|gcf|hcf|greatest common (?:divisor|factor|denominator)|highest common factor",
    "lcm": "lcm|(?:least|lowest) common (?:multiple|denominator)", "difference": "difference",
}  # fmt: skip
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_PART = "|".join(_PARTS)


@cache
def _rules() -> list[tuple[re.Pattern[str], str]]:
    rules = [
        (rf"\blog (?:to )?base {_P} (?:of )?{_P}", r"log(\2,\1)"),
        (rf"\blog{_P} base {_P}", r"log(\1,\2)"),
        (rf"\bcube root (?:of )?{_P}|∛\s*{_P}", r"cbrt(\1\2)"),
        (rf"\b(\d+)(?:st|nd|rd|th) root of {_P}", r"root(\2,\1)"),
        (rf"\b(?:square root|sqrt|root|√)\s*(?:of\s+)?(?:the\s+)?(?!\(){_S}|√{_P}", r"sqrt(\1\2)"),
        (rf"(?:square root of|√)\s*({_PARENS})", r"sqrt\1"),
        (rf"{_S}\s*(?:\b(?:raised )?to (?:the )?(\d+)(?:st|nd|rd|th)(?: power)?\b)", r"(\1**\2)"),
        (rf"{_S}\s*(?:raised )?to (?:the )?power (?:of )?{_P}|{_S} raised to {_P}", r"(\1\3**\2\4)"),
        (rf"{_S}\s*(?:to the )?squared\b|\b(?:the )?square of {_S}", r"(\1\2**2)"),
        (rf"{_S}\s*cubed\b|\b(?:the )?cube of {_S}", r"(\1\2**3)"),
        (rf"{_S}\s*factorial\b|\b(?:the )?factorial of {_S}|{_S}\s*!", r"factorial(\1\2\3)"),
        (rf"\b{_S} choose {_S}", r"comb(\1,\2)"),
        (rf"\b(sin|cos|tan)e?\s*(?:of )?\(?\s*({_N})\s*(?:degrees?|deg|°)\s*\)?", r"\1(radians(\2))"),
        (rf"\b(sin|cos|tan|ln|log|log2|log10|exp|abs) (?:of )?(?!\(){_S}", r"\1(\2)"),
        (rf"\b(?:natural log|natural logarithm) (?:of )?{_S}", r"ln(\1)"),
        (rf"\b(?:the )?absolute value of {_P}", r"abs(\1)"),
        (rf"\bround(?:ed)? {_P} (?:to|off to) (\d+) (?:decimals?|decimal places|places|dp)\b",
         r"round(\1,\2)"),
        (rf"\bround(?:ed)? {_P} to (?:the )?(?:nearest )?(?:whole number|integer|whole)\b", r"round(\1)"),
        (rf"\bround(?:ed)? {_P} (?:up |down |off )?to (?:the )?nearest ({_N})", r"(round(\1/\2)*\2)"),
        (rf"\bremainder (?:of|when|if) (?:you )?(?:divide )?{_P} (?:is )?(?:divided )?by {_P}", r"(\1%\2)"),
        # Percentages
        (rf"{_P}{_PC} (?:off|discount on|discount off|reduction on|less than)(?: of)? {_P}",
         r"(\2*(1-\1/100))"),
        (rf"{_P} (?:with|at|after|and) (?:an? )?{_P}{_PC} (?:off|discount|reduction)", r"(\1*(1-\2/100))"),
        (rf"{_P}{_PC} more than {_P}", r"(\2*(1+\1/100))"),
        (rf"\b(?:add|increase by) {_P}{_PC} to {_P}", r"(\2*(1+\1/100))"),
        (rf"\b(?:subtract|take|deduct) {_P}{_PC} (?:off |away )?from {_P}", r"(\2*(1-\1/100))"),
        (rf"\b(?:increase|raise) {_P} by {_P}{_PC}", r"(\1*(1+\2/100))"),
        (rf"\b(?:decrease|reduce|lower) {_P} by {_P}{_PC}", r"(\1*(1-\2/100))"),
        (rf"{_P} (?:is |was )?(?:increased|raised|grown|up) by {_P}{_PC}", r"(\1*(1+\2/100))"),
        (rf"{_P} (?:is |was )?(?:decreased|reduced|lowered|discounted|down) by {_P}{_PC}",
         r"(\1*(1-\2/100))"),
        (rf"{_P} (?:euros? |dollars? )?(?:plus|with|including) (?:an? )?{_P}{_PC} (?:tip|tax|vat|interest|markup)\b",
         r"(\1*(1+\2/100))"),
        (rf"{_P}{_PC} (?:(?:tip|tax|vat|interest|gratuity|commission) )?(?:of|on|for|from)"
         rf" (?:an? )?(?:bill of |total of )?{_P}", r"((\1/100)*\2)"),
        (rf"\b(?:tip|tax|vat|interest|commission|discount) of {_P}{_PC} (?:on|of|for) {_P}",
         r"((\1/100)*\2)"),
        # Parts and multiples
        (rf"\b(?:twice|double|two times) {_P}", r"(2*\1)"),
        (rf"\b(?:triple|thrice) {_P}", r"(3*\1)"),
        (rf"{_P} doubled\b", r"(2*\1)"),
        (rf"\b(\d+)\s*/\s*(\d+) of {_P}", r"((\1/\2)*\3)"),
        (r"(?<![\d.)])(\d+) (\d+)/(\d+)(?![\d.])", r"(\1+\2/\3)"),
        # Verbs
        (rf"\b(?:take|knock|shave|cut) (?:away )?{_P} (?:off(?: of)?|away from|out of) {_P}", r"(\2-\1)"),
        (rf"\b(?:subtract|take|minus) {_P} from {_P}(?:,? what(?:'s| is) left)?", r"(\2-\1)"),
        (rf"\b(?:subtract|take|deduct) {_P} and {_P} from {_P}", r"(\3-\1-\2)"),
        (rf"\b(?:how many times|how often) (?:does|do|will|can) {_P} (?:go|fit|goes) in(?:to)? {_P}", r"(\2/\1)"),
        (rf"^{_P} in(?:to)? {_P} (?:goes|go)(?: how many times)?$", r"(\2/\1)"),
        (rf"^(.+?),? (?:and |and then |then )add {_P}$", r"(\1)+\2"),
        (rf"^(.+?),? (?:and |and then |then )(?:subtract|take away|take off|deduct) {_P}$", r"(\1)-\2"),
        (rf"^(.+?),? (?:and |and then |then )(?:multiply|times)(?: (?:it|that|this|the result))?(?: by)? {_P}$", r"(\1)*\2"),
        (rf"^(.+?),? (?:and |and then |then )divide(?: (?:it|that|this|the result))? by {_P}$", r"(\1)/\2"),
        (rf"^(?:start with|take) {_P}$", r"\1"),
        (rf"\badd {_P} (?:and|to|with|,) {_P}", r"(\1+\2)"),
        (rf"\b(?:subtract|take|deduct)(?: away| off)? {_P} (?:away )?from {_P}", r"(\2-\1)"),
        (rf"\bsubtract {_P} (?:and|,|minus) {_P}", r"(\1-\2)"),
        (rf"\bmultiply {_P} (?:by|and|with|times|,) {_P}", r"(\1*\2)"),
        (rf"\b(?:divide|split|share) {_P} (?:by|between|among|amongst|into|over|,) {_P}", r"(\1/\2)"),
        (rf"{_P} (?:split|shared|divided) (?:evenly |equally )?(?:between|among|amongst|into) {_P}",
         r"(\1/\2)"),
        (rf"{_P} split {_P} ways", r"(\1/\2)"),
        (rf"\bratio of {_P} (?:to|and) {_P}|\bquotient of {_P} and {_P}", r"(\1\3/\2\4)"),
        (rf"{_P} (?:more|greater|higher) than {_P}", r"(\2+\1)"),
        (rf"{_P} (?:less|fewer) than {_P}", r"(\2-\1)"),
        (rf"{_P} (?:[a-z]+ )?(?:at|for|@) {_P} (?:each|apiece|per \w+)", r"(\1*\2)"),
        # Words between numbers
        (r"\b(?:multiplied by|multiplied with|times)\b", "*"),
        (r"\b(?:divided by|over)\b", "/"),
        (r"\b(?:increased by|added to)\b|\bplus\b|\badd\b", "+"),
        (r"\b(?:decreased by|reduced by|take away|taking away)\b|\bminus\b|\bsubtract\b", "-"),
        (r"\b(?:modulo|modulus|mod)\b", " % "),
        (r"\b(?:raised to|to the power)\b", "**"),
        (r"(?<=[\d)])\s*(?:\bx\b|(?<=\d)x(?=\d)|\bby\b)\s*(?=[\d(-])", "*"),
    ]  # fmt: skip
    return [(re.compile(pattern), replacement) for pattern, replacement in rules]


_NOISE = re.compile(
    r"\b(?:the|an?|please|exactly|equals?|equal to|is|dollars?|euros?|usd|eur|gbp|bucks?|quid|all|people|persons?|"
    r"friends?|result|answer|value|together|evenly|equally|each|whole|number|of|numbers|bill|price|meal|order)"
    r"\b|[$€£¥₹]"
)
_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?|[a-z_]+\d*|//|\*\*|[-+*/%(),]|\[|\])")


def read_sum(text: str) -> Sum:
    """`text` (one line, lower case, no courtesies) as a Sum. Raises ToolFault naming what cannot be read."""
    text = re.sub(
        r"^gimme |^what (?:would|will|does) (?=.+ come to$)| come to$"
        r"|^i(?: (?:need|want|would like)|'d like) (?:to know )?(?:what )?(?:the )?"
        r"|^what (?:does|do) (?=.+ (?:make|equal|come to)$)|^do (?=[\d(-])|^what (?=.+ (?:is|makes|equals|comes to)$)"
        r"|^(?:what|how much) (?:do|would|will) (?:you|i|we) get (?:when|if) (?:you|i|we) "
        r"|^if (?:you|i|we) (?=[a-z]+ \d)"
        r"|(?<=[\d)]) (?:makes?|equals?|is|comes? to)$|,? (?:is|are|makes?|equals?|comes to) (?:how much|what)$"
        r"|,? (?:what|how much) (?:do|would|will) (?:you|i|we) get$", "", text
    )  # fmt: skip
    text = _grouped(_one_side(digits(_before_words(text))))
    asked = _percentage_asked(text)
    if asked:
        return Sum(_expression(asked), "%")
    note = ""
    added = re.fullmatch(rf"(.+?)\s*(\+|-|\bplus\b|\bminus\b)\s*({_N}){_PC}", text)
    if added and not re.search(r"%|\b(?:sum|add|average|mean|what)\b", added[1]):
        sign = {"plus": "+", "minus": "-"}.get(added[2], added[2])
        text = f"({added[1]}) * (1 {sign} {added[3]}/100)"
        note = f"{added[3]}% of it {'added' if sign == '+' else 'taken off'}"
    elif re.search(r"\b(?:sin|cos|tan)\b", text) and not re.search(r"pi\b|π|deg|rad|°", text):
        note = "angle in radians"
    return Sum(_expression(text), note=note)


def _before_words(text: str) -> str:
    """Signs and spellings that would be misread as words or numbers."""
    text = text.replace("π", " pi ").replace("per cent", "%").replace("**", "^").replace("math.", "")
    text = re.sub(r"\b(?:percentage points?|percents?|pct)\b", "%", text)
    text = re.sub(r"(?:\bwhat|\bwhich) (?:%|percentage)|\bhow many (?:%|percent)", "what percent", text)
    text = re.sub(rf"\b(?:one|an?) ({_PART}) of\b", lambda m: f"1/{_PARTS[m[1]]} of", text)
    text = re.sub(r"\bhalf (?:of )?(?=[\d(]|an?\b|\w)", "1/2 of ", text)
    text = re.sub(
        rf"\b(one|two|three|four|five|six|seven|nine|\d) ({_PART})s? of\b",
        lambda m: f"{digits(m[1])}/{_PARTS[m[2]]} of", text,
    )  # fmt: skip
    ordinals = "|".join(_ORDINALS)
    text = re.sub(rf"\b({ordinals}) (root|power)\b", lambda m: f"{_ORDINALS[m[1]]}th {m[2]}", text)
    return re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)k\b", lambda m: f"({m[1]}*1000)", text)


def _one_side(text: str) -> str:
    """The side of an equation that is to be worked out."""
    text = re.sub(r"^(?:print|eval)\s*\((.*)\)$", r"\1", text)
    sides = [side.strip(" ?") for side in re.split(r"(?<![<>=!])=+(?!=)", text)]
    if len(sides) == 1:
        return text
    left, right = sides[0], sides[1]
    if re.fullmatch(r"(?:[a-z_]\w*(?: \w+)?)?", left) and right:
        return right
    if re.fullmatch(r"(?:what|x|y|answer|result|-?[\d.,]+)?", right) or len(sides) > 2:
        return left
    raise ToolFault("Equations with unknowns cannot be solved here; give one sum, for example (11 - 3) / 2.")


def _grouped(text: str) -> str:
    """Thousands separators out, decimal commas to points; commas between the items of a list stay."""
    listed = re.search(rf"\b(?:{'|'.join(_LISTS.values())}|round|log|root|pow|comb)\b|\[", text)
    if listed and not re.search(r", |\band\b|;", text):
        return re.sub(r",", ", ", text)
    european = r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+),(\d+)(?![\d,])"
    text = re.sub(european, lambda m: f"{m[1].replace('.', '')}.{m[2]}", text)
    text = re.sub(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])", lambda m: m[0].replace(",", ""), text)
    text = re.sub(r"(?<=\d)[_'](?=\d{3})", "", text)
    text = re.sub(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d,./])", lambda m: m[0].replace(" ", ""), text)
    if not listed:
        text = re.sub(r"(?<![\d.,])(\d+),(\d{1,2})(?![\d,])", r"\1.\2", text)
    return re.sub(r"(?<![\d\w.])\.(?=\d)", "0.", text)


def _percentage_asked(text: str) -> str | None:
    """The expression for a question whose answer is a percentage."""
    share, change = r"(?:%|percentage|percent)", r"(?:change|increase|decrease|difference|growth|drop)"
    text = _NOISE_IN_PERCENT.sub(" ", text)
    text = " ".join(text.split())
    questions = [
        (rf"what percent of {_P} (?:is )?{_P}", r"(\2)/(\1)*100"),
        (rf"{_P} (?:is )?what percent of {_P}", r"(\1)/(\2)*100"),
        (rf"what percent (?:is )?{_P} (?:out )?of {_P}", r"(\1)/(\2)*100"),
        (rf"{_P} (?:out of|of) {_P} (?:as|in) (?:an? )?{share}", r"(\1)/(\2)*100"),
        (rf"{_P}\s*/\s*{_P} (?:as|in) (?:an? )?{share}", r"(\1)/(\2)*100"),
        (rf"{_P} as (?:an? )?{share} of {_P}", r"(\1)/(\2)*100"),
        (rf"{share} {change}(?: from| between)? {_P} (?:to|and) {_P}",
         r"((\2)-(\1))/(\1)*100"),
        (rf"{change} from {_P} to {_P} (?:as|in) (?:an? )?{share}",
         r"((\2)-(\1))/(\1)*100"),
    ]  # fmt: skip
    for pattern, expression in questions:
        found = re.fullmatch(pattern, text)
        if found:
            return found.expand(expression)
    return None


_NOISE_IN_PERCENT = re.compile(r"[$€£]|\b(?:the|number)\b")


def _expression(text: str) -> str:
    """`text` as a Python-style expression of numbers, signs and known functions."""
    text = re.sub(r"[$€£¥₹]\s*(?=[\d.(])", "", text.replace("^", " ** "))
    text = re.sub(r"\bthe (?=\w)", "", text)
    for _ in range(8):
        before = text
        text = _lists(text)
        for pattern, replacement in _rules():
            text = pattern.sub(replacement, text)
        if text == before:
            break
    text = re.sub(r"(?<=[\d)])\s*%(?!\s*[\d(a-z])", "/100", text)
    return _tokens(_without_nouns(_NOISE.sub(" ", text)))


def _lists(text: str) -> str:
    for function, words in _LISTS.items():
        filler = r"(?: value| number)?(?: of| between| from| is)?(?: these)?(?: numbers)?:?"
        pattern = rf"\b(?:{words}){filler} \(?{_LIST}\)?"
        text = re.sub(pattern, lambda m, name=function: f"{name}({_commas(m[1])})", text)  # type: ignore[misc]
        text = re.sub(rf"\b(?:{words})\s*(?=[(\[])", function, text)
    text = re.sub(rf"\baverage(?: of)? (?={_PARENS})", "mean", text)
    return re.sub(r"\b(?:sum|total) of (?=[\d(-])", "", text)


def _commas(items: str) -> str:
    return re.sub(r"\s*(?:,\s*and\b|,|\band\b|&|;|\bor\b)\s*", ",", items)


def _without_nouns(text: str) -> str:
    """Drops the one noun that is counted (`5 apples + 3 apples`); more than one is left to be refused."""
    nouns = re.findall(r"(?<=\d) ?([a-z]{2,})\b(?!\()", text)
    words = {w for w in re.findall(r"[a-z_]+", text) if w not in FUNCTIONS | CONSTANTS}
    if nouns and len({w.rstrip("s") for w in words}) == 1:
        return re.sub(rf"(?<=\d) ?(?:{'|'.join(map(re.escape, set(nouns)))})\b", "", text)
    return text


def _tokens(text: str) -> str:
    """Known tokens only, set apart by spaces, `2(3)` and `2pi` multiplied out. Raises ToolFault otherwise."""
    tokens: list[str] = []
    at = 0
    text = text.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise ToolFault(f'"{text[at:].strip()[:20]}" cannot be read in a calculation; {_HOW}')
        token, at = found[1], found.end()
        if token[0].isalpha() and token not in FUNCTIONS | CONSTANTS:
            raise ToolFault(f'"{token[:30]}" cannot be read in a calculation; {_HOW}')
        if tokens and _multiplied(tokens[-1], token):
            tokens.append("*")
        tokens.append(token)
    if not any(token[0].isdigit() or token in CONSTANTS for token in tokens):
        raise ToolFault(UNREADABLE)
    return re.sub(r"(?<!\S)0+(?=\d)", "", " ".join(tokens))


def _multiplied(before: str, after: str) -> bool:
    """Whether a sign is left out between two tokens."""
    value = before[0].isdigit() or before == ")" or before in CONSTANTS
    opens = after == "(" or after in CONSTANTS or after in FUNCTIONS
    return (value and opens) or (before == ")" and after[0].isdigit())


_HOW = "write numbers and signs, for example 387 * 46 or 17% of 250."
