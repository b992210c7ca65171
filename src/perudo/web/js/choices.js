// What a visitor has chosen, kept in this browser only; where storage is refused, for this visit.

const visit = new Map();
const PREFIX = "perudo.";

export function kept(name) {
  if (visit.has(name)) return visit.get(name);
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined; // no storage, or not ours: as if nothing had been chosen
  }
}

export function keep(name, value) {
  visit.set(name, value);
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // a browser that refuses storage keeps it for this visit, in the map above
  }
}

export function applyTheme() {
  const theme = kept("theme") ?? "auto";
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function lessMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
