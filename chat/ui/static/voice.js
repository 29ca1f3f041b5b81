// Replies read aloud by a voice of this machine, so that nothing leaves it; a second click ends it.

import { _ } from "./words.js";
import { toast } from "./dialog.js";

let speaking = null; // the button

export function speak(button) {
  const own = window.speechSynthesis?.getVoices().filter((voice) => voice.localService) ?? [];
  if (!own.length) return toast(_("This browser has no voice of its own on this machine."), { grave: true });
  const again = speaking === button;
  hush();
  if (again) return;
  const prose = button.closest(".reply").querySelector(".prose");
  const said = new SpeechSynthesisUtterance(spoken(prose));
  const ours = (document.documentElement.lang || navigator.language).slice(0, 2);
  said.voice = own.find((voice) => voice.lang.startsWith(ours)) ?? own[0];
  said.onend = said.onerror = () => speaking === button && hush();
  mark(button, true);
  speechSynthesis.speak(said);
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
function spoken(prose) {
  const words = prose.cloneNode(true);
  for (const part of words.querySelectorAll("figure, .diagram")) part.remove();
  return words.textContent.trim();
}
