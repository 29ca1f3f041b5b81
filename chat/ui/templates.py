"""The page's fixed markup. Gradio compiles these as templates, so no words of people or models may stand in them."""

from __future__ import annotations

from chat.ui.icons import button, icon
from tools.domains import abouts

EXAMPLES = (
    ("What is 387 times 46?", "A sum, done with the calculator"),
    ("How many days are there from today to 24 December?", "A date, counted and not guessed"),
    ("I ran 26.2 miles. How many kilometres is that?", "A unit, converted"),
    ("Bring some water to a boil in the lab.", "A task in a simulated laboratory"),
    ("Put a clean mug in the coffee machine.", "A task in a simulated household"),
    ("Tell me something nice about rainy days.", "Small talk, answered at once"),
)


def side() -> str:
    return (
        '<nav aria-label="Conversations"><header><a class="brand" href="?" data-do="new">'
        '<span class="mark" aria-hidden="true"><i></i><i></i></span>Duet</a>'
        + button("close-side", "Close the list", "close", css="narrow")
        + '</header><button type="button" class="new" data-do="new">'
        + f"{icon('plus')}New conversation</button>"
        + f'<label class="find">{icon("search")}<input id="find" type="search" placeholder="Search" '
        + 'aria-label="Search conversations" autocomplete="off"></label>'
        + '<section id="running" aria-label="Running" aria-live="polite"></section><div id="list"></div>'
        + f'<button type="button" class="import" data-do="import">{icon("import")}Import a conversation</button>'
        + f'<button type="button" class="import" data-do="unremembered">{icon("person")}Temporary conversation</button>'
        + f'<a class="import" href="memory">{icon("book")}Memory</a></nav>'
    )


def top() -> str:
    return (
        '<div id="away" role="alert" hidden><p>Duet does not answer. What you type is kept, and it is tried again.</p>'
        '<button type="button" class="b text" data-do="again">Try now</button></div>'
        "<header>" + button("side", "Conversations", "menu") + '<h1 id="title" dir="auto"></h1>'
        '<button type="button" id="minds" data-do="models" aria-label="Models" title="Which model answers"></button>'
        '<div id="health" role="status" aria-label="Models" tabindex="0"></div>'
        + button("world", "World", "world", css="to-world")
        + button("theme", "Light or dark", "sun") + button("settings", "Settings", "gear") + "</header>"
    )  # fmt: skip


def welcome() -> str:
    prompts = "".join(
        f'<button type="button" data-do="fill"><b>{words}</b><span>{about}</span></button>' for words, about in EXAMPLES
    )
    return (
        '<section id="desk" aria-label="Desk" hidden></section>'
        '<section id="welcome" hidden><span class="mark big" aria-hidden="true"><i></i><i></i></span>'
        "<h2>Two minds, one conversation</h2>"
        '<p>The <em class="fast">fast mind</em> answers at once. Where it takes more, the '
        '<em class="slow">slow mind</em> reasons and acts step by step, and what it finds stays in '
        '<em class="memory">memory</em>.</p>'
        f'<div class="prompts">{prompts}</div><p class="desks">Or sit down at a desk: {_desks()}</p></section>'
        '<button type="button" id="earlier" data-do="earlier" hidden></button>'
        '<div id="turns" role="log" aria-label="Conversation" aria-live="polite"></div>'
        + '<button type="button" id="down" data-do="down" hidden>'
        + icon("chevron")
        + "<span>Newest</span></button>"
    )


def _desks() -> str:
    return "".join(
        f'<button type="button" data-do="desk" data-value="{about.name}" title="{about.sentence}">'
        f"{about.title}</button>"
        for about in abouts()
    )


def world() -> str:
    return (
        '<aside aria-label="World" tabindex="-1"><header><b>World</b>'
        + button("world", "Close the world panel", "close")
        + '</header><div id="world-view"></div></aside>'
    )


