// Which language the page speaks: the one that was chosen stays in a cookie of this browser, for every tab and day.

import { language } from "./words.js";

const YEAR = 365 * 24 * 3600;

// Gradio names the browser's language on the page, and the one direction that it knows on each of its blocks.
const root = document.documentElement;
const named = () => root.lang !== language && (root.lang = language);

function undirected() {
  for (const block of document.querySelectorAll(".block[dir]")) block.removeAttribute("dir");
}

export function listen() {
  new MutationObserver(named).observe(root, { attributeFilter: ["lang"] });
  new MutationObserver(undirected).observe(document.body, { subtree: true, childList: true, attributeFilter: ["dir"] });
  undirected();
  named();
  const field = document.getElementById("language");
  const name = field.dataset.cookie;
  field.value = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  if (field.selectedIndex < 0) field.value = ""; // one that is not there any more
  field.addEventListener("change", () => {
    const path = new URL(".", document.baseURI).pathname;
    document.cookie = `${name}=${field.value}; path=${path}; max-age=${field.value ? YEAR : 0}; samesite=lax`;
    location.reload();
  });
}
