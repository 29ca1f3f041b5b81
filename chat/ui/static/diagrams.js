// Mermaid's pictures of what replies say in ```mermaid. Gradio brings the library; it is loaded with the first picture.
// A picture stands on the page as an image, in which nothing of what a model wrote can run or be clicked.

import { _ } from "./words.js";

const where = document.querySelector("meta[name=duet-mermaid]")?.content;
let library;
let count = 0;
let queue = Promise.resolve(); // Mermaid draws one at a time

export function draw(element) {
  if (!where) return;
  for (const place of element.querySelectorAll(".diagram:empty")) {
    place.append(document.createElement("i")); // taken
    queue = queue.then(() => fill(place));
  }
}

export function redraw() {
  for (const place of document.querySelectorAll(".diagram:has(img)")) place.replaceChildren();
  draw(document);
}

async function fill(place) {
  const code = place.dataset.code ?? place.parentElement.querySelector("figure code").textContent;
  const id = `drawn-${++count}`;
  try {
    library ||= import(new URL(where, document.baseURI));
    const mermaid = (await library).default;
    const theme = document.body.classList.contains("dark") ? "dark" : "neutral";
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme, htmlLabels: false, suppressErrorRendering: true, ...chart(place.clientWidth) });
    place.replaceChildren(image((await mermaid.render(id, code)).svg, place.dataset.alt ?? code));
  } catch (error) {
    console.debug(error);
    library = (await library?.catch(() => null)) && library; // it could not be loaded: tried again with the next
    document.getElementById(`d${id}`)?.remove();
    place.replaceChildren(note(_("This is no diagram that can be drawn: its words stand below.")));
  }
}

// As wide as its place, so that its words are as large as those around it, and in the page's colours.
function chart(width) {
  const colour = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();
  const xyChart = { plotColorPalette: colour("--slow-mark"), backgroundColor: "transparent", titleColor: colour("--ink") };
  const inked = ["AxisTitleColor", "AxisLabelColor", "AxisTickColor", "AxisLineColor"];
  for (const part of inked) xyChart[`x${part}`] = xyChart[`y${part}`] = colour("--ink");
  const [xAxis, yAxis] = [12, width < 300 ? 8 : 12].map((labelFontSize) => ({ labelFontSize }));
  return { themeVariables: { xyChart }, xyChart: { width: Math.min(560, width || 560), height: 260, xAxis, yAxis } };
}

function image(svg, told) {
  const made = new Image();
  const [, , width, height] = svg.match(/viewBox="([^"]+)"/)[1].split(" ");
  made.width = Math.ceil(width); // an image knows its size only from these
  made.height = Math.ceil(height);
  made.alt = told;
  made.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return made;
}

function note(words) {
  const made = document.createElement("p");
  made.textContent = words;
  return made;
}
