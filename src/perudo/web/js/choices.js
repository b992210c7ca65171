// The visitor's settings, kept in this browser; without storage, only until the page closes.

const visit = new Map();
const PREFIX = "perudo.";

export function kept(name) {
  if (visit.has(name)) return visit.get(name);
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined; // no storage, or not our data: use the default
  }
}

export function keep(name, value) {
  visit.set(name, value);
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // no storage: the map above keeps it until the page closes
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
