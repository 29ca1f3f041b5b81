// Where in the conversation the person is: a place that a search found, and the same words in view while turns are
// put before them.

const thread = () => document.getElementById("thread");
let wanted = null;

// What is to be shown once it is there: the turn and the words of a hit, or nothing.
export function look(hit) {
  wanted = hit;
  CSS.highlights?.delete("hit");
}

// Whether what was looked for has just been brought into view. `whole`: what is not there now does not come any more.
export function found(whole) {
  const turn = wanted && document.querySelector(`#turns > [data-turn="${wanted.turn}"]`);
  if (!turn?.firstChild) return whole && look(null), false;
  const { words } = wanted;
  wanted = null;
  const ranges = places(turn, words);
  if (CSS.highlights && ranges.length) CSS.highlights.set("hit", new Highlight(...ranges));
  (ranges[0]?.startContainer.parentElement ?? turn).scrollIntoView({ block: "center" });
  turn.tabIndex = -1;
  turn.focus({ preventScroll: true });
  return true;
}

function places(element, words) {
  const wordings = words.split(/\s+/).filter(Boolean).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const ranges = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    for (const wording of wordings)
      for (const { 0: word, index } of node.data.matchAll(new RegExp(wording, "giu"))) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        ranges.push(range);
      }
  return ranges;
}

// The first turn in view and where it stands, to be put there again.
export function hold() {
  const top = thread().getBoundingClientRect().top;
  const turn = [...document.querySelectorAll("#turns > *")].find((one) => one.getBoundingClientRect().bottom > top);
  return turn && { turn, at: turn.getBoundingClientRect().top };
}

export function keep(held) {
  if (held?.turn.isConnected) thread().scrollTop += held.turn.getBoundingClientRect().top - held.at;
}

// Scrolled to the first or the last words that it shows, a conversation shows more.
export function listen(more) {
  const seen = new IntersectionObserver((all) => all.some((one) => one.isIntersecting) && !wanted && more(), { root: thread() });
  for (const id of ["earlier", "later"]) seen.observe(document.getElementById(id));
}
