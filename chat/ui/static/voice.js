// Replies read aloud by a voice of this machine, and speech that becomes words in the box by Duet's own Whisper, so that
// nothing leaves it; a second click ends it.

import { _ } from "./words.js";
import { toast } from "./dialog.js";

let speaking = null; // the button
const MIXED = { Jpan: "Hira", Kore: "Hang", Hans: "Hani", Hant: "Hani" }; // a language's script that Unicode has parts of

export function speak(button) {
  const own = window.speechSynthesis?.getVoices().filter((voice) => voice.localService) ?? [];
  if (!own.length) return toast(_("This browser has no voice of its own on this machine."), { grave: true });
  const again = speaking === button;
  hush();
  if (again) return;
  const text = spoken(button.closest(".reply").querySelector(".prose"));
  const said = new SpeechSynthesisUtterance(text);
  const ours = (document.documentElement.lang || navigator.language).slice(0, 2);
  const fits = (voice) => letters(text, voice) + voice.lang.startsWith(ours) / 2;
  said.voice = own.reduce((best, voice) => (fits(voice) > fits(best) ? voice : best));
  said.onend = said.onerror = () => speaking === button && hush();
  mark(button, true);
  speechSynthesis.speak(said);
}

// How many of it are of the voice's script: an English voice is silent at Arabic, an Arabic one reads English words as well.
function letters(text, voice) {
  const { script } = new Intl.Locale(voice.lang.replace("_", "-")).maximize();
  const found = text.match(new RegExp(`\\p{Script=${MIXED[script] ?? script}}`, "gu"))?.length ?? 0;
  return script === "Latn" ? found : 3 * found;
}

export function hush() {
  window.speechSynthesis?.cancel();
  mark(speaking, false);
}

function mark(button, on) {
  button?.setAttribute("aria-pressed", on);
  speaking = on ? button : null;
}

// Without code and pictures, which nobody wants to hear.
export function spoken(prose) {
  const words = prose.cloneNode(true);
  for (const part of words.querySelectorAll("figure, .diagram")) part.remove();
  return words.textContent.trim();
}

// -- what a person says

const LONGEST = 120_000; // milliseconds
let recorder = null;

export async function hear(button, duet) {
  if (recorder) return recorder.stop?.();
  recorder = {}; // a second click must not open the microphone once more: nobody would ever close it
  const stream = await microphone();
  recorder = null;
  if (!stream) return;
  hush();
  const pieces = [];
  recorder = new MediaRecorder(stream, { audioBitsPerSecond: 24_000 });
  recorder.ondataavailable = (event) => pieces.push(event.data);
  recorder.onstop = () => heard(new Blob(pieces), button, duet, stream);
  recorder.start();
  setTimeout((one) => one === recorder && one.stop(), LONGEST, recorder);
  recording(button, true);
}

async function microphone() {
  const { fault } = await asked("GET");
  if (fault) return toast(fault, { grave: true });
  const stream = await navigator.mediaDevices?.getUserMedia({ audio: true }).catch(() => null);
  if (!stream) toast(_("The browser gives this page no microphone: allow it, and open the page by https or on this machine."), { grave: true });
  return stream;
}

async function heard(sound, button, duet, stream) {
  const { session } = duet;
  recorder = null;
  for (const track of stream.getTracks()) track.stop();
  recording(button, false);
  button.setAttribute("aria-busy", "true");
  const answer = await asked("POST", sound);
  button.removeAttribute("aria-busy");
  if (answer.fault) return toast(answer.fault, { grave: true });
  duet.put(session, (typed) => `${typed.trimEnd()} ${answer.text}`.trimStart());
}

function recording(button, on) {
  button.setAttribute("aria-pressed", on);
  button.title = on ? _("Stop, and put the words into the box") : _("Speak instead of typing");
  button.setAttribute("aria-label", button.title);
}

async function asked(method, body) {
  const got = await fetch("hear", { method, body }).catch(() => null);
  return got?.ok ? got.json() : { fault: _("That did not reach Duet: try it again.") };
}
