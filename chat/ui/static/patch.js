// Brings an element's children to what some HTML says, changing only what differs: selection, focus and what the person
// opened or closed stay as they are. What is inside an element with data-own belongs to the script that fills it.

export function patch(element, html) {
  const wanted = document.createElement("template");
  wanted.innerHTML = html;
  children(element, wanted.content);
}

function children(now, wanted) {
  const next = [...wanted.childNodes];
  const keys = new Set(next.map(key));
  for (const old of [...now.childNodes]) if (key(old) && !keys.has(key(old))) old.remove();
  let at = now.firstChild; // what stands before it is done
  for (const node of next) {
    const old = standing(at, node);
    const place = at;
    if (at && (old === at || (!old && !key(at)))) at = at.nextSibling; // what has a key is wanted further on
    if (old) update(old, node);
    if (!old && at !== place) now.replaceChild(node, place);
    else if (!old || old !== place) now.insertBefore(old ?? node, at);
  }
  while (at?.nextSibling) at.nextSibling.remove();
  at?.remove();
}

const key = (node) => node.dataset?.key;

// Which of those from `at` on the node is: one with a key may have moved.
function standing(at, node) {
  let old = at;
  while (old && key(node) && !same(old, node)) old = old.nextSibling;
  return old && same(old, node) ? old : null;
}

function same(a, b) {
  return a.nodeName === b.nodeName && a.dataset?.key === b.dataset?.key && a.dataset?.turn === b.dataset?.turn;
}

function update(old, node) {
  if (old.isEqualNode(node)) return; // most of a long reply that grows: this is many times as fast as looking further
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data === node.data) return;
    if (node.data.startsWith(old.data)) old.appendData(node.data.slice(old.length)); // what is selected of it stays so
    else old.data = node.data;
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
