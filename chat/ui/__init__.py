"""The page. It follows the event log and nothing else: what it shows is what SQLite holds.

markup.py    words of people and models, in Markdown -> safe HTML, or as text that never means markup
maths.py     LaTeX in them -> MathML
fields.py    what an event's data holds
bubbles.py   events -> bubbles, what a conversation looks like as data; pure functions
thread.py    bubbles -> the HTML of a turn, by thread.html
listed.py    the conversation list, by listed.html
world.py     the panel of a text world, by world.html; world_map.py is its map
drawing.py   fills such templates, panels.html (around the conversation) and page.html (the fixed markup) among them
follow.py    a session as a stream of small updates for the browser (server-sent events)
answers.py   how the page's own routes answer; routes.py has them
actions.py   what a click or a key asks for
picker.py    which model answers: fetched, found, behind a key; model_panel.py is its HTML
guard.py     which routes of Gradio the browser may use, and with which files
stubs.py     imports Gradio in half its time
page.py      the Gradio page that holds it all; `mount` puts it on a FastAPI app
static/      style, script, icon
"""
