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
        + 'aria-label="Search conversations" autocomplete="off"></label><div id="list"></div>'
        + f'<button type="button" class="import" data-do="import">{icon("import")}Import a conversation</button></nav>'
    )


def top() -> str:
    return (
        "<header>" + button("side", "Conversations", "menu") + '<h1 id="title" dir="auto"></h1>'
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


SPECS = (
    "<details><summary>What can stand there</summary><dl>"
    "<dt>embedded</dt><dd>the model that comes with Duet, as large as this machine allows</dd>"
    "<dt>embedded:0.5b, embedded:1.5b</dt><dd>the quicker and the more able of the two</dd>"
    "<dt>gguf:/path/to/model.gguf</dt><dd>any GGUF file</dd>"
    "<dt>openai:gpt-4.1</dt><dd>OpenAI, with OPENAI_API_KEY set</dd>"
    "<dt>openai:qwen3@http://127.0.0.1:8000/v1</dt><dd>any compatible server</dd>"
    "<dt>hf:Qwen/Qwen2.5-1.5B-Instruct</dt><dd>transformers; add ?quant=4bit on a GPU</dd></dl></details>"
)
