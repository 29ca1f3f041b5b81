"""The page's fixed markup. Gradio compiles these as templates, so no words of people or models may stand in them."""

from __future__ import annotations

from chat.ui.icons import button, icon
from chat.ui.language import COOKIE, N_, _, languages
from tools.domains import abouts

EXAMPLES = (
    (N_("What is 387 times 46?"), N_("A sum, done with the calculator")),
    (N_("How many days are there from today to 24 December?"), N_("A date, counted and not guessed")),
    (N_("I ran 26.2 miles. How many kilometres is that?"), N_("A unit, converted")),
    (N_("Bring some water to a boil in the lab."), N_("A task in a simulated laboratory")),
    (N_("Put a clean mug in the coffee machine."), N_("A task in a simulated household")),
    (N_("Tell me something nice about rainy days."), N_("Small talk, answered at once")),
)


def side() -> str:
    return (
        f'<nav aria-label="{_("Conversations")}"><header><a class="brand" href="?" data-do="new">'
        '<span class="mark" aria-hidden="true"><i></i><i></i></span>Duet</a>'
        + button("close-side", _("Close the list"), "close", css="narrow")
        + '</header><button type="button" class="new" data-do="new">'
        + f"{icon('plus')}{_('New conversation')}</button>"
        + f'<label class="find">{icon("search")}<input id="find" type="search" placeholder="{_("Search")}" '
        + f'aria-label="{_("Search conversations")}" autocomplete="off"></label>'
        + f'<section id="running" aria-label="{_("Running")}" aria-live="polite"></section><div id="list"></div>'
        + f'<button type="button" class="import" data-do="import">{icon("import")}{_("Import a conversation")}</button>'
        + '<button type="button" class="import" data-do="unremembered">'
        + f"{icon('person')}{_('Temporary conversation')}</button>"
        + f'<a class="import" href="memory">{icon("book")}{_("Memory")}</a></nav>'
    )


def top() -> str:
    away = _("Duet does not answer. What you type is kept, and it is tried again.")
    return (
        f'<div id="away" role="alert" hidden><p>{away}</p>'
        f'<button type="button" class="b text" data-do="again">{_("Try now")}</button></div>'
        "<header>" + button("side", _("Conversations"), "menu") + '<h1 id="title" dir="auto"></h1>'
        f'<button type="button" id="minds" data-do="models" aria-label="{_("Models")}" '
        f'title="{_("Which model answers")}"></button>'
        f'<div id="health" role="status" aria-label="{_("Models")}" tabindex="0"></div>'
        + button("world", _("World"), "world", css="to-world")
        + button("theme", _("Light or dark"), "sun") + button("settings", _("Settings"), "gear") + "</header>"
    )  # fmt: skip


def welcome() -> str:
    prompts = "".join(
        f'<button type="button" data-do="fill"><b>{_(words)}</b><span>{_(about)}</span></button>'
        for words, about in EXAMPLES
    )
    about = _(
        'The <em class="fast">fast mind</em> answers at once. Where it takes more, the <em class="slow">slow mind</em> '
        'reasons and acts step by step, and what it finds stays in <em class="memory">memory</em>.'
    )
    return (
        f'<section id="desk" aria-label="{_("Desk")}" hidden></section>'
        '<section id="welcome" hidden><span class="mark big" aria-hidden="true"><i></i><i></i></span>'
        f"<h2>{_('Two minds, one conversation')}</h2><p>{about}</p>"
        f'<div class="prompts">{prompts}</div><p class="desks"><button type="button" data-do="gallery">'
        f"{icon('world')} {_('All tasks in text worlds')}</button></p>"
        f'<p class="desks">{_("Or sit down at a desk:")} {_desks()}</p></section>'
        '<button type="button" id="earlier" data-do="earlier" hidden></button>'
        f'<div id="turns" role="log" aria-label="{_("Conversation")}" aria-live="polite"></div>'
        '<button type="button" id="later" data-do="later" hidden></button>'
        + '<button type="button" id="down" data-do="down" hidden>'
        + icon("chevron")
        + f"<span>{_('Newest')}</span></button>"
    )


def _desks() -> str:
    return "".join(
        f'<button type="button" data-do="desk" data-value="{about.name}" title="{_(about.sentence)}">'
        f"{_(about.title)}</button>"
        for about in abouts()
    )


def speak() -> str:
    return button("hear", _("Speak instead of typing"), "microphone")


def keys() -> str:
    return _("<kbd>Enter</kbd> sends · <kbd>Shift+Enter</kbd> new line · <kbd>Esc</kbd> stops")


def world() -> str:
    return (
        f'<aside aria-label="{_("World")}" tabindex="-1"><header><b>{_("World")}</b>'
        + button("world", _("Close the world panel"), "close")
        + '</header><div id="world-view"></div></aside>'
    )


