"""What is said in many words, or run together, and the plainer words it stands for. Tables only."""

from __future__ import annotations

from tools.worlds.words.nouns import NUMBERS, pairs

CONTRACTIONS = pairs(
    "gimme = give me, pickup = pick up, lookat = look at, putdown = put down, turnon = turn on, lemme = let "
    "me, wanna = want to, gonna = going to, gotta = got to, u = you, ur = your, "
    "pls = please, plz = please, plse = please, dont = do not, don't = do not, doesn't = does not, didn't = "
    "did not, can't = can not, cannot = can not, cant = can not, won't = will not, isn't = is not, wouldn't "
    "= would not, couldn't = could not, shouldn't = should not, let's = let us, lets = let us, i'm = i am, "
    "im = i am, you're = you are, we're = we are, they're = they are, that's = that is, thats = that is, "
    "it's = it is, there's = there is, what's = what is, whats = what is, where's = where is, who's = who "
    "is, how's = how is, i'd = i would, you'd = you would, we'd = we would, i'll = i will, you'll = you "
    "will, we'll = we will, i've = i have, you've = you have, we've = we have, cmon = come on, c'mon = come "
    "on, n = and, thru = through, w/ = with, & = and, da = the, teh = the, adn = and, ya = you, yer = your, "
    "kinda = kind of, thx = thanks, em = them, 'em = them, outta = out of, dat = that, dis = this, tha = "
    "the, nd = and, tehn = then, fo = for, pleas = please, pleease = please, hte = the, fom = from, frm = "
    "from, frmo = from, ot = to, b4 = before, cld = could, wld = would, wud = would, cud = could, r = are, "
    "tho = though, rn = right now, form = from, ont = on, onot = onto, itno = into, inot = into, int = in, "
    "aslo = also, wat = what, wot = what, wats = what is, wots = what is, whts = what is, wheres = where is, hows "
    "= how is, theres = there is, doesnt = does not, isnt = is not, didnt = did not, whcih = which, nope = no"
)
PHRASES = (
    (r"\b(?:that|which) (?:leads|goes|opens|connects|leading) (?:into|onto|to)\b|\bleading (?:into|to)\b", "to"),
    (
        r"\b(?:take|have|get|grab|steal|sneak) (?:a |an |another |one more )?(?:[a-z]+ )?"
        r"(?:look|peek|glance|peep|gander|glimpse) (at|in|inside|into|around|round|about|under|on|over|through)\b",
        r"look \1",
    ),
    (
        r"\b(?:let (?:me|us) (?:see|look|check|find out)|see|check|look|find out|show me|"
        r"tell me) what (?:is|lies|lurks|hides|you "
        r"find|we have|we find|there is|might be|could be|else is)(?: there| hiding| lying| stored| kept)? "
        r"(?:in|inside|behind|within)\b",
        "look inside",
    ),
    (r"^(?:do you |can you )?(?:see|notice|spot) (the [^?,]+)\? ?", r"\1, "),
    (r"\b(?:i am|we are) after (?=(?:the|a|an|that|my|some)\b)", "take "),
    (r"\brun ([a-z0-9 ]+?) through the microwave\b", r"microwave \1"),
    (r"\bremind me (?=what)", "tell me "),
    (r"\bonce[- ]over\b", "examine"),
    (r"\b(?:i am|we are) (?:done|finished|through) with ([^,.]+), ", r"\1, "),
    (r"\blet (?:me|us) see (in|inside|into)\b", r"look \1"),
    (r"^(?:the )?thermometer (?:on|onto|in|into|to|against) ", "use thermometer on "),
    (r"\bcarry on (?:over )?to\b", "go to"),
    (
        r"\b(?:tell me|give me|show me|get me|find me|find out|find|i want|i need|"
        r"i would like) (?=the temperature of)",
        "measure ",
    ),
    (r"\b(how (?:hot|warm|cold|cool) [a-z0-9 ]+?) (?:has become|is getting|has gotten|became|has got)\b", r"\1"),
    (r"^(?:i )?wonder (?=what)", ""),
    (r"^is that (?:an?|the) ([^?,]+)\? ?(?=[a-z])", r"the \1, "),
    (r"^temperature (?:reading )?of\b", "measure"),
    (r"\bpay (?:close|careful|full|special|more|good|very close) attention\b", "pay attention"),
    (
        r"\b(?:make|create|form|establish) (?:a |the )?(?:connection|circuit|link) (?:between|"
        r"from) ([a-z0-9 ]+?) (?:and|to)\b",
        r"connect \1 to",
    ),
    (
        r"\b(pour|tip|empty|dump|stir|mix|transfer|blend) (out |up )?(?:what is|whatever is|everything|"
        r"all that is|the stuff) (?:in|inside) ",
        r"\1 \2",
    ),
    (
        r"\b(?:make|be) (?:sure|certain)(?: that)? ([a-z0-9 ]+?) (?:is|are) (?=(?:turned |switched )?(?:on|"
        r"off|open|shut|closed)\b)",
        r"\1 should be ",
    ),
    (r"\b(?:make|be) (?:sure|certain)(?: that)?(?: you| we)? ", ""),
    (r"\bthe inside (?:of )?(?=the |that |this )", "inside "),
    (r",? i mean\b", ""),
    (r"\bnext stop ?[,:]? ", "go to "),
    (r"\b(?:do not|never) (?:leave|keep) ([a-z0-9 ]+?) open\b", r"close \1"),
    (r"\b(?:do not|never) leave ([a-z0-9 ]+?) (?:on|running)\b", r"turn off \1"),
    (r"\bnice and (?=cold|hot|warm|clean|cool|toasty|fresh)", ""),
    (
        r"\b(?:hold|run|put|stick|pass|place|get) ([a-z0-9 ]+?) under (?:the |some )?(?:running |cold |hot |warm )?"
        r"(?:tap|faucet|water|sink)\b",
        r"rinse \1",
    ),
    (
        r"\b(?:get|wash|wipe|scrub|rinse|clean) (?:all )?(?:the )?(?:dirt|grime|muck|stains?|dust|mess|gunk) off ",
        "clean ",
    ),
    (
        r"\b(?:add|put|place|stick|pop|slip|stash|move|throw|toss|stow) ([a-z0-9 ]+?) (?:to|in|into|"
        r"inside) (?:my|your|the|our) "
        r"(?:inventory|bag|pockets?|backpack|hands?)\b",
        r"take \1",
    ),
    (r"\bopen (?:up )?the way (?:in)?to\b", "open the door to"),
    (
        r"\b(?:get|take|give|do|grab|run|perform)(?: me| us)?(?: a| the| another)? (?:temperature|temp|"
        r"thermometer|heat) "
        r"(?:reading|check|measurement)s? (?:for|of|on|from|off)\b",
        "measure",
    ),
    (
        r"\b(?:keep|direct|turn|put|place|set|bring|give|focus|shift|train)(?: all)? (?:your|my|the|our|"
        r"all your|full) (?:full )?"
        r"(?:attention|sights?|focus|eyes?|gaze|mind|concentration) (?:on|at|to|towards?|onto|upon)\b",
        "focus on",
    ),
    (r"\btell me (?:more|something|all|everything|a bit)? ?about\b", "examine"),
    (r"\b(?:its|their) temperature\b", "the temperature of it"),
    (r"\bany ([a-z ]+?) will do\b", r"any \1"),
    (r"\bbehind (?:you|me|us)\b", ""),
    (r"\bleave (?:the )?[a-z]+(?: [a-z]+)? for (?=the |outside)", "go to "),
    (r"\bon the floor\b", "down"),
    (r"\b(?:i am|we are|let us be) (?:going|heading|walking|moving|off) (?=to (?:the |a |my |[a-z]+ \d))", "go "),
    (r"\b(?:i|we) (?:need|want|would like) (the [a-z ]+?) (?:turned |switched )?(on|off)\b(?! the)", r"turn \1 \2"),
    (
        r"\b(?:a |the |some |that )?(?:set|head|roll|loaf|bunch|pair|stick|packet|stack|slice|chunk|tube|"
        r"sheet|sprig|glob) of (?:the )?(?=[a-z])",
        "the ",
    ),
    (r"\bchest of drawers\b", "dresser"),
    (r"\b(bottle|bar|box) of (soap|wine|tissues|tissue)\b", r"\2 \1"),
    (r"\bin front of\b", "at"),
    (
        r"\ba (?:good|quick|nice|thorough|little|proper|decent) (?=(?:wash|rinse|scrub|clean|stir|look|peek|"
        r"bite|sip)\b)",
        "a ",
    ),
    (
        r"\b(measure|take|check|get|read|test|find|record|determine) ((?!temperature|the temperature|a temperature)"
        r"(?:[a-z0-9]+ )+)temperature(?! (?:of|on|in|with))\b",
        r"measure \2",
    ),
    (r"\bout of\b", "from"),
    (r"\boff of\b", "off"),
    (r"\bon top of\b", "on"),
    (r"\bonto the top of\b", "onto"),
    (r"\binside of\b", "inside"),
    (
        r"\b(go|move|head|walk|hop|run|proceed|continue|travel|come|get|step|pass|press|push|skip|"
        r"drive) on (?:over |along )?to\b",
        r"\1 to",
    ),
    (r"\b(?:the )?(?:other|left|right) one ?, (?=the )", ""),
    (r"\bin to\b", "into"),
    (r"\bon to\b", "onto"),
    (r"\bwith the help of\b", "with"),
    (r"\bby using\b", "with"),
    (r"\bby means of\b", "with"),
    (r"\bby way of\b", "through"),
    (r"\bmaking use of\b", "with"),
    (
        r"\b(?:that|which) (?:is|are|was|were|you see|sits|lies)(?: (?:currently|still|now|sitting|lying|"
        r"standing|located|placed|kept))? (?=in|on|at|inside|from|near|under)\b",
        "",
    ),
    (r"\b(?:sitting|lying|standing|located|placed|laying|stored|found|kept) (?=in|on|at|inside|near|under)\b", ""),
    (r"\b(?:number|no\.|nr|num) one\b(?! of)", "1"),
    (
        rf"\b(?:labell?ed|marked|numbered|number|nr|num|no\.|nos\.)\s*#?\s*(?=\d|(?:{'|'.join(NUMBERS)})\b)",
        "",
    ),
    (r"#\s*(?=\d)", ""),
    (r"\bno (?=\d)", ""),
    (r"\bthe use of\b", ""),
    (r"\bin order to\b", "to"),
    (r"\ba (?:bit|piece|little bit|lump|handful|bunch) of(?: the)?\b", "the"),
    (r"\b(?:the )?(?:inside|insides|interior|contents) of\b", "inside"),
    (r"\bone of (?:the|these|those|your|my)\b", "any"),
    (
        r"\b(?:any|either|all|each|both|every one|some) of (?:the|these|those|your|my|them)\b",
        lambda m: "any" if m.group().startswith(("any", "either", "some")) else "all",
    ),
    (r"\bas well as\b", "and"),
    (r"\balong with\b", "and"),
    (r"\btogether with\b", "and"),
    (r"\bnext to\b", "near"),
    (r"\b(?:in|on) (?:the )?(?:bottom|middle|centre|center|surface|back|front|top|inside) of\b", "in"),
    (r"\bthe (?:top|surface|inside) of\b", ""),
    (r"\bat the same time\b", ""),
    (r"\bover to\b", "to"),
    (r"\b(?:temp|temperture|temprature|temparature)\b", "temperature"),
    (r"\bthe one (?=in|on|at|from|inside|with|labeled)\b", "one "),
    (r"\bin between\b", "in"),
    (r"\bup to\b", "to"),
)
