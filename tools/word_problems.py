# ruff: noqa: E501  (one wording a line reads better than folded ones)
"""Everyday sums told in sentences: `Beans are 13.80 a bag. What do 9 bags come to?` is `9 * 13.80`.

Each row of the table is one wording that fixes the sum beyond doubt. Every figure must have its place in the
wording, and a word that can change a sum (`half`, `without`, `each`) is never skipped: a row names it, or refuses.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from tools.numerals import digits


class Problem(NamedTuple):
    """What is to be worked out, and the unit behind the result (`%`, ` miles per hour`, or nothing)."""

    expression: str
    unit: str = ""
    whole: bool = False
    """Only a whole number answers it: how many days, boxes, teams."""


class Wording(NamedTuple):
    """A wording, with the sum in the names of its figures.

    `#n` is a figure, `@w` a word (`@w2` must be the same word, singular or plural), `a|b` one of several, `_` a space,
    a leading `?` means it may be missing, `<ask>` a group of `_GROUPS`, `~` harmless words, `...` those of a beginning.
    """

    said: str
    sum: str
    unit: str = ""
    whole: bool = False


_GROUPS = {
    "ask": "what|what's|how_much|how_many|whats|what_is",
    "money": "what|what's|how_much|how_much_money",
    "a": "a|an|per|each|the|for_a|for_an|for_each|for_one|every|for_every",
    "one": "a|an|each|every|one|the|my|our|if_a|if_an|if_each|if_one|if_every",
    "is": "is|are|cost|costs|at|sell_for|sells_for",
    "hold": "holds?|has|contains?|have|fits?|seats?|takes|carries|carry|comes_with",
    "each": "each|apiece|a_piece|per_piece|per_item|per_person|every",
    "all": "altogether|in_total|in_all|total|all_together|overall|all_in_all",
    "share": "share|shares|split|splits|divide|divides|sharing|splitting|are_sharing|are_splitting",
    "month": "a_month|per_month|every_month|each_month|monthly|a_month's",
    "week": "a_week|per_week|every_week|each_week|weekly",
    "day": "a_day|per_day|every_day|each_day|daily",
    "year": "a_year|per_year|every_year|each_year|yearly",
    "hour": "an_hour|per_hour|every_hour|hourly",
    "for": "for|after|over|in|within|during|on",
    "left": "left|left_over|remain|remaining|free|empty|available|unsold|to_go|unread|still_free|over",
    "gone": "taken|sold|occupied|reserved|booked|gone|broken|missing|used",
    "spend": "spend|spent|pay|paid|gave_away|used|use|lost|ate|sold|give_away|have_read|read|i've_read|have_spent",
    "kmh": "km_per_h|kmh|kph|km_per_hour|kilomet(?:er|re)s_per_hour|mph|miles_per_hour|kilomet(?:er|re)s_an_hour|"
    "miles_an_hour",
    "span": "years?|months?|weeks?|days?",
    "rise": "rise|rises|rose|increase|increased|increases|go_up|goes_up|went_up|grow|grew|grown|risen|gone_up|change|"
    "changed|raised|climb|climbed|raise",
    "fall": "fall|falls|fell|decrease|decreased|drop|dropped|go_down|goes_down|went_down|gone_down|fallen|shrink|"
    "shrank|lower|lowered|reduced|change|changed",
    "now": "what_does_it_cost|what's_the_price|what_is_the_price|how_much_is_it|how_much_does_it_cost|"
    "what_do_i_pay|how_much_do_i_pay|what's_the_new_price|what_is_the_new_price|what_will_i_pay|how_much_will_i_pay|"
    "what_would_i_pay|what_is_the_sale_price|what's_the_sale_price|what_is_the_final_price|what's_the_final_price",
    "off": "off|discount|reduction|rebate|cheaper",
    "tax": "vat|tax|sales_tax|tip|service|gst|service_charge",
}  # fmt: skip
"""Words that may stand for each other."""

_TABLE = (
    # Plain sums in words
    Wording("... add #r % <tax> to|on|onto #p <ask> ~ total|gross|pay|price|altogether|amount|bill|that|it|cost ?price|amount|bill|altogether|in_total", "{p} * (1 + {r} / 100)"),
    Wording("... #p ?bill|meal|dinner plus|with|and ?a|an #r % <tax> <ask> ~ total|gross|pay|altogether|price|bill ?in_total", "{p} * (1 + {r} / 100)"),
    Wording("?what|how_much|what's ?is|would_be ?a|the #r % <tax> on|of|for ?a|an|the|my|our #p ?dinner|bill|meal|order|lunch|purchase", "{r} / 100 * {p}"),
    Wording("?what|how_much|what's ?is|would_be ?a|an|the <tax> of #r % on|of|for ?a|an|the|my|our #p ?dinner|bill|meal|order|lunch|purchase", "{r} / 100 * {p}"),
    Wording("... from #a to #b ~ by_how_many|by_what|how_many|what % does|did|has|is|was ~ <rise> ~",
            "({b} - {a}) / {a} * 100", "%"),
    Wording("... from #a to #b ~ by_how_many|by_what|how_many|what % does|did|has|is|was ~ <fall> ~",
            "({a} - {b}) / {a} * 100", "%"),
    Wording("... from #a to #b <ask> ~ % increase|rise|change|growth ~", "({b} - {a}) / {a} * 100", "%"),
    Wording("... from #a to #b <ask> ~ % decrease|drop|fall|reduction ~", "({a} - {b}) / {a} * 100", "%"),
    Wording("by_how_many|by_what % does|did|has ~ <rise> ~ from #a to #b", "({b} - {a}) / {a} * 100", "%"),
    Wording("... was #a ?last_month|last_year|last_week|yesterday|before and|but ?it ?is|was|it's ?now #b ?now|this_month|this_year|this_week|today by_how_many|by_what|how_many|what % did|does|has|is ~ <rise> ~", "({b} - {a}) / {a} * 100", "%"),
    Wording("... <rise> from #a to #b ~ how_many|what % is_that|is_it|was_that", "({b} - {a}) / {a} * 100", "%"),
    Wording("... was #a and|but ?it ?is|costs ?now #b what|how_much|how_many ?is|big ~ % ~", "abs({b} - {a}) / {a} * 100", "%"),
    Wording("... was #a and|but ?it ?is|costs ?now #b what|how_much|how_big is|was ?the discount|reduction|saving|drop in %", "({a} - {b}) / {a} * 100", "%"),
    Wording("... bill|meal|dinner|lunch|order|total|it is|was|comes_to|costs #p ~ and|plus|with i|we ?want|would_like|give|leave|add ?to ?leave|add|give ?a|an #r % <tax> <ask> ~ total|pay|altogether|all|that|it", "{p} * (1 + {r} / 100)"),
    Wording("... salary|rent|wage|price|pay|fee|income|pension of|is|at|was #p ~ <rise> ?by #r % <ask> ~ it|be|then|now|get|pay|earn|cost|price|salary|rent ?be|then|now", "{p} * (1 + {r} / 100)"),
    # Prices
    Wording("<ask> do|would|will|does|did #n @u at|for #p <each> <costs>", "{n} * {p}"),
    Wording("how_much|what do|did|will|would i|we pay|spend for|on #n @u at #p <each>", "{n} * {p}"),
    Wording("... #n kg|kilos?|pounds|grams|lit(?:er|re)s of @x at|for #p <a> kg|kilo|pound|gram|lit(?:er|re) <money> <paid>", "{n} * {p}"),
    Wording("... #n @g of @x costs?|cost #p <money> does|do|would|will #k @g2 ?of_it ?<costs>", "{p} / {n} * {k}"),
    Wording("... bill|it|lunch|dinner|total is|was|of #p and|with|i|i_pay ?i|we ?paid|pay|paid_with|pay_with ?with ?a|an #n ?note|bill how_much|what change ~", "{n} - {p}"),
    Wording("... <is> #p <a> @u <money> do|does|would|will|for|are ?i_pay_for ?the #n @u2 ?<costs>", "{n} * {p}"),
    Wording("... <is> #p <a> @u <money> do|does|would|will ~ pay|cost for #n @u2", "{n} * {p}"),
    Wording("... @u costs|is #p <money> do|does|would|will|are|is|for #n @u2 ?<costs>", "{n} * {p}"),
    Wording("... <a> @u of @x <is> #p ?each <money> do|does|would|will|are|is|for ~ #n @u2 ?<costs>", "{n} * {p}"),
    Wording("... @u costs|is #p <money> do|does|would|will ~ pay for #n @u2", "{n} * {p}"),
    Wording("<money> do|does|would|will|is|are #n ~ <costs> if|when <one> ~ costs|is #p", "{n} * {p}"),
    Wording("... #n @u at|for|costing #p <each> <money> <paid>", "{n} * {p}"),
    Wording("... #n ~ at|for #p <each> and <one> ~ for|at #q <money> <paid>", "{n} * {p} + {q}"),
    Wording("... #n ~ at|for #p <each> and #m ~ at|for #q <each> <money> <paid>", "{n} * {p} + {m} * {q}"),
    Wording("... #n @u costs?|cost #p <money> does|do|would|is #k @u2 ?<costs>", "{p} / {n} * {k}"),
    Wording("... #n @u costs?|cost #p <money> does|do|would|is <each>|an|a|one ?@u2 ?<costs>", "{p} / {n}"),
    Wording("... #p ~ ?and ?is|was|has_been ?now reduced|discounted|marked_down by #r % <now> ?now|after_that|after_the_discount",
            "{p} * (1 - {r} / 100)"),
    Wording("... #p ~ ?and|with|at|but ?is|it's|now|there_is|there's|i_get ?now ?a|an #r % <off> ?on_it|now|today <now> "
            "?now|after_that|after_the_discount|in_the_end", "{p} * (1 - {r} / 100)"),
    Wording("<money> do|will|would i get_back|get ?back|in_change ?change from|on|out_of ?a #n ?note|bill "
            "if_i_pay|when_i_pay|if_i_spend|if_the_bill_is|if_it_costs|for_a_bill_of|when_the_bill_is|if_i_owe #p", "{n} - {p}"),
    Wording("... how_much|what change ~ from|out_of ?a #n ?note|bill if_i_pay|if_i_spend|when_i_spend|if_the_bill_is|"
            "for_a_bill_of|if_it_costs|on #p", "{n} - {p}"),
    Wording("... pay|paid|paying with ?a #n ?note|bill for ~ #p ~ how_much|what change ~", "{n} - {p}"),
    Wording("... #p ~ pay|paid with ?a #n ?note|bill how_much|what ~ change ~", "{n} - {p}"),
    # Sharing
    Wording("... of #n <share> ~ #t ~ <money> ~ each|everyone ~", "{t} / {n}"),
    Wording("#n of_us|friends|people|persons|colleagues|siblings <share> ~ #t ~ <money> ~ each|everyone|every ~", "{t} / {n}"),
    Wording("... #n of_us|friends|people|persons|colleagues <share> ~ #t ~ <money> ~ each|everyone|every ~", "{t} / {n}"),
    Wording("... we|there are #n ?of_us|people|friends|persons ?and|the|with bill|cost|total|price|rent|and_the_bill|the_bill"
            " is|was|comes_to|costs #t <money> ~ each|everyone ~", "{t} / {n}"),
    Wording("... bill|cost|rent|total|price is|was|of|comes_to #t ~ ?and we|there|between|among|amongst|by ?are #n ?of_us|people|"
            "friends|persons|ways <money> ~ each|everyone ~", "{t} / {n}"),
    Wording("... <share> #t ~ among|between|amongst|by|equally_among|evenly_among|equally_between|evenly_between #n ~ "
            "<ask> ~ each ~", "{t} / {n}"),
    Wording("split|share|divide #t ~ among|between|amongst|by|into|equally_among|evenly_among|equally_between|evenly_between|ways #n ?people|friends|persons|ways|children|kids|of_us|parts", "{t} / {n}"),
    # Boxes and rows
    Wording("... <one> ~ @pack <hold> #m @roll i_need|we_need #n @roll2 how_many @pack2 do_i_need|do_we_need|is_that|should_i_buy", "{n} / {m}", whole=True),
    Wording("... there_are|we_have|i_have #n @child and each ?@child2 needs|gets|takes|has|receives #m @thing how_many @thing2 are_needed|do_i_need|do_we_need|is_that|are_there|are_that", "{n} * {m}"),
    Wording("... <one> ~ @box <hold> #m @thing how_many @thing2 ~ <for_in> #n @box2", "{n} * {m}"),
    Wording("... <one> ~ @box <hold> #m @thing how_many @thing2 do|does|can|will|would #n @box2 <hold>|seat|contain", "{n} * {m}"),
    Wording("... how_many @thing <for_in> #n @box of #m ?@thing2 ?each", "{n} * {m}"),
    Wording("... how_many @thing <for_in> #n @box with #m @thing2 ?each", "{n} * {m}"),
    Wording("... #n @box of|with|containing|holding #m @thing ?each how_many @thing2 <exist>", "{n} * {m}"),
    Wording("... #n rows ?of|with #m @thing ?each|per_row|in_each_row ?and #k ?@thing2 are|were|have_been <gone> how_many ~ "
            "are|is|were <left>", "{n} * {m} - {k}"),
    Wording("... #n rows ~ with|of #m @thing ?each how_many @thing2 <exist>", "{n} * {m}"),
    Wording("... #n @row ~ with #m @thing ?each how_many @thing2 <exist>", "{n} * {m}"),
    # So much an hour, a day, a month
    Wording("... #p hours <day> how_many hours ~ in|for|after|over #n days", "{p} * {n}"),
    Wording("... save|need|reach #t ?in_total and|if|i put|save|i_put|i_save|set ?aside #p ?aside <month> how_many months does_it_take|do_i_need|will_it_take|will_i_need|is_that", "{t} / {p}", whole=True),
    Wording("how_many weeks ~ to_save|to_reach|to_have #t if_i_save|if_i_put_aside|saving|when_i_save #p <week>", "{t} / {p}", whole=True),
    Wording("how_many months ~ to_save|to_reach|to_have #t if_i_save|if_i_put_aside|saving|when_i_save #p <month>", "{t} / {p}", whole=True),
    Wording("... #p <hour> and|if|i work|worked|i_work|i_worked|if_i_work|if_i_worked #n hours ?this_week|last_week|today|yesterday|this_month|a_week <money> <earned>", "{n} * {p}"),
    Wording("... #p <hour> <money> <earned> for|in|if_i_work|when_i_work #n hours", "{n} * {p}"),
    Wording("... #p ~ <month> ~ <ask> ~ <for> #n months", "{p} * {n}"),
    Wording("... #p ~ <month> ~ <ask> ~ <for> #n years?", "{p} * 12 * {n}"),
    Wording("... #p ~ <month> ~ <ask> ~ a_year|per_year|in_a_year|after_a_year|for_a_year|one_year", "{p} * 12"),
    Wording("... #p ~ <week> ~ <ask>|how_far ~ <for> #n weeks?", "{p} * {n}"),
    Wording("... #p ~ <day> ~ <ask>|how_far ~ <for> #n days", "{p} * {n}"),
    Wording("... #p ~ <day> ~ <ask>|how_far ~ <for> #n weeks?", "{p} * 7 * {n}"),
    Wording("... #p ~ <day> ~ <ask>|how_far ~ a_week|per_week|in_a_week", "{p} * 7"),
    Wording("... #p <month> plus|and ?an|a|one ?one-off|one-time #f <fee> <money> ~ first_year|a_year|one_year|the_year", "{p} * 12 + {f}"),
    Wording("... #p <month> plus|and ?an|a|one ?one-off|one-time #f <fee> <money> ~ <for> ?the_first #n months", "{p} * {n} + {f}"),
    Wording("... #p @page <day> how_many days ~ #t @page2 ?long", "{t} / {p}", whole=True),
    Wording("... #p <month> how_many months ~ to|until|for|reach ~ #t", "{t} / {p}", whole=True),
    Wording("... #p <week> how_many weeks ~ to|until|for|reach ~ #t", "{t} / {p}", whole=True),
    # Roads, rooms, meters, stocks
    Wording("... #a litres?|liters?|l|kwh per|every|each|on #d km|kilomet(?:er|re)s ~ how_much|how_many ~ <for> ?a|the|my ?trip_of #y "
            "km|kilomet(?:er|re)s ?trip", "{a} * {y} / {d}"),
    Wording("... #d @miles ?in #h hours <ask> ~ average ?speed", "{d} / {h}", " {miles} per hour"),
    Wording("... #v <kmh> how_far ~ <for> #h hours", "{v} * {h}"),
    Wording("... how_far ~ <for> #h hours at #v <kmh>", "{v} * {h}"),
    Wording("... how_long|how_many_hours ~ #d km|kilomet(?:er|re)s at #v km_per_h|kmh|kph|km_per_hour|kilomet(?:er|re)s_per_hour", "{d} / {v}", " hours"),
    Wording("... how_long|how_many_hours ~ #d miles at #v mph|miles_per_hour", "{d} / {v}", " hours"),
    Wording("... #a @m long and|by #b @m2 wide|broad|high|tall <ask> ~ area ~", "{a} * {b}", " square {m}"),
    Wording("... #a ?@m by|x #b @m2 <ask> ~ area ~", "{a} * {b}", " square {m2}"),
    Wording("... #a @m long and|by #b @m2 wide|broad <ask> ~ perimeter ~", "2 * ({a} + {b})", " {m}"),
    Wording("<ask> ?is ?the area of ~ #a @m long and|by #b @m2 wide|broad|high", "{a} * {b}", " square {m}"),
    Wording("... #s @g of ~ and|if each|every|a|one @pizza takes|needs|uses|requires #m @g2 how_much ~ is|will|do|have ~ left ~ after|"
            "for|if_i_make #n @pizza2", "{s} - {n} * {m}", " {g}"),
    Wording("... meter ~ from #a to #b ~ how_many|how_much ~ ?kilowatt_hours|kwh ~ use|used|consume|consumed ~", "{b} - {a}"),
    Wording("... from #a to #b ~ how_many|how_much|how_far ~ did_i|did_we|have_i|have_we use|drive|consume|used|driven", "{b} - {a}"),
    Wording("... #t @page ~ i_have|i've|i|and_i_have|and_i|and_i've|have ~ <spend> #k ?@page2 ?of_them how_many|how_much ~ <left> ?to_read",
            "{t} - {k}"),
    Wording("... had|have #t ?@page and|i|but|then ~ <spend> #k ?@page2 ?of_them how_many|how_much ~ do_i_have|do_we_have|are|is <left>",
            "{t} - {k}"),
    Wording("... for #n people|persons|servings ~ needs?|takes|uses|requires #a @g of @flour how_much|how_many @flour2 ?do_i_need|do_we_need|is_needed|will_i_need|i_need|are_needed for #k people|persons|"
            "servings", "{a} / {n} * {k}", " {g}"),
)  # fmt: skip
_GROUPS |= {
    "costs": "cost|come_to|costs|cost_me|cost_altogether|cost_in_total|come_to_altogether|come_to_in_total|make",
    "paid": "did_i_pay|do_i_pay|is_that|is_it|did_it_cost|does_it_cost|did_we_pay|do_we_pay|do_i_owe|did_i_spend|"
    "did_i_pay_altogether|do_i_pay_altogether|is_that_altogether|is_that_in_total|did_i_spend_altogether|"
    "did_i_pay_in_total|do_i_pay_in_total|is_the_total|does_that_cost|does_that_come_to|did_that_cost|"
    "did_we_pay_altogether|do_i_owe_altogether|does_it_come_to|did_i_spend_in_total|in_total|altogether",
    "for_in": "in|are_in|are_there_in|fit_in|fit_into|do_i_have_in|do_we_have_in|will_fit_in|can_fit_in",
    "exist": "are_there|are_there_in_total|are_there_altogether|are_there_in_all|is_that|do_i_have|do_we_have|is_that_"
    "altogether|is_that_in_total|do_i_have_in_total|do_i_have_altogether|do_we_have_in_total|does_it_have|in_total|altogether",
    "earned": "did_i_make|did_i_earn|do_i_earn|do_i_make|do_i_get|did_i_get|will_i_earn|is_that|will_i_make|is_my_pay|"
    "do_i_get_paid|was_my_pay|am_i_owed|would_i_earn|does_she_earn|does_he_earn|did_she_earn|did_he_earn",
    "fee": "fee|joining_fee|sign-up_fee|signup_fee|setup_fee|registration_fee|activation_fee|deposit|admission_fee|"
    "enrolment_fee|enrollment_fee|booking_fee|starting_fee",
}

_CHANGING = (
    "half|twice|double|doubled|triple|tripled|thrice|quarters?|thirds?|dozens?|except|excluding|including|without|"
    "instead|discount|reduced|reduction|off|cheaper|more|less|fewer|extra|another|additional|additionally|also|plus|"
    "minus|not|no|never|don't|didn't|free|lost|spent|gave|give|away|left|remaining|each|every|per|average|"
    "than|tax|tip|vat|fees?|deposit|shipping|delivery|taken|sold|broken|eaten|ate|missing|share|shares|split|both|"
    "years?|months?|weeks?|days?|hours?|hourly|daily|weekly|monthly|yearly|before|original|originally|save|saved|"
    "difference|older|younger|respectively|or|but|only|if|unless|until|since|how|what|which|who|why|when|cents?|"
    "weighs?|interest|tall|worth|balance|net|rows?|percentage|back|return|returned|used"
)
_HARMLESS = rf"(?:(?!(?:{_CHANGING}|and) )[a-z'-]+ )*?"
_OPENING = r"(?:(?!(?:half|twice|double|triple|dozens?|quarters?|thirds?|without|except|not|no|how|why|who|which) )[a-z'-]+ )*?"
_FIGURE = r"\d+(?:\.\d+)?"
_MONEY = r"(?:us dollars?|dollars?|euros?|eur|usd|gbp|chf|bucks?|quid|francs?|pounds?(?! of\b))"


def read_problem(text: str) -> Problem | None:
    """The sum `text` (one line) tells, where a wording of the table fits all of it; else None."""
    said = _plain(text)
    count = len(re.findall(r"\d+(?:\.\d+)?", said))
    for wording, pattern in _patterns().get(count, ()):
        found = pattern.fullmatch(said)
        if found and _same_words(found.groupdict()):
            words = {name: value for name, value in found.groupdict().items() if value}
            return Problem(wording.sum.format(**words), wording.unit.format(**words), wording.whole)
    return None


def _plain(text: str) -> str:
    """Lower-case words and figures, each with one space behind it: no punctuation, currencies or separators."""
    text = re.sub(r"\b(\w+) (year|month|week|hour|day)s? and a half\b", r"\1.5 \2s", _counted(text.lower()))
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", text)
    text = re.sub(r"\bper ?cent\b|\bpercent(?:age)?s?\b(?! points?)", "%", text)
    text = re.sub(r"[$€£]", " ", re.sub(r"\b([a-z]+)/([a-z]+)\b", r"\1 per \2", text))
    text = re.sub(r"(?<=\d)(?=[a-z%])|(?<=%)(?=[a-z])|(?<=\d)-(?=[a-z])|(?<=\d)(?=%)", " ", text).replace("%", " % ")
    text = re.sub(rf"(?<=\d) {_MONEY}(?![\w-])", " ", re.sub(r"(?<=\d)-(?=[a-z])", " ", text))
    text = re.sub(r"[?!;:,\"]|\.(?!\d)", " ", text)
    text = re.sub(r"^ *(?:hi|hello|hey|ok|okay|please|(?:can|could) you|tell me|so)\b(?! far)", " ", text)
    text = re.sub(r"\b(?:please|thanks|thank you|exactly|roughly)\b", " ", text)
    text = re.sub(r"(?<![\d.] )\b1 (?=[a-z])", "one ", " ".join(text.split()))
    return text + " "


def _counted(text: str) -> str:
    """Number words as digits; `a year and a half` and `half a year` as counted lengths."""
    text = re.sub(r"\b(?:a|an|one) (year|month|week|hour|day) and a half\b", r"1 \1 and a half", text)
    return digits(re.sub(r"\bhalf an? (year|month|week|hour|day)\b", r"0.5 \1s", text))


def _same_words(words: dict[str, str | None]) -> bool:
    pairs = ((word, words.get(name[:-1])) for name, word in words.items() if name.endswith("2"))
    return all(_forms(one) & _forms(other) for one, other in pairs if one and other)


def _forms(word: str) -> set[str]:
    """The word, and what it may be the plural of."""
    endings = (
        ("s", ""),
        ("es", ""),
        ("ies", "y"),
        ("ves", "f"),
        ("people", "person"),
        ("men", "man"),
        ("children", "child"),
    )
    return {word, *(word.removesuffix(end) + one for end, one in endings if word.endswith(end) and len(word) > 2)}


@cache
def _patterns() -> dict[int, list[tuple[Wording, re.Pattern[str]]]]:
    """The table compiled, by the number of figures."""
    table: dict[int, list[tuple[Wording, re.Pattern[str]]]] = {}
    for wording in _TABLE:
        pattern = "".join(map(_piece, wording.said.split(" ")))
        table.setdefault(wording.said.count("#"), []).append((wording, re.compile(pattern)))
    return table


def _piece(token: str) -> str:
    """One token of a wording as a pattern that ends with the space behind it."""
    if token.startswith("?"):
        return f"(?:{_piece(token[1:])})?"
    if token in ("~", "..."):
        return _HARMLESS if token == "~" else _OPENING
    if token[0] == "#":
        return f"(?P<{token[1:]}>{_FIGURE}) "
    if token[0] == "@":
        return f"(?P<{token[1:]}>(?!(?:{_CHANGING}|and) )[a-z'-]+) "
    alternatives = re.sub(r"<(\w+)>", lambda m: _GROUPS[m[1]], token)
    return f"(?:{alternatives.replace('_', ' ')}) "
