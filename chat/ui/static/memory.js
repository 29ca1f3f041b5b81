// The memory page: asks for notes as JSON and shows them as text, never as markup.

import { N_, _, ngettext, number } from "./words.js";
import { question } from "./dialog.js";
import { steady } from "./focus.js";
import * as kept from "./kept.js";

const filter = document.getElementById("filter"), list = document.getElementById("notes"), more = document.getElementById("more");
const words = { turn: _("said"), result: _("worked out"), fact: _("fact"), episode: _("world") };
// Kept with the note, in the source's words: whatever language its page speaks later. The others are the server's.
const [, SAID_AGAIN] = [N_("you said that it is wrong"), N_("you wanted it thought about again"), N_("you took it out")];
let chosen = new URLSearchParams(location.search).getAll("note");
let skip = 0, asked = 0, hides;
let shown = {};  // the wish that named what is listed

if ((kept.get("duet-theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches && "dark")) === "dark")
  document.documentElement.classList.add("dark");

async function wish(name, body = {}) {
  const answer = await fetch(`memory/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).catch(() => null);
  const data = await answer?.json().catch(() => null); // of a server that is away, or wants a sign-in, there is none
  if (!answer?.ok || !data) throw new Error(data?.error || _("That did not work: try again."));
  return data;
}

// `undo`: seconds for which what was done can be taken back.
function say(text, undo = 0) {
  const said = document.getElementById("said");
  said.querySelector("span").textContent = text;
  said.querySelector("button").hidden = !undo;
  said.hidden = false;
  clearTimeout(hides);
  hides = setTimeout(() => (said.hidden = true), (undo || 5) * 1000);
}

const notes = (count) => ngettext("{n} note", "{n} notes", count);

async function load(fresh) {
  const mine = fresh ? ++asked : 0, from = fresh ? 0 : skip;
  const only = !fresh ? shown : chosen.length && !filtered() ? { ids: chosen } : Object.fromEntries(new FormData(filter));
  const found = await wish("list", { ...only, skip: from });
  if (fresh ? mine !== asked : only !== shown || from !== skip) return; // the list is another one by now
  shown = only;
  skip = from + found.notes.length;
  const cards = found.notes.map(card);
  if (fresh) steady(list, () => list.replaceChildren(...cards), filter.elements.words);
  else list.append(...cards);
  if (!list.children.length) list.textContent = _("Nothing is kept that fits.");
  more.hidden = !found.more;
  const power = document.querySelector("[data-wish=power]");
  power.setAttribute("aria-checked", found.on);
  const size = found.bytes < 1e6 ? _("{n} kB", { n: number(Math.ceil(found.bytes / 1e3)) }) : _("{n} MB", { n: number(found.bytes / 1e6, 1) });
  const all_ = found.found === found.count;
  const of = ngettext("{some} of {n} note", "{some} of {n} notes", found.count, { some: number(found.found) });
  const indexing = found.indexing ? [_("index: {progress}", { progress: found.indexing })] : [];
  document.getElementById("about").textContent = [all_ ? notes(found.count) : of, size, ...indexing].join(" · ");
  const all = document.querySelector("[data-wish=forget-found]");
  all.hidden = !found.found;
  all.textContent = all_ ? _("Forget everything") : ngettext("Forget this note", "Forget these {n} notes", found.found);
}

const filtered = () => [...new FormData(filter).values()].some(Boolean);

function card(note) {
  const made = document.getElementById("note").content.firstElementChild.cloneNode(true);
  const put = (selector, text) => (made.querySelector(selector).textContent = text);
  made.note = note;
  made.classList.toggle("out", !note.current);
  made.classList.toggle("chosen", chosen.includes(note.id));
  put(".kind", words[note.kind] || note.kind);
  put("time", note.day);
  put(".who", { user: _("you"), assistant: "Duet" }[note.speaker] || note.speaker);
  const states = [note.imported && _("imported on {day}, not confirmed", { day: note.about.imported }), note.pinned && _("pinned"),
    note.out ? _("out: {why}", { why: _(note.out) }) : note.about.until && _("no longer so since {day}", { day: note.about.until })];
  put(".state", states.filter(Boolean).join("; "));
  put(".text", note.text);
  put(".answer", note.answer);
  put("[data-wish=pin]", note.pinned ? _("Unpin") : _("Pin"));
  const about = { ...note.about, ...Object.fromEntries(Object.entries(note.depends).map(([name, value]) => [_("holds for {name}", { name }), value])) };
  for (const [name, value] of Object.entries(about)) made.querySelector("dl").append(element("dt", name), element("dd", value));
  made.querySelector("details").open = chosen.includes(note.id);
  const where = made.querySelector(".where");
  if (note.session && !note.session.startsWith("import:")) where.href = `./?c=${encodeURIComponent(note.session)}${note.turn ? `&turn=${note.turn}` : ""}`;
  else where.remove();
  made.querySelector("[data-wish=again]").hidden = note.kind !== "result";
  made.querySelector("[data-wish=withdraw]").hidden = Boolean(note.out);
  made.querySelector("[data-wish=confirm]").hidden = !note.imported;
  made.querySelector("[data-wish=restore]").hidden = !note.out && (!note.about.until || Boolean(note.about.ends));
  return made;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function edit(article) {
  const note = article.note, boxes = ["text", "answer"].filter((name) => name === "text" || note.answer);
  const form = document.createElement("form");
  for (const name of boxes) {
    const box = document.createElement("textarea");
    Object.assign(box, { name, value: note.about.value ?? note[name], ariaLabel: name === "text" ? _("The text") : _("The answer") });
    form.append(box);
  }
  const save = Object.assign(element("button", _("Save")), { className: "b text" });
  form.append(save);
  form.addEventListener("keydown", (event) => event.key === "Escape" && edited(article, note));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await does(async () => {
      const done = await wish("edit", { id: note.id, ...Object.fromEntries(new FormData(form)) });
      edited(article, done.note);
      say(_("Changed."), done.undo);
    });
  });
  article.querySelector(".wishes").replaceWith(form);
  form.elements[0].focus();
}

function edited(article, note) {
  const made = card(note);
  article.replaceWith(made);
  made.querySelector("[data-wish=edit]").focus();
}

// In its new state, where it was.
const as = (article, note) => steady(list, () => article.replaceWith(card(note)), filter.elements.words);

// Exactly what was asked about is deleted, whatever is kept meanwhile.
async function forget(body) {
  const { ids, beside } = await wish("forget", body);
  const gone = ngettext("{n} note will be deleted for good.", "{n} notes will be deleted for good.", ids.length);
  const too = ngettext("With it goes {n} note of the same turn.", "With them go {n} notes of the same turns.", beside);
  if (!(await question({ title: _("Forget"), about: beside ? `${gone} ${too}` : gone, yes: _("Delete"), grave: true }))) return;
  const done = await wish("forget", { ids, sure: true });
  chosen = chosen.filter((id) => !ids.includes(id));
  await load(true);
  say(ngettext("{n} note deleted.", "{n} notes deleted.", done.forgotten), done.undo);
}

const acts = {
  edit,
  pin: async (article) => as(article, (await wish("pin", { id: article.note.id, on: !article.note.pinned })).note),
  confirm: async (article) => as(article, (await wish("confirm", { id: article.note.id })).note),
  withdraw: async (article) => as(article, (await wish("withdraw", { id: article.note.id })).note),
  restore: async (article) => as(article, (await wish("restore", { id: article.note.id })).note),
  forget: (article) => forget({ id: article.note.id }),
  "forget-found": () => forget({ all: true, ...shown }),
  power: async () => {
    const power = document.querySelector("[data-wish=power]"), { on } = await wish(power.ariaChecked === "true" ? "off" : "on");
    power.setAttribute("aria-checked", on);
    say(on ? _("Memory is on.") : _("Memory is off: nothing is remembered, nothing recalled. What is kept stays."));
  },
  undo: async () => {
    const { undone } = await wish("undo");
    await load(true);
    say(ngettext("{n} note as before.", "{n} notes as before.", undone));
  },
  again: async (article) => {
    await wish("withdraw", { id: article.note.id, why: SAID_AGAIN });
    location.href = `./?say=${encodeURIComponent(article.note.text)}`;
  },
};

async function does(work) {
  try {
    await work();
  } catch (fault) {
    say(fault.message);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-wish]");
  if (button) does(() => acts[button.dataset.wish](button.closest("article")));
});
let wait;
filter.addEventListener("input", () => (clearTimeout(wait), (wait = setTimeout(() => does(() => load(true)), 200))));
filter.addEventListener("submit", (event) => event.preventDefault());
more.addEventListener("click", () => does(() => load(false)));
new IntersectionObserver(([seen]) => seen.isIntersecting && !more.hidden && does(() => load(false)), { rootMargin: "600px" }).observe(more);
document.getElementById("import").addEventListener("change", (event) =>
  does(async () => {
    const [file] = event.target.files, text = await file.text();
    event.target.value = "";
    const done = await wish("import", parsed(text, file.name));
    await load(true);
    say(ngettext("{new} of {n} note was new.", "{new} of {n} notes were new.", done.read, { new: number(done.imported) }));
  }),
);

function parsed(text, name) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(_("{file} is no JSON: choose a file that Export has written.", { file: name }));
  }
}

does(() => load(true));
