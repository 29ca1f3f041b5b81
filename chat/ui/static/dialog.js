// Small windows: a question, and a word that goes by itself.

import { _ } from "./words.js";

// A screen reader follows only what comes into a region that was there before.
export function stack() {
  const found = document.getElementById("toasts");
  if (found) return found;
  const made = document.body.appendChild(Object.assign(document.createElement("div"), { id: "toasts" }));
  made.setAttribute("role", "status");
  return made;
}

export function toast(text, { grave = false, stays = grave, click = () => {} } = {}) {
  const lines = stack();
  lines.setAttribute("aria-live", grave ? "assertive" : "polite");
  const line = document.createElement("p");
  line.className = grave ? "grave" : "";
  text.split("`").forEach((piece, i) => {
    line.append(i % 2 ? Object.assign(document.createElement("code"), { textContent: piece }) : piece);
  });
  line.addEventListener("click", () => (line.remove(), click()));
  lines.append(line);
  while (lines.children.length > 3) lines.firstChild.remove();
  setTimeout(() => line.remove(), stays ? 9000 : 3000);
}

// Resolves with the text (or "yes" where none is asked for), or null when the person thinks better of it.
// Resolves with the value of one of [[value, words], ...], or null.
export function choice({ title, about = "", of, yes }) {
  const made = document.createElement("select");
  made.append(...of.map(([value, words]) => Object.assign(document.createElement("option"), { value, textContent: words })));
  return question({ title, about, text: "", yes, field: made });
}

// `choices`: texts that are offered; `empty`: nothing is an answer, too.
export function question({ title, about = "", text, choices = [], yes, grave = false, empty = false, field }) {
  const dialog = document.createElement("dialog");
  dialog.className = "ask";
  dialog.innerHTML =
    '<form method="dialog"><h2></h2><p></p><input autocomplete="off" maxlength="200"><datalist id="offered"></datalist>' +
    '<div><button value="" formnovalidate></button><button class="yes" value="yes"></button></div></form>';
  dialog.querySelector("[value='']").textContent = _("Cancel");
  if (field) dialog.querySelector("input").replaceWith(field);
  const [heading, words, input, confirm] = ["h2", "p", "input, select, textarea", ".yes"].map((part) => dialog.querySelector(part));
  heading.textContent = title;
  words.textContent = about;
  confirm.textContent = yes;
  confirm.classList.toggle("grave", grave);
  dialog.setAttribute("aria-label", title);
  dialog.querySelector("datalist").append(...choices.map((value) => Object.assign(document.createElement("option"), { value })));
  if (choices.length) input.setAttribute("list", "offered");
  input.setAttribute("aria-label", title);
  if (text === undefined) input.remove();
  else if (!field) input.value = text;
  // Enter means yes, and not the first button of the form, which is Cancel.
  input.addEventListener("keydown", (event) => event.key === "Enter" && !input.matches("textarea") && (event.preventDefault(), confirm.click()));
  document.body.append(dialog);
  dialog.showModal();
  (text === undefined ? confirm : input).focus();
  input.select?.();
  return new Promise((done) =>
    dialog.addEventListener("close", () => {
      dialog.remove();
      const said = text === undefined ? "yes" : input.value;
      done(dialog.returnValue && (said || empty) ? said : null);
    }),
  );
}
