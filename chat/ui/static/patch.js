// Brings an element's children to what some HTML says, changing only what differs: selection, focus and what the person
// opened or closed stay as they are. What is inside an element with data-own belongs to the script that fills it.

export function patch(element, html) {
  const wanted = document.createElement("template");
  wanted.innerHTML = html;
  children(element, wanted.content);
}

function children(now, wanted) {
  const next = [...wanted.childNodes];
  next.forEach((node, i) => {
    const old = now.childNodes[i];
    if (!old) now.appendChild(node);
    else if (same(old, node)) update(old, node);
    else now.replaceChild(node, old);
  });
  while (now.childNodes.length > next.length) now.lastChild.remove();
}

function same(a, b) {
  return a.nodeName === b.nodeName && a.dataset?.key === b.dataset?.key && a.dataset?.turn === b.dataset?.turn;
}

function update(old, node) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== node.data) old.data = node.data;
    return;
  }
  attributes(old, node);
  if (!old.hasAttribute("data-own")) children(old, node);
}

function attributes(old, node) {
  for (const { name } of [...old.attributes])
    if (!node.hasAttribute(name) && !kept(old, name)) old.removeAttribute(name);
  for (const { name, value } of node.attributes)
    if (old.getAttribute(name) !== value && !kept(old, name)) old.setAttribute(name, value);
}

function kept(element, name) {
  return name === "data-touched" || (name === "open" && element.dataset.touched);
}
