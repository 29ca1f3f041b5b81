// The page follows one session: the server streams what changed, this file shows it.

import { patch } from "./patch.js";
import { listen, sends } from "./actions.js";
import { stack, toast } from "./dialog.js";
import { draw } from "./diagrams.js";
import { hush, spoken } from "./voice.js";
import { steady } from "./focus.js";
import { down } from "./scroll.js";
import { _, number } from "./words.js";
import * as kept from "./kept.js";
import * as tongue from "./tongue.js";
import * as listed from "./listed.js";
import * as place from "./place.js";
import * as own from "./own.js";
import * as gallery from "./gallery.js";
import * as models from "./models.js";
import * as unread from "./unread.js";
import * as world from "./world.js";

const parts = (window.duetParts ||= {});
const needed = ["side", "top", "thread", "bar", "wire", "settings-head", "own", "world", "models"];
const $ = (id) => document.getElementById(id);

let source = null;
let online = false;
let early = null; // what the person sent before the server was reached for the first time: it goes then
let reached = false;
let silence = 0;
let heard = 0; // when the server last said something: it does so every few seconds (chat/ui/follow.py)
const SILENT = 15_000; // milliseconds after which a line that nobody ended is taken for dead
const AWAY = 1500; // milliseconds without the server until it is said: a reload of the line takes one second
let stuck = true; // the newest words are in view and stay so
const MORE = 60; // turns that are shown when more are asked for, on each side
let most = 0; // turns that are shown; 0: as many as the server thinks fit
let around = 0; // the turn that they are to stand around; 0: the newest are shown
let later = 0; // turns behind those that are shown
let shown = null; // the conversation whose turns stand on the page
let begins = null; // gives the conversation that the first message of a new one begins
const BEGIN = ["send", "desk", "unremembered"]; // what begins one
let picked = null; // the conversation in which files were picked last, and the visit
let came = null; // tells which conversation files began
const READ = 60_000; // milliseconds at most that a message waits for the files that were attached before it
const LARGEST = 20 * 1024 * 1024; // bytes of a file
const HIDDEN = 2; // tabs that follow though nobody sees them
let release = null; // ends that this tab is one of them
let visit = 0; // counts what was opened: two new conversations have the same name, an empty one
let who = ""; // whose new conversations are: on one browser several may sign in
let named = ""; // the models that the fields of the settings say

export const duet = (window.duet = {
  session: new URLSearchParams(location.search).get("c") ?? "",
  running: "",

  // `hit`: the turn and the words that a search found there
  open(session, { push = true, hit = null } = {}) {
    document.activeElement?.closest("[data-own-words]")?.blur(); // what is typed there is for the conversation before
    if (push) history.pushState({}, "", session ? `?c=${encodeURIComponent(session)}` : location.pathname);
    this.session = session;
    visit += 1;
    begins = null;
    hush();
    document.body.classList.remove("side-open");
    stuck = true;
    most = 0;
    around = hit?.turn ?? 0;
    world.reset(session);
    place.look(hit);
    follow();
    options();
    own.load();
    setBox(kept.get(draftKey()) ?? "");
    listed.mark();
  },

  // The conversation that is still seen, where another one is being opened.
  get seen() {
    return shown ?? this.session;
  },

  again: () => follow(),

  // More of the turns before those that are shown, and of those behind them.
  more() {
    most = $("turns").children.length + (later ? 2 * MORE : MORE);
    follow();
  },

  // To the newest words, wherever in the conversation the person is.
  newest() {
    stuck = true;
    if (!later) return down();
    most = around = 0;
    follow();
  },

  // What a person asks for; the answer says what to show next. Nothing where there was none. What is typed is for the
  // conversation that is open, what is clicked for the one that is still seen.
  async ask(what, data = {}) {
    if (!online) return toast(_("Duet does not answer right now; it is tried again until it does."), { grave: true });
    const at = visit;
    const session = data.session ?? (what === "send" ? await this.here() : this.seen);
    const headers = { "Content-Type": "application/json" };
    const id = what === "send" ? sentAs(session, data.text) : undefined;
    const body = JSON.stringify({ ...data, session, id });
    const sent = fetch(`act/${what}`, { method: "POST", headers, body }).then(told);
    if (!session && BEGIN.includes(what)) begins = sent.then((answer) => answer.open, () => "");
    const lost = () => {
      if (isShown(id)) return {};
      if (id) keepSent(session, data.text, id);
      return { fault: _("That did not reach Duet: try it again.") };
    };
    const answer = await sent.catch(lost);
    underway.delete(id);
    if (id && !answer.fault) settled(session, id);
    const typed = data.session === undefined ? data.text : undefined; // what is clicked goes into no box
    receive(answer.fault ? { do: what, refused: typed, ...answer } : answer, session, at);
    return answer;
  },

  // The conversation that is open, also where its first message is still under way.
  async here() {
    return this.session || ((await begins) ?? "");
  },

  // The conversation that picked files are for, once they have come up.
  async filesFor() {
    const { session, at } = picked ?? { session: this.session, at: visit };
    const here = session || (at === visit ? await this.here() : "");
    if (here || at !== visit) return here;
    begins = new Promise((tell) => ((came = tell), setTimeout(tell, READ, "")));
    return "";
  },

  // What stands in the box.
  send() {
    const text = box().value;
    if (!text.trim()) return;
    if (text.trim() === "/play") return setBox(""), gallery.open();
    if (!reached) return setBox(""), void (early = text);
    if (!online)
      return toast(_("Duet does not answer right now; your message is kept here. Is it still running?"), { grave: true });
    setBox("");
    this.newest();
    const key = draftKey();
    kept.put(key, text); // a reload before the answer would lose it
    this.ask("send", { text }).then((answer) => {
      if (!answer?.fault && kept.get(key) === text) kept.drop(key);
    });
  },

  // A button that says something in the person's name; what stands in the box stays there.
  say(text) {
    this.newest();
    this.ask("send", { text, session: this.seen });
  },

  setBox,
  put,
  scrolled,
});

