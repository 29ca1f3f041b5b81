// What a person sets for themselves: instructions, and prompts that stand behind "/" in the box.

import { _ } from "./words.js";
import { toast } from "./dialog.js";

const $ = (id) => document.getElementById(id);
const box = () => document.querySelector("#box textarea");
let duet;
let prompts = {};
let list; // the listbox over the composer
let at = 0;

export function listen(page) {
  duet = page;
  list = Object.assign(document.createElement("ul"), { id: "offered-prompts", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", _("Prompts"));
  $("foot").append(list);
  for (const area of document.querySelectorAll("[data-own-words]")) area.addEventListener("change", () => keep(area));
  const form = $("own-prompts").querySelector("form");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { name, text } = Object.fromEntries(new FormData(form));
    if (!text.trim()) return toast(_("The prompt is empty: type what is to stand in the box."), { grave: true });
    if (await send("prompt", { name, text })) form.reset(), load();
  });
  $("own-prompts").addEventListener("click", async (event) => {
    const { prompt } = event.target.dataset;
    if (prompt !== undefined) Object.assign(form.elements.name, { value: prompt }), Object.assign(form.elements.text, { value: prompts[prompt] }).focus();
    const name = event.target.closest("[data-name]")?.dataset.name;
    if (name !== undefined && (await send("prompt", { name, text: "" }))) load();
  });
  document.addEventListener("input", (event) => event.target === box() && offer());
  // Before Gradio's own keys: Enter takes the prompt and sends nothing.
  document.addEventListener("keydown", key, true);
  list.addEventListener("click", (event) => take(event.target.closest("li")?.dataset.name));
}

export async function load() {
  const session = duet.session;
  const got = await fetch(`own?c=${encodeURIComponent(session)}`).catch(() => null);
  if (!got?.ok) return;
  const own = await got.json();
  if (session !== duet.session) return; // another one was opened meanwhile
  prompts = own.prompts;
  for (const area of document.querySelectorAll("[data-own-words]"))
    if (document.activeElement !== area) area.value = own[area.dataset.ownWords];
  document.querySelector("[data-own-words=here]").disabled = !duet.session;
  $("own-prompts").querySelector("ul").replaceChildren(...Object.keys(prompts).map(kept));
}

function kept(name) {
  const item = document.createElement("li");
  const change = Object.assign(document.createElement("button"), { type: "button", className: "b text", textContent: `/${name}`, title: _("Edit") });
  change.dataset.prompt = name;
  const gone = Object.assign(document.createElement("button"), { type: "button", className: "b", textContent: "×" });
  gone.setAttribute("aria-label", _("Delete {name}", { name: `/${name}` }));
  gone.dataset.name = name;
  item.append(change, gone);
  return item;
}

async function keep(area) {
  const what = area.dataset.ownWords;
  if (await send(what, { text: area.value, session: duet.session })) toast(_("Kept."));
}

async function send(what, data) {
  const headers = { "Content-Type": "application/json" };
  const got = await fetch(`own/${what}`, { method: "POST", headers, body: JSON.stringify(data) }).catch(() => null);
  const answer = got?.ok ? await got.json() : { fault: _("That did not reach Duet: try it again.") };
  if (answer.fault) toast(answer.fault, { grave: true });
  return !answer.fault;
}

// -- the list over the box

function offer() {
  const begun = /^\/(\S*)$/.exec(box().value)?.[1];
  const names = begun === undefined ? [] : Object.keys(prompts).filter((name) => name.toLowerCase().startsWith(begun.toLowerCase()));
  at = 0;
  list.replaceChildren(...names.map(option));
  list.hidden = !names.length;
  mark();
}

function option(name, number) {
  const item = document.createElement("li");
  item.setAttribute("role", "option");
  item.id = `offered-prompt-${number}`;
  item.dataset.name = name;
  item.append(Object.assign(document.createElement("b"), { textContent: `/${name}` }), ` ${prompts[name].slice(0, 80)}`);
  return item;
}

function mark() {
  [...list.children].forEach((item, number) => item.setAttribute("aria-selected", String(number === at)));
  if (list.hidden) box().removeAttribute("aria-activedescendant");
  else box().setAttribute("aria-activedescendant", `offered-prompt-${at}`);
}

function key(event) {
  if (list.hidden || event.target !== box()) return;
  const many = list.children.length;
  const does = {
    ArrowDown: () => (at = (at + 1) % many),
    ArrowUp: () => (at = (at + many - 1) % many),
    Enter: () => take(list.children[at].dataset.name),
    Tab: () => take(list.children[at].dataset.name),
    Escape: () => (list.hidden = true),
  }[event.key];
  if (!does || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  does();
  mark();
}

function take(name) {
  if (name === undefined) return;
  list.hidden = true;
  duet.setBox(prompts[name]);
  const gap = /\{\{.*?\}\}/.exec(prompts[name]); // what is typed next takes its place
  if (gap) box().setSelectionRange(gap.index, gap.index + gap[0].length);
}
