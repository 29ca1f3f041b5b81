// Replies that came while the person looked elsewhere: said aloud, counted in the title, marked in the list until the
// conversation is opened. What was seen is this browser's own knowledge.

import { _ } from "./words.js";
import * as store from "./kept.js";
import { toast } from "./dialog.js";

const KEY = "duet-seen";
const newest = new Map(); // conversation -> [number of its newest reply, title]
let here = () => "";
let open = () => {};
let title = "";

export function listen(where, to) {
  [here, open] = [where, to];
  document.addEventListener("visibilitychange", look);
  addEventListener("storage", (event) => event.key === KEY && show());
}

// `list`: [conversation, title, changed, number of its newest reply] of the newest conversations.
export function news(list) {
  const before = seen();
  const kept = {};
  for (const [id, name, , reply] of list) {
    const known = newest.get(id)?.[0];
    newest.set(id, [reply, name]);
    kept[id] = before[id] ?? reply; // one that is met for the first time is not news
    if (known !== undefined && reply > known) announce(id, name);
  }
  keep(kept);
  look();
}

function announce(id, name) {
  if (id === here()) return; // the conversation itself says it, the title tells where the tab is hidden
  toast(_("A reply has come in “{name}”.", { name: name || _("New conversation") }), { stays: true, click: () => open(id) });
}

// What stands before the person is seen.
export function look() {
  const reply = newest.get(here())?.[0];
  if (reply !== undefined && !document.hidden) keep({ ...seen(), [here()]: reply });
  show();
}

export function show() {
  const known = seen();
  const unread = new Set([...newest].filter(([id, [reply]]) => reply > (known[id] ?? reply)).map(([id]) => id));
  document.title = (unread.size ? `(${unread.size}) ` : "") + (title ? `${title} · Duet` : "Duet");
  for (const entry of document.querySelectorAll("#list .entry")) {
    const link = entry.querySelector("a");
    entry.classList.toggle("unread", unread.has(entry.dataset.session));
    if (unread.has(entry.dataset.session)) link.setAttribute("aria-description", _("new reply"));
    else link.removeAttribute("aria-description");
  }
  document.body.classList.toggle("has-unread", [...unread].some((id) => id !== here()));
}

export function retitle(text) {
  title = text;
  show();
}

function seen() {
  try {
    return JSON.parse(store.get(KEY)) ?? {};
  } catch {
    return {};
  }
}

function keep(known) {
  const text = JSON.stringify(known);
  if (store.get(KEY) !== text) store.put(KEY, text);
}