// An answer in plain words refuses what was asked, in a sentence; any other that is no JSON is none of Duet's.
async function told(got) {
  const kind = got.headers.get("content-type") ?? "";
  if (kind.includes("text/plain")) return { fault: (await got.text()).slice(0, 300) };
  return got.json();
}

// `session`: the conversation that it was asked for, `at`: the visit; who has gone elsewhere meanwhile stays there.
function receive(answer, session = duet.session, at = visit) {
  if (answer.fault) toast(answer.fault, { grave: true });
  if (answer.refused && answer.do === "send") giveBack(answer.refused, session);
  if (answer.box) giveBack(answer.box, session);
  if (answer.said) toast(answer.said);
  if (answer.options !== undefined) optionsFault(answer.options);
  if (answer.open && answer.open !== duet.session && at === visit) begun(answer.open);
  if (answer.deleted && answer.deleted === duet.session) duet.open("");
  if (answer.deleted) for (const key of [draftKey, sentKey]) kept.drop(key(answer.deleted));
}

// What was typed while a new conversation began goes along with it, and so do files that are still coming up.
function begun(session) {
  const [typed, fresh, was] = [box().value, !duet.session, visit];
  duet.open(session);
  if (!fresh) return;
  kept.drop(draftKey(""));
  setBox(typed);
  if (picked?.at === was) picked = { session, at: visit };
}

function follow() {
  source?.close();
  heard = Date.now();
  const shown = (most ? `&most=${most}` : "") + (around ? `&turn=${around}` : "");
  source = new EventSource(`follow?c=${encodeURIComponent(duet.session)}${shown}`);
  source.onmessage = (message) => {
    heard = Date.now();
    steady($("shell"), () => apply(JSON.parse(message.data)), box());
  };
  source.onopen = () => reachable(true);
  source.onerror = () => {
    reachable(false);
    if (source.readyState === EventSource.CLOSED) refused();
  };
}

// A line that was refused does not come back by itself: where it is for want of a sign-in, that is said.
async function refused() {
  const got = await fetch("follow", { method: "HEAD" }).catch(() => null);
  if (got?.status !== 401) return void setTimeout(follow, 1500);
  const next = encodeURIComponent(location.pathname + location.search);
  $("away").querySelector("p").textContent = _("You are signed out. What you typed is kept.");
  const link = Object.assign(document.createElement("a"), { href: `sign-in?next=${next}`, textContent: _("Sign in again") });
  link.className = "b text";
  $("away").querySelector("button, a").replaceWith(link);
}