def models() -> str:
    """The picker. What changes in it comes from chat/ui/picker.py."""
    minds = "".join(
        f'<label><input type="radio" name="for" value="{value}"{" checked" if value == "both" else ""}>{words}</label>'
        for value, words in (("both", "both minds"), ("fast", "fast"), ("slow", "slow"))
    )
    return (
        f'<aside aria-label="Models"><header><h2>Models</h2>{button("models", "Close the models", "close")}</header>'
        f'<fieldset class="for"><legend>Choose for</legend>{minds}</fieldset>'
        '<label class="also"><input type="checkbox" id="also" checked>also for new conversations</label>'
        '<div id="models-view"></div><div id="try-view" aria-live="polite"></div>'
        '<section><h3>A key, or an address</h3><form id="key-form"><input name="text" type="password" '
        'autocomplete="off" spellcheck="false" placeholder="Paste a key, or https://…" aria-label="Key or address">'
        '<button class="b text yes">Look</button><input name="key" type="password" autocomplete="off" hidden '
        'placeholder="Its key, if it wants one" aria-label="Key of the address"></form>'
        '<div id="key-view" aria-live="polite"></div>'
        "<p>A key is kept in a file that you alone can read. It goes to its own address only, and is not shown.</p>"
        '</section><section><h3>Any GGUF file of the hub</h3><form id="hub-form"><input name="text" autocomplete="off" '
        'spellcheck="false" placeholder="OWNER/NAME/FILE.gguf" aria-label="File of the hub">'
        '<button class="b text">Add</button></form></section></aside>'
    )


def settings_head(user: str) -> str:
    name = "".join(c if c.isalnum() or c in " -_.@" else f"&#{ord(c)};" for c in user)
    whose = (
        f'<p class="who">You are <b>{name}</b>. '
        "Conversations and memory belong to this name; DUET_USER sets another.</p>"
        if user
        else '<p class="who"><a href="/account" target="_self">Your account</a>: '
        "password, tokens for the API, sign out.</p>"
    )
    return (
        f"<header><h2>Settings</h2>{button('settings', 'Close the settings', 'close')}</header>"
        f'{whose}<p id="options-fault" class="fault" role="alert" hidden></p>'
    )


BAR = (
    '<div id="offer" role="status"></div><ul id="documents" aria-label="Documents"></ul>'
    '<div id="state" role="status"></div>'
)

OWN = (
    '<details id="instructions"><summary>Instructions</summary><label>For all conversations'
    '<textarea rows="3" data-own-words="instructions" placeholder="Answer in short sentences."></textarea></label>'
    '<label>For this conversation<textarea rows="3" data-own-words="here"></textarea></label>'
    "<p>Kept when you leave the field; they count from the next message on.</p></details>"
    '<details id="own-prompts"><summary>Prompts behind /</summary><ul></ul><form>'
    '<input name="name" maxlength="40" autocomplete="off" placeholder="Name" aria-label="Name of the prompt">'
    '<textarea name="text" rows="3" placeholder="What is to stand in the box" aria-label="Words of the prompt">'
    '</textarea><button class="b text">Keep</button></form></details>'
)

SPECS = (
    "<details><summary>What can stand there</summary><dl>"
    "<dt>embedded</dt><dd>the model that comes with Duet, as large as this machine allows</dd>"
    "<dt>embedded:0.5b, embedded:1.5b, embedded:4b</dt><dd>from the quickest to the most able</dd>"
    "<dt>gguf:/path/to/model.gguf</dt><dd>any GGUF file; gguf:hf:OWNER/NAME/FILE.gguf one of the hub</dd>"
    "<dt>openai:gpt-4.1</dt><dd>OpenAI, with OPENAI_API_KEY set</dd>"
    "<dt>openai:qwen3@http://127.0.0.1:8000/v1</dt><dd>any compatible server</dd>"
    "<dt>langchain:anthropic:claude-sonnet-4-5</dt><dd>any provider whose LangChain package is installed</dd>"
    "<dt>hf:Qwen/Qwen2.5-1.5B-Instruct</dt><dd>transformers; add ?quant=4bit on a GPU</dd></dl></details>"
)
