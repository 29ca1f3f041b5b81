"""What stands around a command and is none: fillers, lead-ins, questions, prohibitions, talk. Tables only."""

from __future__ import annotations

import re

from tools.worlds.words.nouns import words

FILLERS = words(
    "please kindly probably definitely certainly surely preferably obviously  just simply quickly carefully "
    "gently slowly immediately actually really now maybe perhaps "
    "also too thanks ok okay hey hi hello yo alright duet robot agent buddy dude mate bro pal sir friend "
    "assistant possibly somehow quick softly finally afterwards afterward hmm um uh er oh ah huh eh well "
    "literally basically then anyway already lol meanwhile already promptly again sweetie honey dear man "
    "bot ai mister chef captain boss doc matey guys folks stat pretty mr mrs miss haha hahaha xd cheers ta yes "
    "yeah yep yup sure fine great perfect awesome excellent"
)
PERCEIVING = words("see tell hear explain help remember know think say show guess feel understand smell believe recall")
MODALS = "can|could|would|will|may|might|shall|should|must"
LEADS = tuple(
    re.compile(f"^(?:{pattern})(?= |$)")
    for pattern in (
        rf"(?:{MODALS})(?: not)? (?:you|we)(?: not)?(?: be so kind as to| be able to| be kind enough to| try "
        rf"to| go ahead and| mind| help me)?",
        r"(?:i|we) would (?:rather|sooner)(?: have)?(?: you)?",
        r"go(?: and)?(?= (?:heat|cool|clean|wash|open|close|put|use|turn|slice|cut|rinse|chill|warm|place|"
        r"drop|switch|pour) )",
        r"(?:reach out|reach over|step up|lean over|bend down|stand up|wake up|turn around|go up|come along) and",
        r"(?:would|do) you mind|(?:you )?mind(?= [a-z]+ing )",
        r"do you think (?:you|we) (?:could|can|should)",
        r"(?:is|would) it (?:be )?(?:possible |fine |all right |too much |too much trouble |cool )?(?:for you )?to",
        r"are you able to",
        r"(?:might|may)(?= (?!i |it |the |there |he |she |this |that )[a-z])",
        r"(?:i|we) would be (?:very |so |most |really )?(?:grateful|happy|glad|thankful|obliged|"
        r"pleased) if (?:you|we)(?: could| would)?",
        r"it would be (?:great|good|nice|lovely|helpful|best|wise|a good idea)(?: if (?:you|we)(?: could|"
        r" would)?| to)",
        r"(?:i was|i am) wondering if (?:you|we) could",
        r"(?:is there )?any chance (?:you|we) (?:could|can)",
        r"(?:i|we) (?:would|will) (?:really |much )?(?:like|love|prefer|appreciate)(?: it)?(?: if)?(?: "
        r"for)?(?: you| us)?(?: to| could| would)?",
        r"(?:i|we) (?:want|need|wish|expect|command|order|ask|urge|tell|beg)(?: for)? (?:you|us) to",
        r"(?:i|we|you) (?:want|need|have|wish|got|ought|intend|plan) to",
        r"(?:i|we|you) have got to",
        r"(?:i|we|you) (?:want|need|must|like|would like|going|gonna)(?= (?:eat|take|go|open|close|put|see|look|"
        r"cook|heat|"
        r"cool|clean|wash|use|pick|drop|drink|read|mix|pour|move|focus|grab|check|turn|connect|examine|visit) )",
        r"(?:i think|i guess|i suppose|i say|i believe|i suggest|it seems|i would say|i reckon|think|"
        r"guess)(?: that)?(?= (?:you|we|i|it is time|let))",
        r"(?:you|we|i) (?:should|must|could|can|may|might|will|shall|had better|would better|better)(?: want to)?(?: "
        r"also| now| first)?(?! not)",
        r"(?:i am|we are|you are) (?:going|about|supposed|ready|meant) to",
        r"let us(?: try to| try and)?(?! see)",
        r"let me(?! see)",
        r"how about(?: (?:we|you|i))?(?: try)?",
        r"what about",
        r"why (?:do not|not)(?: (?:we|you|i))?",
        r"what if (?:we|you|i)",
        r"go (?:ahead|on)(?: and| then)?",
        r"(?:try|attempt) (?:to|and)",
        r"try(?= [a-z]+ing )",
        r"(?:start|begin|commence|continue|finish)(?: off)?(?: by| with| to)(?= [a-z]+)",
        r"be (?:so kind as to|a dear and|so good as to|kind enough to|sure to|a pal and|nice and)",
        r"do me a (?:favou?r|solid)(?: and)?,?",
        r"proceed to",
        r"it is time to|time to",
        r"(?:make|be) (?:sure|certain)(?: that)?(?: to)?(?: you| we)?",
        r"(?:my|your|our|the) (?:goal|task|job|next step|plan|next task|first step|mission|aim|next move|"
        r"move|next action|idea) (?:is|will be) to",
        r"help me(?: to| by)?(?= )",
        r"(?:feel free|remember|be ready|get ready|get|want|like|need|have|prepare) to(?= (?!the |a |my |"
        r"your )[a-z]+)",
        r"(?:hurry(?: up)?|come on|come over|go over there|go there|get over there|come here|walk over|go "
        r"over|head over|run over|come along|go|get up) and",
        r"come on",
        r"hurry(?: up)?(?! (?:over|to|back|into|along|across)\b)",
        r"do not forget to",
        r"do not hesitate to",
        r"first(?: of all| off| things first)",
        r"secondly",
        r"thirdly|firstly|lastly",
        r"next up",
        r"after that",
        r"after this",
        r"so(?: then)?",
        r"right",
        r"all right",
        r"good",
        r"nice",
        r"listen",
        r"look here",
        r"and",
        r"but",
        r"or",
        r"to(?= (?!the |a |my |your |that )[a-z])",
        r"(?:i|we|you)(?= [a-z]+)",
        r"thank you(?: very much| so much)?",
        r"my friend",
        r"good job",
        r"well done",
        r"from there",
        r"once there",
        r"no",
        r"instead",
        r"after",
        r"what (?:i|we) (?:want|need|would like)(?: for)?(?: you| us)? (?:to do )?(?:now )?is(?: for "
        r"you)?(?: to)?",
        r"the next thing (?:to do |you should do |we should do )?is to",
        r"in that case",
        r"if so",
        r"would",
        r"could",
        r"by",
        r"be a good (?:robot|boy|girl|bot|sport) and",
        r"i insist(?: that)?(?: you)?",
        r"for now",
        r"for starters",
        r"quick",
        r"which means",
        r"this time",
        r"as a next step",
    )
)
QUESTION = re.compile(
    r"^(?:what|where|who|whose|whom|why|which|when|how|is|are|am|was|were|does|did|has|had|do (?:you|we|i|"
    r"they)|have (?:you|we|i)|"
    r"can i|could i|may i|should i|should we|might|is there|are there|must i|will (?:it|the|this|that|there|"
    r"i)|would (?:it|the|this|that|there|i)|"
    r"can (?:the|it|this|that|a|there)|could (?:the|it|this|that|there)|should (?:the|it|this|that))\b"
)
NEGATION = re.compile(
    r"^(?:(?:i|you|we) )?(?:(?:would|should|could|must|can|do|does|will|had|might|may|shall) )?(?:better "
    r")?(?:not|never|avoid|refrain from|no need to|quit [a-z]+ing|stop [a-z]+ing|skip(?! (?:over|on|along|"
    r"across|to|back|ahead|into)\b)|ignore|forget about|"
    r"there is no need to|you need not|no more|do not|hold off on|abstain from|leave off)(?= |$)|^(?:i|we) "
    r"(?:do not|would not|would rather not|would prefer not)|^(?:it is|that is) not|^under no circumstances|"
    r"^leave (?:it|this|that|them|this one|that one)(?: alone| be)?$"
)
TALK = re.compile(
    r"^(?:never mind|stop (?:it|that|this)|give it a (?:rest|break)|drop (?:dead|it already)|forget it|"
    r"cancel|undo|stop|hello|hi|thanks|thank you|ok|yes|no|sorry|great|good|nice|"
    r"cool|wow|lol|help me|quit|exit|bye|goodbye|"
    r"good (?:morning|evening|night|job|work|afternoon)|well done|wait what|go on|carry on|"
    r"continue|take over|keep going|let me (?:think|drive|do (?:it|this|that)|take over)(?: .*)?|"
    r"give up|start over|restart|begin again|go ahead|take it easy|take care|take your time|leave it|leave "
    r"it alone|get it|got it|i see|let me see|let us see|"
    r"hands off|your turn|my turn|get lost|get out|shut up|close call|sit|think|turn around|look out|watch "
    r"out|move on|come on|cut it out|knock it off|hurry|hurry up|get going|go|go away|"
    r"read the room|hit the road|break a leg|take a break|take a (?:nap|walk|guess|chance|seat|joke|rest|"
    r"breath)|take five|make my day|let it go|get started|let us (?:go|start|begin|play)|keep it up|wait)$"
)
WISH = re.compile(
    r"^(?:(?:can|could|may|might) (?:i|we) (?:have|get|borrow|trouble you for|bother you for)|(?:i am|"
    r"we are) (?:after|in need of)|"
    r"(?:i|we) (?:will|am going to|are going to) (?:be needing|need|require)|(?:i|we) (?:could do with|"
    r"fancy|require|could use)|(?:i|we) (?:would like|would love|will have|will take)|"
    r"(?:give|pass|hand|get|fetch) (?:me|us)(?: back)?|let (?:me|us) have) (?=(?:the|a|an|that|this|some|my|"
    r"your|all|both|those|these|one)\b)"
)
CUT = re.compile(
    r" (?:so that|so (?:we|i|you)|because|since|in case|as (?:it|we|i|you) |without|instead of|rather than|"
    r"unless|or else|(?:when|once|after|if) (?:you|we|i) |except|but not|and not|not (?:the|a|that|this)|"
    r"as (?:the|my|our|your|an?) |until|"
    r"for (?:\d+|an?|one|two|three|five|"
    r"ten|some|several|a few) (?:more )?(?:minute|second|hour|step|turn)s?|for (?:me|us|him|her|you|later|"
    r"now|"
    r"dinner|lunch|breakfast|good|sure|safety|real|the (?:task|experiment|time|next|moment)|a (?:bit|while|"
    r"moment|minute|snack)|use|cooking|inspection|cleaning|heating)|cause|cuz|while) ?.*$"
)
