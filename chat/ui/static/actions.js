// What clicks and keys mean. Everything that can be clicked has data-do.

import { patch } from "./patch.js";
import { _ } from "./words.js";
import { choice, toast } from "./dialog.js";
import * as kept from "./kept.js";
import * as listed from "./listed.js";
import * as models from "./models.js";
import { change } from "./rerun.js";
import * as gallery from "./gallery.js";
import { draw, redraw } from "./diagrams.js";
import { hear, speak } from "./voice.js";
import * as world from "./world.js";

const body = document.body;
let duet;

const here = {
  new: (link, event) => (event.preventDefault(), duet.open("")),
  side: () => toggleSide(),
  "close-side": () => toggleSide(),
  settings: () => (models.close(), body.classList.toggle("settings-open") ? focusIn("settings") : opener("settings")),
  ...models.deeds,
  theme: () => setTheme(isDark() ? "light" : "dark"),
  import: () => document.getElementById("import").click(),
  down: () => duet.newest(),
  fill: (button) => (world.stepAside(), duet.setBox(button.querySelector("b").textContent)),
  say: (button) => (gallery.close(), duet.say(button.dataset.words)),
  gallery: () => gallery.open(),
  "close-gallery": () => gallery.close(),
  world: () => world.toggle(),
  episode: (button) => world.look(Number(button.dataset.number), null),
  step: (button) => world.look(undefined, Number(button.dataset.step)),
  now: () => world.look(undefined, null),
  unfold: (button) => (button.closest(".folded").classList.remove("folded"), button.remove()),
  copy: (button) => copy(words(button.closest(".said, .reply").querySelector(".words, .prose"))),
  "copy-code": (button) => copy(button.closest("figure").querySelector("code").textContent),
  change: (button) => change(button.closest("dl"), duet),
  speak: (button) => speak(button),
  hear: (button) => hear(button, duet),
  explain: (figure) => toast(`${figure.title}.`),
  "retry-with": (button) => answerWith(button.dataset.turn),
  stop: (button) => duet.ask("stop", button.dataset.session ? { session: button.dataset.session } : {}),
  edit: (button) => edit(button.closest("article"), Number(button.dataset.turn)),
  earlier: () => duet.more(),
  later: () => duet.more(),
  again: () => duet.again(),
  ...listed.deeds,
};

export function listen(page) {
  duet = page;
  document.addEventListener("click", click);
  document.addEventListener("keydown", key);
  document.addEventListener("focusin", left);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", drop);
  document.addEventListener("paste", paste);
  setTheme(kept.get("duet-theme"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(kept.get("duet-theme")));
}

function click(event) {
  const summary = event.target.closest("summary");
  if (summary) summary.parentElement.dataset.touched = "1";
  if (summary) setTimeout(duet.scrolled, 50);
  for (const menu of document.querySelectorAll("details.menu[open]"))
    if (!menu.contains(event.target)) menu.open = false;
    else if (event.target.closest("[role=menuitem]")) shut(menu); // a window that it opens gives the focus back
  const link = event.target.closest("#list a:not([download]), #running a");
  if (link && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    return duet.open(...listed.led(link));
  }
  if (event.target.id === "thread" || event.target.closest("#main")) narrowClose(event);
  const button = event.target.closest("[data-do]");
  if (!button || button.ariaDisabled) return;
  const what = button.dataset.do;
  if (here[what]) return here[what](button, event);
  const { turn, value, document: file } = button.dataset;
  duet.ask(what, { turn, value, document: file });
}

function narrowClose(event) {
  if (!event.target.closest("[data-do]")) body.classList.remove("side-open");
}

function key(event) {
  const typing = event.target.matches("input, textarea, select");
  const menu = ["ArrowDown", "ArrowUp"].includes(event.key) && event.target.closest("details.menu[open]");
  if (menu) return event.preventDefault(), walk(menu, event.key === "ArrowDown" ? 1 : -1);
  if (event.key === "Escape") return escape(event);
  if (event.key === "/" && !typing) return event.preventDefault(), duet.setBox(document.querySelector("#box textarea").value);
  if (event.key.toLowerCase() === "o" && event.shiftKey && (event.ctrlKey || event.metaKey)) event.preventDefault(), duet.open("");
}

function walk(menu, by) {
  const items = [...menu.querySelectorAll("[role=menuitem]")];
  const at = items.indexOf(document.activeElement);
  items[at < 0 ? 0 : (at + by + items.length) % items.length].focus();
}

function escape(event) {
  if (document.querySelector("dialog[open]") || event.isComposing) return;
  if (event.target.matches("input[type=search]") && event.target.value) return; // it is emptied
  const editing = event.target.closest?.(".editing");
  const menu = document.querySelector("details.menu[open]");
  if (editing) return endEdit(editing.closest("article"));
  if (menu) return shut(menu);
  if (models.close()) return;
  if (body.classList.contains("settings-open")) return here.settings();
  if (world.stepAside()) return;
  if (body.classList.contains("side-open")) return toggleSide();
  if (duet.running) duet.ask("stop");
}

function toggleSide() {
  const narrow = matchMedia("(max-width: 860px)").matches;
  if (body.classList.toggle(narrow ? "side-open" : "side-closed") && narrow) focusIn("side");
  else opener("side");
}

const opener = (what) => document.querySelector(`#top [data-do=${what}]`).focus();

const shut = (menu) => ((menu.open = false), menu.querySelector("summary").focus());

// What the focus has left does not stay in the way.
function left({ target }) {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(target)) menu.open = false;
  if (target.closest("#main")) body.classList.remove("side-open");
}