// A browser has six connections to a server, and each tab that follows holds one: of those that nobody sees only
// HIDDEN go on following, for the sake of their titles.
async function shownOrHidden() {
  release?.();
  release = null;
  if (!document.hidden) return void (source?.readyState === EventSource.CLOSED && follow());
  for (const number of Array(HIDDEN).keys()) if (await held(`duet-hidden-${number}`)) return;
  if (document.hidden) source?.close();
}

function held(name) {
  const holding = (tell) => (lock) => {
    tell(Boolean(lock));
    return lock && document.hidden ? new Promise((done) => (release = done)) : null;
  };
  return new Promise((tell) => {
    if (!navigator.locks) return tell(false);
    navigator.locks.request(name, { ifAvailable: true }, holding(tell));
  });
}

function reachable(yes) {
  online = yes;
  document.body.classList.toggle("offline", !yes);
  if (!yes) return void (silence ||= setTimeout(() => ($("away").hidden = false), AWAY));
  silence = clearTimeout(silence);
  $("away").hidden = true;
  reached = true;
  if (early) duet.say(early), (early = null);
}

function apply(update) {
  if (update.gone) {
    toast(update.fault, { grave: true });
    history.replaceState({}, "", location.pathname); // or the way back would end here again and again
    return duet.open("", { push: false });
  }
  if (update.reset && update.session !== shown) arrange([]), (shown = update.session); // nothing of another's turns stays
  if (update.reset) document.body.classList.add("ready");
  if (update.reset && !update.session) Object.assign(update, { order: [], title: "", documents: "", bar: "", world: [] });
  if (update.reset && update.bar === undefined) update.bar = "";
  const held = update.reset && place.hold();
  if (update.reset && !update.session) Object.assign(update, { earlier: 0, later: 0 });
  if (update.earlier !== undefined) offered("earlier", _("Show earlier ({n})", { n: number(update.earlier) }), update.earlier);
  if (update.later !== undefined) offered("later", _("Show later ({n})", { n: number(update.later) }), (later = update.later));
  if (update.order) arrange(update.order);
  for (const [turn, html] of Object.entries(update.turns ?? {})) show(turn, html, !update.reset);
  if (update.turns) tick(), arrived();
  for (const about of ["temporary", "desk"]) if (update[about] !== undefined) noted(about, update[about]);
  if (update.title !== undefined) title(update.title);
  if (update.bar !== undefined) bar(update.bar);
  if (update.documents !== undefined) patch($("documents"), update.documents);
  if (update.health !== undefined) patch($("health"), update.health);
  if (update.minds !== undefined) patch($("minds"), update.minds);
  if (update.offer !== undefined) patch($("offer"), update.offer);
  if (update.models !== undefined) models.news(), chosen(String(update.models.slice(0, 2)), update.reset);
  if (update.running !== undefined) patch($("running"), update.running);
  if (update.world !== undefined) world.news(update.world);
  if (update.list) unread.news(update.list), listed.show();
  if (place.found(update.reset)) stuck = false;
  else if (stuck && $("turns").children.length && (update.turns || update.order)) down();
  else if (update.reset) place.keep(held);
  if (!stuck) scrolled(); // what became shorter may leave nothing to scroll to
}

function offered(id, words, count) {
  $(id).hidden = !count;
  $(id).textContent = words;
}

const articles = new Map(); // number -> the turn's article

function arrange(order) {
  const turns = $("turns");
  const wanted = new Set(order);
  for (const [number, article] of articles) if (!wanted.has(number)) article.remove(), articles.delete(number);
  let at = turns.firstChild;
  for (const number of order) {
    if (!articles.has(number)) {
      articles.set(number, document.createElement("article"));
      articles.get(number).dataset.turn = number;
    }
    const article = articles.get(number);
    if (article === at) at = at.nextSibling;
    else turns.insertBefore(article, at);
  }
  welcome();
}

// At a desk its own greeting stands in the place of the general welcome.
function welcome() {
  $("welcome").hidden = $("turns").children.length > 0 || !$("desk").hidden;
}

function noted(place, html) {
  patch($(place), html);
  $(place).hidden = !html;
  welcome();
}

function show(number, [same, rest], news) {
  const turn = articles.get(Number(number));
  if (!turn) return;
  turn.html = (turn.html ?? "").slice(0, same) + rest;
  if (turn.querySelector(".editing")) return;
  patch(turn, turn.html);
  draw(turn);
  tell(turn, news || turn.told >= 0);
}

