// What this browser keeps for the person. One that is full, or that is told to keep nothing, keeps it until the tab ends.

const here = new Map(); // what could not be kept

export const get = (name) => here.get(name) ?? tried(() => localStorage.getItem(name)) ?? null;

export function put(name, text) {
  here.delete(name);
  tried(() => localStorage.setItem(name, text), () => here.set(name, text));
}

export function drop(name) {
  here.delete(name);
  tried(() => localStorage.removeItem(name));
}

function tried(work, other = () => {}) {
  try {
    return work();
  } catch {
    other();
  }
}
