// A program of the trace, changed by the person and run again. What it gives stands beside the original and is kept nowhere.

import { _ } from "./words.js";

export function change(step, duet) {
  const place = step.querySelector(".rerun");
  if (!place.firstChild) place.append(...editor(step, duet));
  place.querySelector("textarea").focus();
}

function editor(step, duet) {
  const made = document.createElement("template");
  made.innerHTML =
    `<dt>${_("Again")}</dt><dd><form><textarea spellcheck="false" autocapitalize="off" dir="ltr"></textarea>` +
    `<div class="row"><small>${_("This changes nothing in the conversation.")}</small><button type="button">${_("Close")}</button>` +
    `<button class="yes">${_("Run again")}</button></div></form><figure class="code" hidden><figcaption>${_("output")}` +
    `<button type="button" data-do="copy-code">${_("Copy")}</button></figcaption><pre tabindex="0" role="status"><code></code></pre></figure></dd>`;
  const form = made.content.querySelector("form");
  const area = form.querySelector("textarea");
  area.setAttribute("aria-label", _("The program, to be changed"));
  area.value = step.querySelector(".act code").textContent.trimEnd();
  area.rows = Math.min(16, area.value.split("\n").length + 1);
  const close = () => {
    form.closest(".rerun").replaceChildren();
    step.querySelector("[data-do=change]").focus();
  };
  form.querySelector("button").addEventListener("click", close);
  let newest = 0;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const number = ++newest;
    form.setAttribute("aria-busy", "true");
    const answer = await duet.ask("rerun", { text: area.value });
    if (number === newest) form.removeAttribute("aria-busy");
    if (answer?.output !== undefined) came(form, answer); // a fault is told elsewhere
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") event.stopPropagation(), close();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.preventDefault(), form.requestSubmit();
  });
  return [...made.content.childNodes];
}

function came(form, answer) {
  const shown = form.nextElementSibling;
  shown.hidden = false;
  shown.classList.toggle("failed", answer.failed);
  shown.querySelector("code").textContent = answer.output;
}
