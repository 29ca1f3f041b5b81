// The list of conversations: searched, opened by folders and bit by bit, and arranged.

import { patch } from "./patch.js";
import { steady } from "./focus.js";
import { _, ngettext } from "./words.js";
import { question, toast } from "./dialog.js";
import { share } from "./share.js";
import * as kept from "./kept.js";
import * as unread from "./unread.js";

const KEY = "duet-folders";
const STEP = 60;
const $ = (id) => document.getElementById(id);
const folders = new Set(JSON.parse(kept.get(KEY) ?? "[]")); // those that are open
let shown = STEP;
let asked = 0;
let duet;

export const deeds = {
  "list-more": () => ((shown += STEP), show()),
  rename: (button) => rename(button.dataset.session),
  pin: (button) => arrange("pin", button.dataset),
  archive: (button) => arrange("archive", button.dataset),
  folder: (button) => move(button.dataset),
  share: ({ dataset: { session } }) => share(session, titleOf(session), duet),
  delete: (button) => remove(button.dataset.session),
  "delete-all": removeAll,
};

export function listen(page) {
  duet = page;
  let wait;
  $("find").addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(show, 200);
  });
  $("list").addEventListener("toggle", toggled, true);
  const more = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && deeds["list-more"](), { root: $("list") });
  new MutationObserver(() => {
    more.disconnect();
    const button = $("list").querySelector(".more");
    if (button) more.observe(button);
  }).observe($("list"), { childList: true });
}

export async function show() {
  const number = ++asked;
  const query = new URLSearchParams({ search: $("find").value.trim(), shown, opened: JSON.stringify([...folders]) });
  const answer = await fetch(`conversations?${query}`).catch(() => null);
  if (!answer?.ok || number !== asked) return;
  const html = await answer.text();
  steady($("list"), () => patch($("list"), html), document.querySelector("#side .new"));
  mark();
}

export function mark() {
  for (const entry of document.querySelectorAll("#list .entry")) {
    const here = entry.dataset.session === duet.session;
    entry.querySelector("a").toggleAttribute("aria-current", here);
  }
  unread.look();
}

// What a link in the list leads to; nothing where it is none.
export function led(link) {
  if (link.matches(".entry > a")) return [link.parentElement.dataset.session, {}];
  if (link.matches("#running a")) return [link.dataset.session, {}];
  if (link.matches(".hit")) return [link.dataset.session, { hit: { turn: Number(link.dataset.turn), words: $("find").value } }];
}

function toggled(event) {
  if (event.target.matches(".menu[open]")) event.target.lastElementChild.scrollIntoView({ block: "nearest" }); // of the last in view
  const name = event.target.dataset.folder;
  if (!name || folders.has(name) === event.target.open) return;
  if (event.target.open) folders.add(name);
  else folders.delete(name);
  kept.put(KEY, JSON.stringify([...folders]));
  show(); // also of a closed one: an answer that is still under way would open it again
}

const titleOf = (session) => document.querySelector(`#list .entry[data-session="${CSS.escape(session)}"] > a`)?.textContent ?? "";

async function arrange(what, { session, value, text }) {
  const answer = await duet.ask(what, { session, value, text });
  if (!answer?.fault) show();
}

async function move({ session, folder }) {
  const choices = [...document.querySelectorAll("#list .folder > summary span")].map((name) => name.textContent);
  const about = _("A name makes a folder; nothing takes it out of its folder.");
  const text = await question({ title: _("Move to a folder"), about, text: folder, choices, yes: _("Move"), empty: true });
  if (text === null) return;
  if (text.trim()) folders.add(`/${text.trim().replace(/\s+/g, " ").slice(0, 60)}`);
  arrange("folder", { session, text });
}

async function rename(session) {
  const text = await question({ title: _("Rename"), text: titleOf(session), yes: _("Rename") });
  if (text !== null) arrange("rename", { session, text });
}

async function remove(session) {
  const about = _("“{title}” goes for good, with its documents and what was remembered from it.", { title: titleOf(session) });
  const yes = await question({ title: _("Delete this conversation?"), about, yes: _("Delete"), grave: true });
  if (yes) duet.ask("delete", { session });
}

async function removeAll() {
  const { count } = (await duet.ask("delete-all")) ?? {};
  if (count === 0) return toast(_("There are no conversations."));
  const about = _("Pinned and archived ones too. They go for good, with their documents and what was remembered from them.");
  const title = ngettext("Delete {n} conversation?", "Delete {n} conversations?", count);
  if (count && (await question({ title, about, yes: _("Delete"), grave: true }))) duet.ask("delete-all", { value: 1 });
}
