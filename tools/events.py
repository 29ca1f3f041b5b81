# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Verbs of stories in which something becomes more or less, as patterns."""

from __future__ import annotations

GAINS = (
    r"gets? on|got on|gets? in|got in|joins?|joined|arrives?|arrived|come(?:s)?(?: in| on)?|came(?: in| on)?|adds?|added|"
    r"buys?|bought|receives?|received|finds?|found|earn(?:s|ed)?|wins?|won|collect(?:s|ed)?|bakes?|baked|picks?|picked|"
    r"gained?|gains|grew|grows?|puts? in|deposit(?:s|ed)?|inherit(?:s|ed)?|borrow(?:s|ed)?|pours? in|board(?:s|ed)?|"
    r"hatched|born|return(?:s|ed)?|delivered|refilled?|restocked?|planted|makes?|made|saves|print(?:s|ed)?|downloaded|"
    r"takes? on|hired|rose by|got back|warmer|is given|was given|were given|gets|got"
)
LOSSES = (
    r"gets? off|got off|gets? out|got out|leaves?|left|cancel(?:s|led|ed)?|drinks?|drank|drunk|eats?|ate|eaten|gives?|"
    r"gave|given away|loses?|lost|spends?|spent|sells?|sold|uses?|used|throws?|threw|thrown|breaks?|broke|broken|"
    r"removes?|removed|donat(?:es?|ed)|cuts?|lends?|lent|watched|read|drives?|drove|died|dies?|die|wilt(?:ed)?|fills?|"
    r"filled|takes?(?: out| away)?|took(?: out| away)?|pays?|paid|delet(?:es?|ed)|withdrew|withdraws?|pours?|poured|"
    r"stolen|stole|went missing|missing|disappear(?:s|ed)?|escape[sd]?|evaporate[sd]?|burn(?:s|ed|t)?|fell|fall(?:s|en)?|"
    r"drop(?:s|ped)?|returned home|go(?:es)? home|went home|quit|retired?|hand(?:s|ed)? out|share[sd]?|rotten|rotted|"
    r"taken|sold|booked|reserved|occupied|already gone|gone|sawed? off|need(?:s|ed)?|consume[sd]?|ship(?:s|ped)?|"
    r"passed|sent|mail(?:s|ed)?|posted|wash(?:es|ed)? away|no-shows?|didn't come|did not come|stay(?:ed)? home|dropped out|cracked"
)
