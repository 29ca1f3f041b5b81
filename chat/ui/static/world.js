// The panel of a world: which episode and step are looked at, and what can be done there.
//
// The stream only says that something happened; the panel is then asked for, one question at a time, so that a world
// in which much happens quickly is shown as fast as this browser can.

import { patch } from "./patch.js";
import { steady } from "./focus.js";

const body = document.body;
const $ = (id) => document.getElementById(id);
const drawer = matchMedia("(max-width: 1100px)");

let session = "";
let looked = { episode: null, step: null }; // null: the one in hand, the newest step
let asking = false;
let again = false;
let filled = ""; // for which step the actions were asked

export function reset(now) {
  session = now;
  looked = { episode: null, step: null };
  news([]);
}

// `stamp` changes with all that the panel shows; it is empty where there is no world.
export function news(stamp) {
  body.classList.toggle("has-world", stamp.length > 0);
  if (!stamp.length) {
    body.classList.remove("world-open");
    filled = "";
    $("world-view").replaceChildren();
    return;
  }
  refresh();
}

export function look(episode, step) {
  if (episode !== undefined) looked.episode = episode;
  looked.step = step;
  refresh();
}

export function toggle() {
  const open = drawer.matches ? body.classList.toggle("world-open") : !body.classList.toggle("world-closed");
  if (!open) document.querySelector(".to-world").focus();
  else if (drawer.matches) setTimeout(() => $("world").querySelector("button").focus(), 50);
  told();
}

// On a narrow screen the panel lies over the conversation; whether it did.
export function stepAside() {
  if (!drawer.matches || !body.classList.contains("world-open")) return false;
  body.classList.remove("world-open");
  told();
  document.querySelector(".to-world").focus();
  return true;
}

function told() {
  const open = drawer.matches ? body.classList.contains("world-open") : !body.classList.contains("world-closed");
  document.querySelector(".to-world").setAttribute("aria-expanded", open);
}

export function listen() {
  const view = $("world-view");
  view.addEventListener("input", (event) => {
    if (event.target.id === "replay") slide(event.target);
    if (event.target.id === "filter") filter();
  });
  view.addEventListener("toggle", (event) => event.target.dataset.key === "possible-fold" && possible(), true);
  drawer.addEventListener("change", told);
  told();
}

function slide(range) {
  looked.step = range.value === range.max ? null : Number(range.value);
  refresh();
}

async function refresh() {
  if (asking) return void (again = true);
  asking = true;
  do {
    again = false;
    await ask();
  } while (again);
  asking = false;
}

async function ask() {
  const from = session;
  const query = new URLSearchParams({ c: session });
  for (const [name, value] of Object.entries(looked)) if (value !== null) query.set(name, value);
  const answer = await fetch(`world?${query}`).catch(() => null);
  if (from !== session) return void (again = true);
  if (answer?.status === 404 && looked.episode !== null) {
    looked = { episode: null, step: null };
    return void (again = true);
  }
  if (!answer?.ok) return;
  const html = await answer.text();
  if (from !== session || !body.classList.contains("has-world")) return;
  steady($("world-view"), () => patch($("world-view"), html), $("world").querySelector("button"));
  const range = $("replay");
  if (range && !again) range.value = range.dataset.step;
  possible();
}

// -- what can be done

async function possible() {
  const section = document.querySelector("#world .possible");
  if (!section || section.hidden || !section.querySelector("details").open || section.dataset.busy) return;
  const wanted = `${session} ${section.dataset.for}`;
  if (filled === wanted) return;
  filled = wanted;
  const list = $("possible");
  list.setAttribute("aria-busy", "true");
  const answer = await fetch(`world/possible?${new URLSearchParams({ c: session })}`).catch(() => null);
  list.removeAttribute("aria-busy");
  if (!answer?.ok || filled !== wanted) return void (filled = filled === wanted ? "" : filled);
  patch(list, await answer.text());
  filter();
}

function filter() {
  const words = ($("filter")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text) => words.every((word) => text.toLowerCase().includes(word));
  for (const button of document.querySelectorAll("#possible .acts button")) button.hidden = !fits(button.textContent);
  for (const verb of document.querySelectorAll("#possible .verb")) {
    const left = verb.querySelectorAll(".acts button:not([hidden])").length;
    verb.hidden = !left;
    verb.querySelector("small").textContent = left;
    if (words.length) verb.open = true;
    else if (!verb.dataset.touched) verb.open = false;
  }
}