def models() -> str:
    """The picker. What changes in it comes from chat/ui/picker.py."""
    minds = "".join(
        f'<label><input type="radio" name="for" value="{value}"{" checked" if value == "both" else ""}>{words}</label>'
        for value, words in (("both", _("both minds")), ("fast", _("fast")), ("slow", _("slow")))
    )
    secret = _("A key is kept in a file that you alone can read. It goes to its own address only, and is not shown.")
    close = button("models", _("Close the models"), "close")
    return (
        f'<aside aria-label="{_("Models")}"><header><h2>{_("Models")}</h2>{close}</header>'
        f'<fieldset class="for"><legend>{_("Choose for")}</legend>{minds}</fieldset>'
        f'<label class="also"><input type="checkbox" id="also" checked>{_("also for new conversations")}</label>'
        '<div id="models-view"></div><div id="try-view" aria-live="polite"></div>'
        f'<section><h3>{_("A key, or an address")}</h3><form id="key-form"><input name="text" type="password" '
        f'autocomplete="off" spellcheck="false" placeholder="{_("Paste a key, or https://…")}" '
        f'aria-label="{_("Key or address")}">'
        f'<button class="b text yes">{_("Look")}</button><input name="key" type="password" autocomplete="off" hidden '
        f'placeholder="{_("Its key, if it wants one")}" aria-label="{_("Key of the address")}"></form>'
        f'<div id="key-view" aria-live="polite"></div><p>{secret}</p></section>'
        f'<section><h3>{_("Any GGUF file of the hub")}</h3><form id="hub-form"><input name="text" autocomplete="off" '
        f'spellcheck="false" dir="ltr" placeholder="OWNER/NAME/FILE.gguf" aria-label="{_("File of the hub")}">'
        f'<button class="b text">{_("Add")}</button></form></section></aside>'
    )


def settings_head(user: str) -> str:
    name = "".join(c if c.isalnum() or c in " -_.@" else f"&#{ord(c)};" for c in user)
    you = _("You are {name}. Conversations and memory belong to this name; DUET_USER sets another.")
    account = _('<a href="/account" target="_self">Your account</a>: password, tokens for the API, sign out.')
    whose = you.format(name=f"<b>{name}</b>") if user else account
    return (
        f"<header><h2>{_('Settings')}</h2>{button('settings', _('Close the settings'), 'close')}</header>"
        f'<p class="who">{whose}</p><p id="options-fault" class="fault" role="alert" hidden></p>{_languages()}'
    )


def _languages() -> str:
    """Which one the page speaks; static/tongue.js keeps the choice."""
    named = "".join(f'<option value="{code}" lang="{code}">{name}</option>' for code, name in languages().items())
    return (
        f'<label class="language">{_("Language of the page")}<select id="language" data-cookie="{COOKIE}">'
        f'<option value="">{_("As the browser asks")}</option>{named}</select></label>'
    )


def bar() -> str:
    return (
        f'<div id="offer" role="status"></div><ul id="documents" aria-label="{_("Documents")}"></ul>'
        '<div id="state" role="status"></div>'
    )


def own() -> str:
    return (
        f'<details id="instructions"><summary>{_("Instructions")}</summary><label>{_("For all conversations")}'
        f'<textarea rows="3" dir="auto" data-own-words="instructions" placeholder="{_("Answer in short sentences.")}">'
        f"</textarea></label><label>{_('For this conversation')}"
        '<textarea rows="3" dir="auto" data-own-words="here"></textarea></label>'
        f"<p>{_('Kept when you leave the field; they count from the next message on.')}</p></details>"
        f'<details id="own-prompts"><summary>{_("Prompts behind /")}</summary><ul></ul><form>'
        f'<input name="name" maxlength="40" autocomplete="off" dir="auto" placeholder="{_("Name")}" '
        f'aria-label="{_("Name of the prompt")}"><textarea name="text" rows="3" dir="auto" '
        f'placeholder="{_("What is to stand in the box")}" aria-label="{_("Words of the prompt")}">'
        f'</textarea><button class="b text">{_("Keep")}</button></form></details>'
    )


_SPECS = (
    ("embedded", N_("the model that comes with Duet, as large as this machine allows")),
    ("embedded:0.5b, embedded:1.5b, embedded:4b", N_("from the quickest to the most able")),
    ("gguf:/path/to/model.gguf", N_("any GGUF file; gguf:hf:OWNER/NAME/FILE.gguf one of the hub")),
    ("openai:gpt-4.1", N_("OpenAI, with OPENAI_API_KEY set")),
    ("openai:qwen3@http://127.0.0.1:8000/v1", N_("any compatible server")),
    ("langchain:anthropic:claude-sonnet-4-5", N_("any provider whose LangChain package is installed")),
    ("hf:Qwen/Qwen2.5-1.5B-Instruct", N_("transformers; add ?quant=4bit on a GPU")),
)


def specs() -> str:
    rows = "".join(f'<dt dir="ltr">{spec}</dt><dd>{_(about)}</dd>' for spec, about in _SPECS)
    return f"<details><summary>{_('What can stand there')}</summary><dl>{rows}</dl></details>"