function focusIn(id) {
  setTimeout(() => document.querySelector(`#${id} button, #${id} input`)?.focus(), 50);
}

// -- a turn

// Enter does, but not on a keyboard of glass, which has no other key for a new line, nor while it ends the choice of a word
// (229: Safari says so later).
export function sends(event) {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return false;
  return !matchMedia("(hover: none) and (pointer: coarse)").matches;
}

function edit(article, turn) {
  if (article.querySelector(".editing")) return;
  const said = article.querySelector(".said");
  const form = document.createElement("form");
  form.className = "editing";
  form.innerHTML = '<textarea></textarea><div><small></small><button type="button"></button><button class="yes"></button></div>';
  const [small, cancel, send] = form.querySelectorAll("small, button");
  small.textContent = _("This version is kept: arrows lead back to it.");
  cancel.textContent = _("Cancel");
  send.textContent = _("Send again");
  const area = form.querySelector("textarea");
  area.setAttribute("aria-label", _("Edit your message"));
  area.dir = "auto";
  const words = said.querySelector(".words");
  area.value = words.dataset.said ?? words.textContent; // of a command, what it says
  form.querySelector("button").addEventListener("click", () => endEdit(article));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (send.disabled) return;
    if (!area.value.trim()) return toast(_("The message is empty: type what you would like to say or ask."), { grave: true });
    send.disabled = true;
    const answer = await duet.ask("edit", { turn, text: area.value });
    send.disabled = false;
    if (answer && !answer.fault) endEdit(article); // what was not taken stays to be sent again
  });
  area.addEventListener("keydown", (event) => {
    if (sends(event)) event.preventDefault(), form.requestSubmit();
  });
  said.classList.add("hidden");
  said.after(form);
  area.style.height = `${Math.min(320, area.scrollHeight + 4)}px`;
  area.focus();
}

async function answerWith(turn) {
  const session = duet.seen;
  const got = await fetch(`models/choices?c=${encodeURIComponent(session)}`).catch(() => null);
  if (!got?.ok) return toast(_("The models cannot be listed right now: try it again."), { grave: true });
  const about = _("This one turn is answered by it; the version before is kept.");
  const value = await choice({ title: _("Answer with another model"), about, of: Object.entries(await got.json()), yes: _("Answer") });
  if (value) duet.ask("retry", { turn, value, session });
}

function endEdit(article) {
  article.querySelector(".editing")?.remove();
  patch(article, article.html);
  draw(article);
  article.querySelector("[data-do=edit]")?.focus();
}

// A reply is copied as it was written, with its Markdown and its formulas.
const words = (element) => element.dataset.source ?? element.innerText;

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(_("Copied."));
  } catch {
    toast(_("The browser does not allow copying here: select the text and copy it by hand."), { grave: true });
  }
}

// -- files

const drop = (event) => attach(event, event.dataTransfer);

// Files that were copied somewhere else; words are pasted as ever, also those that Office puts a picture of beside them.
const paste = (event) =>
  ["text/plain", "text/html"].every((type) => event.clipboardData.types.includes(type)) || attach(event, event.clipboardData);

function attach(event, carried) {
  const input = document.querySelector("#attach input[type=file]") ?? document.querySelector("input[type=file]");
  if (!carried?.files.length || !input) return;
  event.preventDefault();
  input.files = carried.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

// -- light and dark

const isDark = () => body.classList.contains("dark");

function setTheme(choice) {
  const dark = choice ? choice === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  if (choice) kept.put("duet-theme", choice);
  body.classList.toggle("dark", dark);
  redraw();
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
}