// A screen reader is told each reply once, when it is whole; what was there before is not read out again.
function tell(turn, news) {
  const whole = [...turn.querySelectorAll(".reply:not(.pending) > .prose")];
  if (news) for (const prose of whole.slice(turn.told ?? 0)) $("told").textContent = spoken(prose);
  turn.told = whole.length;
}

function title(text) {
  $("title").textContent = text;
  unread.retitle(text);
}

function bar(html) {
  patch($("state"), html);
  duet.running = $("state").querySelector("[data-do=stop]") ? "yes" : "";
}

function options() {
  optionsFault("");
  parts.wire.options({ session: duet.session });
}

// The fields of the settings follow another choice of models; nothing else may touch what is being typed there.
function chosen(now, reset) {
  if (now !== named && !reset) options();
  named = now;
}

function optionsFault(text) {
  const fault = $("options-fault");
  fault.textContent = text;
  fault.hidden = !text;
  if (text) fault.scrollIntoView({ block: "nearest" });
}

// -- the composer

const box = () => document.querySelector("#box textarea");
const draftKey = (session = duet.session) => `duet-draft-${session || who}`;

function setBox(text) {
  if (!box()) return;
  box().value = text;
  box().dispatchEvent(new Event("input", { bubbles: true }));
  if (matchMedia("(pointer: fine)").matches) box().focus();
}

// Words come back into the box of their conversation, before what was typed there meanwhile.
function giveBack(text, session) {
  const both = (typed) => [text, typed === text ? "" : typed]; // a draft may be the same
  put(session, (typed) => both(typed).filter((words) => words.trim()).join("\n"));
}

// What is typed in a conversation, and what becomes of it.
function put(session, change) {
  const here = session === duet.session;
  const words = change(here ? box().value : (kept.get(draftKey(session)) ?? ""));
  if (here) setBox(words);
  else kept.put(draftKey(session), words);
}

// Before Gradio, which reads the box some moments later: what is typed in these would go in the message's place.
function sending(event) {
  const enter = event.type === "keydown" && event.target === box() && sends(event);
  const pressed = event.type === "click" && event.target.closest?.("#box .submit-button");
  if (!(enter || pressed) || event.defaultPrevented) return;
  event.preventDefault();
  event.stopPropagation();
  duet.send();
}

// What is sent has an id, the same again where its answer was lost: so it is one turn, however often it goes. The same
// words while it is under way are another one, and so they are long after.
const UNSURE = 600_000; // milliseconds
const underway = new Set(); // ids
const sentKey = (session) => `duet-sent-${session || who}`;
const keepSent = (session, text, id) => kept.put(sentKey(session), JSON.stringify([text, id, Date.now()]));
const settled = (session, id) => unsure(session)[1] === id && kept.drop(sentKey(session));
const isShown = (id) => id && $("turns").querySelector(`[data-sent="${id}"]`);

function unsure(session) {
  const [text, id, at] = JSON.parse(kept.get(sentKey(session)) ?? "[]");
  return Date.now() - at < UNSURE ? [text, id] : [];
}

function sentAs(session, text) {
  const [words, before] = unsure(session);
  const again = words === text && !underway.has(before);
  const id = again ? before : crypto.getRandomValues(new Uint32Array(4)).join("-");
  underway.add(id);
  keepSent(session, text, id); // a reload may lose the answer
  return id;
}

// What came to the server though its answer was lost leaves the box, also where it began the conversation.
function arrived() {
  for (const session of new Set([shown, ""])) {
    const [text, id] = unsure(session);
    if (underway.has(id) || !isShown(id)) continue;
    settled(session, id);
    if (session === duet.session && shown === session && box().value === text) setBox("");
    if (kept.get(draftKey(session)) === text) kept.drop(draftKey(session));
  }
}

function keepDraft(event) {
  if (event.target !== box()) return;
  if (event.target.value) kept.put(draftKey(), event.target.value);
  else kept.drop(draftKey());
}

// Gradio sends nothing where one is too large or of another kind, and its own word of it is not shown.
function pick(event) {
  const input = event.target;
  if (input.type !== "file") return;
  picked = { session: duet.session, at: visit };
  if (input.accept.includes(".md")) sift(input);
  const large = [...input.files].find((file) => file.size > LARGEST);
  if (input.files.length && !large) return;
  event.stopImmediatePropagation();
  input.value = "";
  if (large) toast(_("{name} is larger than 20 MB: attach a smaller file, or a part of it.", { name: large.name }), { grave: true });
}

