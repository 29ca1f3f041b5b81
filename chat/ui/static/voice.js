// Replies read aloud by the browser's own voice; a second click ends it.

import { toast } from "./dialog.js";

let speaking = null; // the button

export function speak(button) {
  if (!("speechSynthesis" in window)) return toast("This browser has no voice of its own.", { grave: true });
  const again = speaking === button;
  hush();
  if (again) return;
  const prose = button.closest(".reply").querySelector(".prose");
  const said = new SpeechSynthesisUtterance(spoken(prose));
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
