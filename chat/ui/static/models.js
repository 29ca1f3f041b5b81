// The model picker: what is fetched, used, tried, and the keys. A key is in its field and in one request, nowhere else.

import { patch } from "./patch.js";
import { steady } from "./focus.js";
import { _ } from "./words.js";
import { toast } from "./dialog.js";

const body = document.body;
const $ = (id) => document.getElementById(id);

let duet;
let asking = false;
let again = false;

const valued = (what) => (button) => act(what, { value: button.dataset.value });
export const deeds = {
  models: () => (body.classList.contains("models-open") ? close() : open()),
  fetch: valued("fetch"),
  "fetch-use": valued("fetch-use"),
  "stop-fetch": valued("stop-fetch"),
  "drop-fetch": valued("drop-fetch"),
  use: valued("use"),
  "use-for": async (button) => {
    const answer = await act("use", { value: button.dataset.value, mind: button.dataset.mind });
    if (!answer.fault) $("try-view").replaceChildren();
  },
  "forget-key": valued("forget-key"),
  look: () => act("look"),
};

export function listen(page) {
  duet = page;
  $("models").addEventListener("submit", submit);
  $("key-form").addEventListener("input", address);
}

export function news() {
  if (body.classList.contains("models-open")) refresh();
}

export function close() {
  const was = body.classList.contains("models-open");
  body.classList.remove("models-open");
  if (was) $("minds").focus();
  return was;
}

function open() {
  body.classList.remove("settings-open");
  body.classList.add("models-open");
  refresh();
  act("look").then(() => act("probe")); // what runs here is shown before it is known how quick it is
  setTimeout(() => $("models").querySelector("button").focus(), 50);
}

// What is asked for goes with whom it is for; `shown` is where an answer's view stands.
async function act(what, data = {}, shown = null) {
  const mind = $("models").querySelector("[name=for]:checked").value;
  const asked = { session: duet.session, mind, also: $("also").checked, ...data };
  const headers = { "Content-Type": "application/json" };
  const sent = fetch(`models/${what}`, { method: "POST", headers, body: JSON.stringify(asked) });
  const answer = await sent.then((got) => got.json()).catch(() => ({ fault: _("Duet does not answer right now; try again.") }));
  if (answer.fault && shown) patch(shown, ""), (shown.textContent = answer.fault), shown.classList.add("fault");
  else if (answer.fault) toast(answer.fault, { grave: true });
  if (answer.view !== undefined && shown) shown.classList.remove("fault"), patch(shown, answer.view);
  if (answer.said) toast(answer.said);
  news();
  return answer;
}

async function submit(event) {
  event.preventDefault();
  const form = event.target;
  const given = Object.fromEntries(new FormData(form));
  if (form.id === "key-form") return key(form, given);
  if (form.id === "hub-form") return waiting(form, () => act("hub", given));
  const chosen = given.named?.trim() ? null : form.querySelector("select")?.selectedOptions[0];
  const model = chosen?.textContent ?? given.named?.trim();
  const shown = $("try-view");
  shown.classList.remove("fault");
  shown.textContent = _("Asking {model} …", { model: model ?? "" });
  shown.scrollIntoView({ block: "nearest" });
  await waiting(form, () => act("try", { url: form.dataset.url, model, context: chosen?.dataset.context }, shown));
  shown.scrollIntoView({ block: "nearest" });
}

// An address is no secret, and may have a key of its own.
function address() {
  const { text, key } = $("key-form").elements;
  key.hidden = !/^https?:\/\//.test(text.value);
  text.type = key.hidden ? "password" : "text";
}

async function key(form, given) {
  const answer = await waiting(form, () => act("key", given, $("key-view")));
  if (!answer.kept) return;
  form.reset();
  address();
  $("key-view").scrollIntoView({ block: "nearest" });
}

async function waiting(form, work) {
  const button = form.querySelector("button:not([type=button])");
  button.disabled = true;
  try {
    return await work();
  } finally {
    button.disabled = false;
  }
}

async function refresh() {
  if (asking) return void (again = true);
  asking = true;
  do {
    again = false;
    const answer = await fetch(`models?c=${encodeURIComponent(duet.session)}`).catch(() => null);
    const html = answer?.ok && (await answer.text());
    if (html) steady($("models"), () => patch($("models-view"), html), $("models").querySelector("button"));
  } while (again);
  asking = false;
}