// Leaves out what cannot be read.
function sift(input) {
  const known = input.accept.split(",").map((ending) => ending.trim());
  const refused = [...input.files].filter((file) => !known.some((ending) => file.name.toLowerCase().endsWith(ending)));
  if (!refused.length) return;
  const rest = new DataTransfer();
  for (const file of input.files) if (!refused.includes(file)) rest.items.add(file);
  input.files = rest.files;
  const files = refused.map((file) => file.name).join(", ");
  toast(_("{files} cannot be read: Markdown, text, PDF, office files, EPUB, tables (CSV), program text and pictures can.", { files }), { grave: true });
}

// What the server refuses to take, or what never reaches it, is told by Gradio only where nobody sees it.
function watchUploads() {
  const real = window.fetch;
  const failed = () => toast(_("That could not be uploaded: attach less at once, or try it again later."), { grave: true });
  window.fetch = (where, ...more) => {
    const sent = real(where, ...more);
    if (/\/gradio_api\/upload(\?|$)/.test(where)) sent.then((got) => got.ok || failed(), failed);
    return sent;
  };
}

// -- scrolling and time

// What the newest words are seen through has become smaller (a keyboard, a turned phone), or what stands before them larger.
const settle = () => (stuck ? down() : scrolled());

function scrolled() {
  const thread = $("thread");
  stuck = !later && thread.scrollHeight - thread.scrollTop - thread.clientHeight < 80;
  $("down").hidden = stuck;
}

function tick() {
  for (const clock of document.querySelectorAll("time.clock"))
    clock.textContent = _("{n} s", { n: number(Math.max(0, Math.round(Date.now() / 1000 - clock.dataset.since))) });
}

function listening() {
  if (source.readyState === EventSource.CLOSED || Date.now() - heard < SILENT) return;
  reachable(false);
  follow();
}

// -- start

// While the page is still made, too: Gradio would swallow what is sent.
for (const event of ["keydown", "click"]) document.addEventListener(event, sending, true);

const known = fetch("own").then((got) => got.json()).then((own) => own.name, () => "");

async function start() {
  const here = needed.every((name) => parts[name]) && box();
  if (!here) return setTimeout(start, 50);
  who = await known;
  parts.wire.watch("value", () => {
    const answer = parts.wire.props.value ?? {};
    if (answer.files) came?.(answer.open ?? "");
    receive(answer, duet.session, answer.files ? (picked?.at ?? visit) : visit);
  });
  listen(duet);
  stack();
  unread.listen(() => duet.session, (session) => duet.open(session));
  world.listen();
  models.listen(duet);
  listed.listen(duet);
  own.listen(duet); // before what sends: Enter may take a prompt
  for (const event of ["keydown", "click"]) {
    document.removeEventListener(event, sending, true);
    document.addEventListener(event, sending, true);
  }
  tongue.listen();
  box().dir = "auto";
  document.querySelector("#box .submit-button").setAttribute("aria-label", _("Send"));
  box().setAttribute("aria-label", _("Message")); // the button stands in its label
  place.listen(() => duet.more());
  document.addEventListener("keypress", (event) => event.target === box() && event.stopPropagation(), true); // Gradio's Enter
  document.addEventListener("input", keepDraft);
  document.addEventListener("change", pick, true);
  watchUploads();
  document.addEventListener("visibilitychange", shownOrHidden);
  $("thread").addEventListener("scroll", scrolled, { passive: true });
  $("turns").addEventListener("load", settle, true); // a picture
  new ResizeObserver(settle).observe($("thread"));
  addEventListener("pagehide", hush);
  addEventListener("popstate", () => duet.open(new URLSearchParams(location.search).get("c") ?? "", { push: false }));
  setInterval(tick, 1000);
  setInterval(() => source && listening(), 1000);
  listed.show();
  const turn = Number(new URLSearchParams(location.search).get("turn"));
  const typed = box().value; // before the page was made
  duet.open(duet.session, { push: false, hit: turn ? { turn, words: "" } : null });
  if (typed) giveBack(typed, duet.session);
  const question = new URLSearchParams(location.search).get("say"); // put, not sent: a link must not speak for the person
  if (question) history.replaceState({}, "", location.pathname), giveBack(question, duet.session);
}

start();
