"""Whole wishes in their commonest form: `grab a bowl, doesn't matter which` is `grab any bowl`. Tables only."""

from __future__ import annotations

import re

ANY_WILL_DO = (
    r"(?:it )?(?:does not|do not|should not) (?:really )?matter(?: to me)?(?: which(?: one)?)?|i do not (?:care|mind)"
    r"(?: which(?: one)?)?|no matter which(?: one)?|whichever(?: one)?(?: you (?:like|want|prefer|find))?|"
    r"(?:either|any)(?: one| of them| of those| of these)?(?: (?:is|are|will|would|works?|goes|do)(?: be)?(?: fine|"
    r" ok| okay| good| do| all right)?)?|your (?:choice|pick|call)|you (?:choose|pick|decide)|take your pick|"
    r"all the same to me|(?:the )?first one you (?:find|see|come across)|any [a-z]+(?: at all)?"
)
STATES = (
    "cold|colder|hot|hotter|warm|warmer|cool|cooler|clean|cleaner|heated|cooled|chilled|sliced|cut|warmed|cleaned|"
    "washed|rinsed|cooked|microwaved|reheated|frozen|chopped|opened|closed|shut|open|connected|activated|examined"
)
THING = r"(?:the|that|this|my|your|these|those|it|both|a|an)(?: [a-z0-9]+){0,4}?"
FOUND = r"(?:go (?:and )?)?(?:find out|check(?: (?:it|that|there))?|go see|see|(?:have|take) a look|look)"
REWRITES = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        # what may be any
        (rf"^(.*\b)(?:a|an|some|the|one of the|one) ([a-z0-9' ]+?) ?[,.;(-]+ ?(?:{ANY_WILL_DO}) ?(?=[).!?,]|$)",
         r"\1any \2 "),
        (r"\b(?:any|some|whichever) old (?=[a-z])", "any "),
        (r"\bany (?:one )?of the ([a-z]+)s\b", r"any \1"),
        (r"\bback (to|on|onto|into|in|inside) the (?=[a-z])", r"\1 that "),
        # talk before the wish
        (
            r"^(?:no|nah|oh|oops|hmm|hm|ok|okay|ah|argh|actually|sorry)?[ ,.!]*(?:no )?(?:wait|hang on|hold on|"
            r"hold up)(?: no| a (?:sec|second|moment|minute))? ?[,.!]+ ?(?=(?:no|not|i meant|i mean|actually|go|take|"
            r"put|open|the|sorry|that|let|grab|get|first|back|over|into|onto|out|on|to|that|bring|turn|close|use|mo"
         r"ve|look|try|"
            r"leave)\b)",
            "",
        ),
        (r"\bi (?:really |actually )?meant(?: to say| to type)? (?!to\b)", ""),
        (r"^(?:i am |we are )?(?:on|upon|at) second thoughts? ?,? ?", ""),
        (
            r"^(?:i have |i )?(?:just )?changed? my mind ?[,.!:;]* ?(?:and )?",
            "",
        ),
        (
            r"\bi (?:think|believe|guess|reckon|suppose|feel|say)(?: that)? (?=(?:the|this|that|my|your) [a-z0-9 ]+? "
            r"(?:goes|belongs|should|needs|wants|must|ought)\b)",
            "",
        ),
        (r"\boff you (?:pop|go|trot|toddle) (?=to\b)", "go "),
        (r"^(?:hop|jump|get) to it ?[,.!]+ ?", ""),
        (r"^(?:be a (?:star|dear|darling|good (?:sport|boy|girl|lad)|love|sweetheart|pal) and) ", ""),
        (r"\bwould (?:ya|you be a (?:dear|star|love) and)\b", "would you"),
        # what is told before and behind the wish
        (r"^(?!(?:please |now |then |ok |and )*(?:take|get|grab|pick|put|move|open|close|shut|go|bring|pour|turn|use|"
         r"heat|cool|clean|wash|look|examine|read|focus|mix|stir|connect|activate|slice|cut|drop|place|set|switch)\b)"
         r"[a-z ,]+? ,? ?(?:great|good|nice|perfect|lovely|excellent|wonderful|brilliant|super|awesome|done) ?[.!]+ "
         r"(?=(?:now |then |next |so |and )?(?:[a-z]+) )", ""),
        (r"^(?:good|great|nice|perfect|lovely|excellent|right) ?, there (?:is|are) [a-z ]+?[.!]+ (?=[a-z])", ""),
        (r"^no [a-z]+ing ?[!.,]+ ?(?=[a-z])", ""),
        (r"^((?:please |can you |could you )?(?:grab|take|get|pick up|put|move|bring|pour|open|fetch) [^,]*?) ?, "
         r"(?:we|i) (?:will |shall |are going to |am going to |(?:want|would like|need) to (?!go|put|take|open|close|"
         r"move|heat|cool|clean|wash|see|look|examine|turn|pour|use|read|check))[^,.!?]*[.!]*$", r"\1"),
        (r"\b(lots? of|so much|this|that|the|more|all|some|any|my|your|much) stuff\b(?! (?:it|them|the|that|this)\b)",
         r"\1 things"),
        # temperatures, wires, holes
        (r"\bdig (?:up |out )?(?:some |a bit of |a little |the |more |some more )?soil\b", "dig the ground"),
        (r"\b(?:measure|check|take|tell me|get|read|give me|show me|find out|see) (?:me )?"
         r"((?:the|that|this|my) (?!temp)[a-z ]+?) (?:temp|temperature)\b", r"measure \1"),
        (r"\bmeasure how (?:hot|cold|warm|cool) ((?:the|that|this|my) [a-z ]+?|it) (?:is|has become|has got)\b",
         r"measure \1"),
        (r"^(?:is|are) ([a-z0-9 ]+?) (?:hot|cold|warm|cool)(?: or (?:hot|cold|warm|cool))?(?: yet| now| enough)?"
         r" ?[,?.]+ ?(?:please )?(?:check|measure|test)(?: it| that)?(?: with the thermometer)?(?= ?(?:$|[.!?]))",
         r"measure \1"),
        (r"^how (?:hot|cold|warm|cool) is ([a-z0-9 ]+?)(?: now)? ?[,?.]* ?(?:please )?(?:check|measure|test)(?: it| "
         r"that)?(?: with the thermometer)?(?= ?(?:$|[.!?]))", r"measure \1"),
        (r"^(?:is|are) ((?:the|that|this|my) [a-z0-9 ]+?) (?:lit|on|off|glowing|shining|burning|ready|working)"
         rf"(?: yet| now| up)? ?[,?]+ ?(?:please )?{FOUND}(?= ?(?:$|[.!?]))", r"look at \1"),
        (r"\b(?:take|pull|get|yank|rip) ((?:the|that|this) [a-z]+ wire) (?:off|loose)(?: again)?\b",
         r"disconnect \1"),
        # how something is to be
        (
            rf"\b(?:i|we) (?:want|need|would like|would love|would prefer) ({THING}) (?:to be |to get |all |nice and |"
            rf"really |very |properly |nicely |a bit |quite |good and )?({STATES})\b(?= ?(?:$|[,.!?;]|please|and|then|"
            r"now|up|with|in))",
            r"\1 should be \2",
        ),
        (rf"\b(?:make|get|have) ({THING}) (?:nice and |all |really |properly )?(hot|warm|cold|cool|clean)\b",
         r"\1 should be \2"),
        (r"\b(?:set|put) fire to\b", "ignite"),
        (r"\bset ([a-z0-9 ]+?) (?:on fire|alight|ablaze)\b", r"ignite \1"),
        (
            r"\b(?:run|pour|splash|get) (?:some |a bit of |a little |the )?(?:water|soap and water) (?:over|on) (?=the|"
            r"that|this|it|my)",
            "rinse ",
        ),
        (r"\bsoap (it|the [a-z0-9 ]+?) up\b", r"wash \1"),
        (r"\bpush the ([a-z0-9 ]+?) in ?$", r"close the \1"),
        (r"\bpull the ([a-z0-9 ]+?) to ?$", r"close the \1"),
        (r"\block (?:it |that |this |everything )?up\b", "close it"),
        (r"\bstay (?:out of|out|from|off)\b|\b(?:stay|keep|steer) (?:away|clear|well clear) (?:from|of)\b|\bhands "
         r"off\b", "avoid"),
        (r"\b(?:keep|get|take) your (?:hands|paws|fingers|mitts) off\b", "avoid"),
        (r"\btable where (?:we|you|one|they|people|everyone) (?:eats?|dines?|have dinner)\b", "dining table"),
        (r"\b(take|get|grab|want|bring|move|carry|collect|gather) (?:it|them) all\b", r"\1 everything"),
        (r"\bunder (?=(?:the|that|this) (?:desk |floor |table |standing )?(?:lamp|light)\b)", "under "),
        (r"^[^?]*\? ?(?:no|nah|nope)(?:[ ,]+no)*[ ,.!]+(?=[a-z])", ""),
        (r"^(?:nah|no|nope|ok)?[ ,]*skip(?: (?:it|that|this(?: one)?))? ?[,.!]+ ?(?=[a-z])", ""),
        (r"\bsomething (?:to|for) [a-z ]+?, (?=the |a |that |my )", ""),
        (r"^(?:the )?([a-z]+(?: \d+)?) in hand\b", r"take the \1"),
        (r"\b([a-z]+) the (first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b(?= ?(?:$|[,.!?]|"
         r"please))", r"the \2 \1"),
        (r"(?:^|(?<=then )|(?<=and )|(?<=, ))(?:the )?(?:water|tap|faucet) (on|off)\b(?= ?(?:$|[.,!]|please|now|and"
         r" |then ))",
         r"turn \1 the water"),
        (r"^(?:the )?water (on|off)\b", r"turn \1 the water"),
        (r"\b(?:swap|exchange|trade|switch) ((?:the|that|this|my|your) [a-z0-9 ]+?) (?:for|with) (?=the |that |a )",
         r"put down \1 and take "),
        (r"\bchop chop\b", ""),
        (
            r"\bleave ((?:the|that|this|my|your) [a-z0-9 ]+?|it|them) (?:exactly |just |right )?(?:where (?:it|they) "
            r"(?:is|are|lies?|sits?|stands?|belongs?)|alone|be|untouched|as (?:it|they) (?:is|are))\b",
            r"do not touch \1",
        ),
        (r"(?<=[a-z0-9])(?: ?,)? i (?:think|guess|believe|suppose|reckon)(?: it (?:is|was))?(?= ?(?:$|[.!?,]))", ""),
        (
            r"\bthe ([a-z]+(?: [a-z]+)?) ?, the (red|green|blue|yellow|orange|violet|purple|black|white|brown|ceramic|"
            r"metal|wooden"
            r"|empty) one\b",
            r"the \2 \1",
        ),
        (r"(?<=[a-z0-9]) ?, the (?:big|small|large|little|sharp|good|nice|clean|dirty|new|old|nearest|closest|"
         r"usual)(?: [a-z]+)?"
         r" one(?= ?(?:$|[.!?,]))", ""),
        (rf"^(.+? or .+?) ?[,.;(-]+ ?(?:{ANY_WILL_DO}) ?[).!]?$", r"any \1"),
        (r"^any ([a-z ]+?) (?:is|are|will be|would be|works|will do|would do|goes)(?: (?:fine|ok|okay|good|great|"
         r"do))?$", r"take any \1"),
        (r"\b(?:the |both )?(COLOR) and (?:the )?(COLOR) ([a-z]+?(?: [a-z]+?)?)s?\b(?= ?(?:$|[,.!?]|and |to |in |"
         r"on |from |please))"
         .replace("COLOR", "red|green|blue|yellow|orange|violet|purple|black|white|brown"), r"the \1 \3 and the \2 \3"),
        (r"\b(?:get|go|head|let us get|walk) (?:me |us )?from (?:here|this place|this room)\b", "leave the room"),
        (r"\bwhat (?:do|have) we (?:got|have) (?:in )?here\b", "look around"),
        (r"\b(?:to )?have ((?:the|that|this|my) [a-z0-9 ]+?) in (?:my|your|our|the) hands?\b", r"take \1"),
        (r"^(?:oh |hey |ah )?look(?: here| there)? ?[,!]+ (?=(?:a|an|the|there|that) )", ""),
        (r"\b(?:i am )?not (?:quite |really |so )?sure\b(?: (?:about|which|what|where|if) [^,.?!]*)?[ ,.]*", ""),
        (r"\b(?:get|need|have|want|give (?:me|us)|make|let there be|could use) (?:some |more |a bit of |a little "
         r")?light(?= ?(?:$|[,.!]|in|on|here|please))",
         "turn on the light"),
        (r"^(?:the )?([a-z]+(?: \d+)?) and (?:the )?([a-z]+(?: \d+)?) ?, both\b", r"take the \1 and the \2"),
        (r"\b(?:that|which) (?:has|holds|contains|is full of|is filled with|has got) (?:the |some |a |any "
         r")?([a-z ]+?)(?: in(?:side)?(?: of)? it)?"
         r"(?= ?(?:$|[,.!?]|and |please|then |into |in |on |from |to |down|up))", r"containing \1"),
        (r"\bwith (?:the |some |a )?([a-z ]+?) in(?:side)?(?: of)? it\b", r"containing \1"),
        (r"\b(read|look|examine it|stir) (?:just )?(?:a (?:little|bit|tad)|some)(?= ?(?:$|[.!,?]))", r"\1"),
        (r"\bwhat is (?:written|printed|shown|displayed|engraved) (?:on|in) ", "read "),
        # what is to be looked at
        (r"\b(?:can you |could you )?(?:tell me|let us see|show me|check|look|find out|see|describe|check out|look "
         r"at) what "
         r"(?:is|lies|do we have|we have|there is|you see|all is)(?: there)?(?: lying| sitting| standing)? on\b",
         "examine"),
        (r"\b(?:check out|go see|go check|go look|look at|go and see|have a look at|take a look at) what (?:is|"
         r"lies|there is)(?: there)? "
         r"(?:in|inside|within)\b", "look inside"),
        (r"\b(?:(?:see|check|look|tell me|show me|find out|i want to know) )?what (?:time )?(?:(?:does|do|is) )?"
         r"((?:the|that|this|my|your) [a-z0-9 ]+?) (?:says?|reads?|tells?|shows?)\b(?: us| "
         r"me)? ?[,.!?]* ?(?:(?:please )?"
         r"read it(?: to me| out| aloud)?)?", r"read \1"),
        (
            rf"^(?:(?:is|are) there (?:any |an |a |some |still )?|any(?:thing)? )[a-z0-9 ]*?"
            rf"\b(in|inside|on|at) ([a-z0-9 ]+?) ?\? "
            rf"?{FOUND}\b",
            r"look in \2",
        ),
        (
            r"\b(?:i (?:just )?(?:want to|would like to) |let us |could you |can you )?(?:check|see|find out|"
            r"wonder|look|know|"
            r"tell me) (?:if|whether) (?:there (?:is|are|might be|may be|could be)|we have|you (?:can )?find|we find|"
            r"it has|you see) (?:any |an |a |some |still )?[a-z0-9 ]*?\b(?:in|inside|on) "
            rf"((?!here|this room|there)[a-z0-9 ]+?)(?: ?, {FOUND})?(?= ?(?:$|[,.!?;]|and |then |please))",
            r"look in \1",
        ),
        (r"\bi (?=look in\b)", ""),
        (
            r"\b(?:let me know|tell me|show me|describe(?: to me)?|let us see|see|find out|check) what "
            r"([a-z0-9 ]+?) looks? like\b",
            r"examine \1",
        ),
        (r"^(?:and |so )?what (?:is|are) ((?:the|that|this) [a-z0-9 ]+?) like ?\?*$", r"examine \1"),
        (
            r"^what (?:is|are) (?:that|this|it)(?: thing)? (?:in (?:your|my|our) hands?|you (?:are |have "
            r")(?:holding|got)|"
            r"(?:you|i) hold) ?\? ?(?:let us )?(?:have a look at|take a look at|look at|examine|inspect|show me) "
            r"(?:it|that)\b",
            "examine the one in your hand",
        ),
        (r"\b(open .*?)(?: ?,| and| then)+ (?:(?:tell|show) me what(?: is| you see| you find)?(?: in(?:side)?(?: "
         r"it| there)?)?"
         r"|look (?:inside|in)(?: it| there)?)(?= ?[.!?]*$)", r"\1"),
        (r"\bwhat (?:is|all is|else is|do we have|have we got|do you see|can you see) in (?:this|the) (?:kitchen|"
         r"room|place|"
         r"greenhouse|workshop|bathroom|bedroom|hallway|living room|art studio|foundry)\b", "look around"),
        (r"\bwhat (?:is|all is) (?:growing|lying|standing|happening|going on|sitting) (?:around |in )?here\b",
         "look around"),
        (r"\bwhats? (?:is )?(?:around|in) here\b", "look around"),
        (r"\b(?:take stock of|case|give me an overview of) (?:the|this) (?:room|place|area|kitchen)\b", "look around"),
        (r"\btwiddle (?:your|our|my) thumbs\b|\b(?:do not|never) (?:do|touch|move) (?:anything|a thing|a muscle)"
         r"(?: (?:for|until).*)?$", "wait a while"),
        (r"\bempty (?:your|my|our|the) (?:hands?|pockets|arms)\b|\bdrop (?:everything|it all|all of it|what you "
         r"(?:hold|"
         r"have|are holding|are carrying))\b", "put down everything you hold"),
        (r"\bburn (?=the |that |this |it|a |some )", "ignite "),
        (r"\bdig (?:up |out |into |in )?(?:a |some |the |another |one more )?"
         r"(?:new )?(?:hole|here|holes|hole here|around)\b(?: (?:in|into) "
         r"the ground)?", "dig the ground"),
        # short and sloppy
        (r"\b(go|walk|head|move|run|get|come|return|hop|pop|back|over|it|them|that) (?:2|too) "
         r"(?=(?:the|my|your|that|this)\b)", r"\1 to "),
        (r"\b(look|search|hunt) 4 ", r"\1 for "),
        (r"^(?:oh |ah )?(?:nice|cool|good|lovely|sweet|brilliant|wonderful|right|super)(?: one| work| job)? ?[,!.]+ ?"
         r"(?=[a-z])", ""),
        (r"\b(it|them|that) (?:once more|one more time|once again|again|real quick|a bit|a little|for me)"
         r"(?= (?:in|on|at|with|into|to|from|under)\b)", r"\1"),
        (r"\b(pop|put|stick|chuck|throw|place|shove|slip|stuff|set|toss|lay) (it|them|that|this) in(?:side)?(?: then| "
         r"now| please)?(?= ?(?:$|[,.!?]|and ))", r"\1 \2 in there"),
        (r"\b(?:that|which) (?:leads|goes|opens|heads)(?: you| us)? (?:outside|outdoors)\b|\bleading outside\b",
         "to the outside"),
        (r"\b(?:let us |let me )?(?:see|check|look|show me|find out|tell me)(?: to me)? what(?:ever)? ((?:the|that|"
         r"this) "
         r"[a-z0-9 ]+?) (?:hides|holds|contains|conceals|is hiding|is holding|has got|has)(?: in(?:side)?(?: it| th"
         r"ere)?|"
         r" to offer| for us)?(?= ?(?:$|[.,!?]))", r"look inside \1"),
        (r"\b(?:put|stick|pop|place|throw|shove|set|leave|keep|chuck) ([a-z0-9 ]+?) (?:in|into|inside) (?:the |a |my |"
         r"our )?(?:fridge|refrigerator|icebox)(?: \d)? (?:for (?:a )?(?:cooling|chilling|cool down|chill)|to (?:co"
         r"ol|chill)"
         r"(?: it| them)?(?: down| off)?)(?= ?(?:$|[.,!?]|please|and ))", r"cool \1 with the fridge"),
        (r"\b(?:put|stick|pop|place|throw|shove|set|chuck) ([a-z0-9 ]+?) (?:in|into|inside) (?:the |a |my |our )?"
         r"microwave(?: \d)? (?:for (?:a )?(?:heating|warming|warm up|zap)|to (?:heat|warm|cook)(?: it| them)?"
         r"(?: up)?)(?= ?(?:$|[.,!?]|please|and ))", r"heat \1 with the microwave"),
        (r"\b(?:put|stick|pop|place|throw|shove|set|chuck) ([a-z0-9 ]+?) (?:in|into|inside|under) (?:the |a |my |our )?"
         r"(sink|basin|tap|faucet|bath|tub)(?: \d)? (?:for (?:a )?(?:cleaning|washing|rinsing|rinse|wash|clean)|to "
         r"(?:clean|"
         r"wash|rinse)(?: it| them)?(?: off| up)?)(?= ?(?:$|[.,!?]|please|and ))", r"clean \1 with the \2"),
        (r"^((?:the )?[a-z ]+? and (?:the )?[a-z ]+?) (?:(?:both|all|should|must) )?(?:go|belong)(?: back)? "
         r"(in|on|into|onto|inside|under) ", r"put \1 \2 "),
        (r"^i (?:really |just )?(?:want|would like|need|would love) to see (the [a-z ]+?) ?[,.;] ?(?:so |please )?"
         r"(?:go|head|"
         r"walk|take me|let us go)(?: over)? there\b", r"go to \1"),
        (r"\? ?(?:use )?(?:the |your |a )?thermometer(?: please)? ?[.!]*$", "?"),
        # ways to say a place or a number
        (r"\b([a-z]+) ?[,.!]+ (?:the [a-z]+ one ?[,.]? ?)?(?:the )?(?:number |no |nr )?(\d+)(?: one)?(?= "
         r"?(?:[.!?,]|$))", r"\1 \2"),
        (r"\bthe ([a-z ]+?) ?[,.!]+ the ([a-z]+(?:st|nd|rd|th)) one\b", r"the \2 \1"),
    )
)  # fmt: skip


def rewritten(text: str) -> str:
    for pattern, instead in REWRITES:
        text = pattern.sub(instead, text)
    return text
