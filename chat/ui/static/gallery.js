// The gallery of tasks, a window over the page. Cards whose task was never opened are filled one after the other while
// the window is open: each starts a world.

import { _ } from "./words.js";
import { patch } from "./patch.js";
import { toast } from "./dialog.js";

const dialog = () => document.querySelector("dialog.gallery");

export async function open() {
  const got = await fetch("gallery").catch(() => null);
  if (!got?.ok) return toast(_("That did not reach Duet: try it again."), { grave: true });
  if (dialog()) return;
  const made = document.body.appendChild(Object.assign(document.createElement("dialog"), { className: "gallery" }));
  made.innerHTML = await got.text();
  made.setAttribute("aria-label", made.querySelector("h2").textContent);
  made.addEventListener("close", () => made.remove());
  made.showModal();
  for (const card of made.querySelectorAll(".task:empty")) if (made.open) await fill(card);
}

export const close = () => dialog()?.close();

async function fill(card) {
  card.setAttribute("aria-busy", "true");
  const got = await fetch(`gallery/${card.dataset.kind}`).catch(() => null);
  card.removeAttribute("aria-busy");
  if (got?.ok) patch(card, await got.text());
}
