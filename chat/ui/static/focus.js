// The keyboard's focus, where what has it is taken away: a browser then leaves it nowhere, and who works without a mouse
// begins again at the top.

// While `work` changes what stands in `within`: the focus stays with what does the same there, else it goes to `other`.
export function steady(within, work, other) {
  const held = within.querySelector(":focus-visible"); // none where a finger or a mouse was used
  const was = held && name(held);
  const alike = () => [...within.querySelectorAll(held.localName)].filter((one) => one.checkVisibility() && name(one) === was);
  const at = held && alike().indexOf(held);
  work();
  if (!held) return;
  if (held.isConnected && held.checkVisibility()) {
    if (document.activeElement === document.body) held.focus({ preventScroll: true }); // it was moved
    return;
  }
  const left = alike();
  (left[Math.min(at, left.length - 1)] ?? other)?.focus();
}

const name = (one) => `${one.dataset.do} ${one.closest("[data-key]")?.dataset.key ?? one.ariaLabel}`;
