"""What a turn at the estate agency's desk is about: patterns of words, and nothing of who said them before."""

from __future__ import annotations

import re

_HOME = (
    r"(?:homes?|flats?|apartments?|houses?|studios?|lofts?|penthouses?|townhouses?|propert(?:y|ies)|places?|"
    r"listings?)"
)


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.I)


OWN_VIEWINGS = _words(
    r"(?:my|our) (?:viewings?|appointments?|bookings?)|what (?:have|did) (?:i|we) book(?:ed)?|which viewings|"
    r"(?:do|have) (?:i|we) (?:have |got )?(?:any |a )?(?:viewings?|appointments?) (?:booked|planned)|"
    r"what (?:have|had) (?:i|we) (?:got )?(?:booked|arranged|planned)|when (?:is|was) (?:my|our) (?:viewing|"
    r"appointment|visit)"
)
CANCEL = _words(
    r"cancel\w*|call off|call it off|get rid of|scrap|no longer need the (?:viewing|appointment)|can't (?:make it|"
    r"come)|cannot (?:make it|come)|(?:won't|not) be able to come"
)
VIEWING = _words(
    rf"viewings?|(?:to|can i|could i|can we|could we|may i|may we) (?:view|visit|see)|(?:view|visit|see) (?:it|"
    rf"that|this|them|both|h-\d+|the {_HOME}|"
    rf"the (?:first|second|third|fourth|fifth|last|\w+ one))|(?:have|take) a look at|look at (?:it|"
    rf"them) (?:in person|myself)|"
    rf"appointments?|book(?:ing)?|schedule|reschedule|arrange|(?:free|available|open) (?:times?|slots?)|"
    rf"time ?slots?|slots|"
    rf"show (?:me|us) around|when (?:can|could|may) (?:i|we)|(?:like|love|want|wish) to (?:look at|see|view|visit|"
    rf"inspect) (?:it|that|this|them|both|h-\d+|the)|when (?:is|would|will|are|might) (?:somebody|someone|the agent|"
    rf"an agent|you|h-\d+)|what times?|come (?:by|and see|over)|postpone|"
    rf"move (?:it|the viewing|my viewing)"
)
TIME = re.compile(
    r"\b(?:\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|o'?clock)|\d{1,2}:\d\d|at \d{1,2}|(?:mon|tues|wednes|thurs|fri|satur|"
    r"sun)days?|tomorrow|"
    r"morning|afternoon|evening|noon|earliest|soonest|next week|(?:the )?(?:first|second|third|last) (?:one|"
    r"slot|time)|any ?time|"
    r"\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:november|december|january)|(?:november|december|january) \d{1,2})\b",
    re.I,
)
WAY = _words(
    r"commut\w*|how (?:long|far|close|near)|get (?:from there |from it |there )?to|travel\w*|minutes? (?:to|"
    r"from)|way to|ride to|walk to|"
    r"distance|(?:closest|nearest|closer|nearer) to|by (?:tram|metro|bus|train|public transport) to|"
    r"connections?|reach|door to door|how many min\w*|from h-\d+|h-\d+ to|change (?:trains?|trams?|lines?|bus(?:es)?)"
)
HISTORY = _words(
    r"(?:owners?|sellers?|people before)\b.*\b(?:pay|paid)|"
    r"price history|history|sold for|last sold|sold before|previous(?:ly)? (?:price|sold|sale)|previous price|"
    r"price (?:changes?|drops?|cuts?|"
    r"development)|been reduced|reduced|(?:how long|since when) (?:has it been |is it )?(?:on the market|"
    r"listed)|earlier prices?|prices? (?:\w+ )?(?:develop\w*|chang\w*|evolv\w*)|(?:price )?(?:gone|went|"
    r"go) (?:up|down)"
)
COMPARE = _words(
    r"compar\w+|versus|vs|differences?|differ|side by side|which (?:of (?:them|these|those|the two|both)|one|"
    r"of the two) (?:is|has|would)|"
    r"(?:better|cheaper|bigger|larger|quieter|newer), |or the (?:first|second|third|fourth|fifth|last|other)"
)
AFFORD = _words(r"afford|within (?:that|this|my|our|reach)|income|salary|earn|earning|we make|i make|take[- ]home")
LOAN = _words(
    r"mortgages?|loans?|monthly|(?:per|a|each|every) month|interest|instal?ments?|financ\w+|borrow\w*|"
    r"pay (?:it )?back|repay\w*|"
    r"down ?payment|deposit"
)
MONTHLY = _words(r"monthly|instal?ments?|(?:a|per|each|every) month|mortgage")
TERMS = re.compile(
    r"\b(?:saved|savings|own money|aside|years?|deposit|down|rate|percent|thousand|\d+k|\d{4,})\b|\d ?%", re.I
)
DISTRICT = _words(
    r"districts?|areas?|neighbou?rhoods?|quarters?|parts? of (?:the )?(?:city|town)|what(?: is|'s) .* like|"
    r"how is|tell me (?:more )?about|"
    r"describe|know about|what about the schools|schools? (?:in|there)|is .* (?:quiet|noisy|expensive|safe|"
    r"nice)|typical price|prices? in|"
    r"living in|live in"
)
CONTACT = _words(
    r"call (?:me|us)(?: back)?|contact (?:me|us)|reach (?:me|us)|(?:my|our) (?:phone|number|mobile|e-?mail|"
    r"contact|details)|callback|call-back|"
    r"(?:someone|somebody|an agent|agent) (?:to |can |could |should |will |please )*(?:call|contact|ring|phone|"
    r"get in touch)|"
    r"(?:speak|talk) (?:to|with) (?:a (?:human|person|real)|an agent|someone|somebody|the agent|(?:your|"
    r"the) (?:boss|manager|supervisor|colleague|chief))|leave (?:you )?(?:my|"
    r"our) (?:name|number|details|contact|phone|e-?mail|data)|get in touch|ring (?:me|us)|phone (?:me|us)|"
    r"call(?:ed)? back|(?:a )?human(?: being)?|real person"
)
REACHABLE = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+|(?<![\w,.-])\+?\(?\d(?:[ ()/-]?\d){6,14}(?!\w|,\d)")
DIRECT = _words(
    r"show|do you (?:have|offer|sell)|you have|you've got|dearest|cheapest|most expensive|"
    r"have you got|are there|is there|find|search|list|give me|what (?:flats?|"
    r"homes?|houses?|studios?|do you)|"
    r"which (?:homes?|flats?|houses?|ones?)|any(?:thing)?|see (?:some|what|them|all)|what's available|"
    r"what is available|just look|let's see|look now"
)
BARGAIN = _words(
    r"knock\b.* off|haggl\w+|negotia\w+|discounts?|(?:can|could|will|would|please|just) (?:you |they |"
    r"we )?(?:\w+ )?(?:lower|drop|cut) (?:it|that|the price|a little)|(?:come|go|get) down|"
    r"(?:last|best|final) price|take less|accept (?:less|\d+)|(?:owner|seller)s? (?:\w+ )?(?:accept|take|agree)|"
    r"cheaper for me|(?:have|got|make) a deal|throw in|below (?:the )?asking"
)
LOOKING = _words(
    rf"(?:look|search|hunt)(?:ing)?(?: \w+)? for|(?:want|wants|wanted|like|need|hoping|plan\w*|"
    rf"thinking)(?: \w+){{0,2}} (?:to|of|about) (?:buy|mov|find|own)\w*|"
    rf"buy(?:ing)? (?:a |an |our |my )?(?:\w+ )?{_HOME}|(?:need|want|like|find|after) (?:a|an|some|something|"
    rf"our)(?: [\w-]+){{0,4}} {_HOME}|moving to|new home|"
    rf"house ?hunting|first home|relocat\w+|downsiz\w+|(?:leave|sell|selling|leaving) (?:my|our) (?:\w+ ){{0,3}}"
    rf"(?:place|home|house|flat)\b|move (?:out|away|house|to)|own four walls|{_HOME} for sale|place to live"
)
MORE = _words(
    rf"(?:show|see|any|some|the|are there|give me)?\s*(?:more|next|further)(?: (?:of (?:them|those)|{_HOME}|"
    rf"options|results|ones|page|five|5))?(?= please|\s*[?.!]*$)|"
    rf"next page|page \d+|(?:what|anything) else|other (?:options|{_HOME}|ones)|the rest"
)
CHEAPER, BIGGER = _words(r"cheaper|less expensive|lower price"), _words(r"bigger|larger|more space|roomier")
SMALLER = _words(r"smaller")
SAME = _words(r"same (?:thing|search|again|one|ones)|(?:but|only|just) in|any of (?:those|them)")
SIMILAR = _words(r"similar|like (?:it|this|that)(?: one)?|alike|comparable")
LIKES = _words(
    r"(?:like|love|loving|adore) (?:it|that|this|the|h-\d+|both|how)|love|lovely|beautiful|perfect|charming|"
    r"great|nice|interested in (?:it|that|this|the|h-\d+)|"
    r"sounds (?:good|great|lovely|nice|perfect|interesting)|favou?rite|dream|looks (?:good|great|nice|lovely)|"
    r"i'd take|tempting|promising|ideal|brilliant|taken with|appeals? to|leaning towards|sold on|"
    r"just what|exactly what|ticks? all|keen on|pleases me|suits? (?:me|us)|do for (?:me|us)|the one for|"
    r"sounds? cosy|do me|i'm sold|got me|won me over"
)
DISLIKES = _words(
    r"don't like|do not like|not (?:for me|for us|nice|great|what)|hate|too (?:small|expensive|far|noisy|big|"
    r"dark|dear)|too much for|not convinced|out of (?:my|our) (?:league|budget|reach)"
)
QUESTION = re.compile(
    r"\?\s*$|^\W*(?:(?:and|so|ok|okay|but|hi|hello|hey|well|also)\W+)*(?:what|which|who|whom|whose|when|where|"
    r"why|how|can|could|do|does|did|is|are|am|will|would|"
    r"should|shall|may|explain|tell me)\b",
    re.I,
)
POINTS = re.compile(
    rf"\b(?:it|its|it's|this one|that one|this|that|there|they|them|both|these|those|the {_HOME})\b|"
    rf"\bh[-_ ]?\d{{1,4}}\b",
    re.I,
)
ABOUT = _words(
    r"tell (?:me|us)(?: a bit| something)? (?:more )?about|more about|details?|describe|information|info on|"
    r"know more|what about|how about|(?:show|open) (?:me )?(?:it|h-\d+|the)|"
    r"look closer|what is (?:it|that one) like|all about"
)
CLOSING = _words(
    r"thanks?|thank you|thx|cheers|bye|goodbye|good night|see you|that's all|that is all|that was all|"
    r"have a (?:nice|good|great)|nothing (?:else|more)|no more questions"
)
ANGRY = _words(
    r"useless|ridiculous|terrible|awful|annoy\w+|angry|furious|frustrat\w+|waste of (?:my )?time|fed up|"
    r"unacceptable|horrible|worst|"
    r"stupid|nonsense|scam|rip[- ]off|outrageous|disgrace\w*|complain\w*|forever|idiots?|sick of"
)
WAITS = _words(
    r"let me think|think (?:about|it over)|need (?:some |more )?time|have to (?:ask|talk|check|discuss)|"
    r"need to (?:ask|talk|check|discuss)|sleep on it|"
    r"not sure yet|talk (?:to|with) my|ask my|maybe later|not ready"
)
NONE = _words(
    r"don't know|do not know|no idea|no preference|doesn't matter|does not matter|don't (?:mind|care)|any|"
    r"anywhere|not sure|flexible|open|whatever|"
    r"you (?:choose|decide)|skip|rather not say|no limit|no matter|can't say|undecided|depends|none"
)
PEOPLE = _words(
    r"(?:what|which) (?:kind|sort|type) of (?:people|neighbou?rs|residents)|people (?:live|there|like us|of our)|"
    r"who lives|lives there|foreigners?|immigrants?|migrants?|religio\w+|christians?|muslims?|jew(?:s|ish)|catholics?|"
    r"ethnic\w*|race|racial|neighbou?rs (?:like|nice|decent|quiet)|"
    r"(?:decent|nice|respectable|our kind of|same kind of|that sort of) (?:people|folk)|white (?:area|people)|"
    r"what are the (?:people|neighbou?rs) like"
)
"""Fair housing: who lives somewhere is no question for this desk."""
ONCE = _words(
    r"(?:my|our) (?:\w+ )?(?:grandfather|grandmother|grandad|grandpa|grandma|father|mother|dad|mum|uncle|aunt|parents|"
    r"brother|sister|friend|mate|colleague|wife|husband|son|daughter|neighbour|boss|cousin)s? (?:once |always |had |"
    r"has |was |were )?(?:paid|bought|had|got|said|"
    r"says|told|thinks?|lost|used)|back then|in (?:my|his|her|their) (?:day|days|youth|time)|when i was"
)
SELLS = _words(rf"(?:sell|rent out|let) (?:my|our|the|a) (?:\w+ )?{_HOME}")
LEAVING = _words(r"bye|goodbye|good night|see you|that's all|that is all|that was all|have a (?:nice|good|great)")
MAYBE = re.compile(
    r"^\W*(?:hm+\W+)?(?:maybe|perhaps|possibly|i guess|not sure|i'm not sure|we'll see|hm+)\b(?!.*\?)", re.I
)
