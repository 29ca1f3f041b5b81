// Sharing a conversation: as one file, or by links that show it as it is now and can be taken back.

import { _, language } from "./words.js";
import { toast } from "./dialog.js";

export async function share(session, title, duet) {
  const dialog = document.createElement("dialog");
  dialog.className = "ask share";
  dialog.innerHTML =
    `<h2></h2><p>${_("Whoever has it can read the conversation as it is now: no documents, no memory, no settings.")}</p>` +
    `<a class="b text" download>${_("Download as a file")}</a><section hidden><label><input type="checkbox"> ${_("with the steps of the slow mind")}</label>` +
    `<button type="button" class="b text yes">${_("Make a link")}</button><output></output><ul></ul></section>` +
    `<p class="off" hidden>${_("Links are off in this Duet: DUET_SHARING=1 turns them on.")}</p><form method="dialog"><div><button>${_("Close")}</button></div></form>`;
  const find = (part) => dialog.querySelector(part);
  find("h2").textContent = _("Share “{title}”", { title });
  dialog.setAttribute("aria-label", _("Share"));
  find("a").href = `conversations/${encodeURIComponent(session)}.html`;
  find("section button").addEventListener("click", async () => {
    const made = await duet.ask("share", { session, value: find("input").checked ? 1 : 0 });
    if (!made?.secret) return;
    const link = new URL(`shared/${made.secret}`, document.baseURI).href;
    find("output").textContent = link;
    navigator.clipboard?.writeText(link).then(() => toast(_("The link is copied; it is shown only now.")), () => {});
    list();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  await list();

  async function list() {
    const known = await duet.ask("shares", { session });
    find("section").hidden = !known?.links;
    find(".off").hidden = known?.links !== false;
    find("ul").replaceChildren(...(known?.shares ?? []).map(line));
  }

  function line({ id, made, steps }) {
    const item = document.createElement("li");
    const when = new Date(made * 1000).toLocaleString(`${language}-u-nu-latn`);
    item.append(Object.assign(document.createElement("span"), { textContent: steps ? _("Link of {when}, with steps", { when }) : _("Link of {when}", { when }) }));
    const back = Object.assign(document.createElement("button"), { type: "button", className: "b text", textContent: _("Take back") });
    back.addEventListener("click", async () => {
      await duet.ask("unshare", { session, document: id });
      find("output").textContent = "";
      list();
    });
    item.append(back);
    return item;
  }
}
