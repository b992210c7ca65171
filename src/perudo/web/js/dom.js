// Helpers that create elements. Styles use classes, because the content policy forbids inline styles.

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in element) element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function button(text, onclick, attributes = {}) {
  return h("button", { type: "button", class: "button", onclick, ...attributes }, text);
}

export function link(text, href, attributes = {}) {
  return h("a", { href, ...attributes }, text);
}

// Replace an element's children only if they differ, which keeps focus and scroll position.
export function show(element, ...children) {
  const wanted = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  const holder = document.createElement(element.tagName);
  holder.append(...wanted);
  if (holder.innerHTML === element.dataset.shown && element.childNodes.length) return false;
  element.dataset.shown = holder.innerHTML;
  element.replaceChildren(...holder.childNodes);
  return true;
}

function option([value, text], chosen) {
  return h("option", { value, selected: String(value) === String(chosen) }, text);
}

// `options` are pairs of a value and its text, or of a group's label and a list of values.
export function choice(label, options, chosen, onchange, attributes = {}) {
  const select = h("select", { onchange: () => onchange(select.value), ...attributes },
    options.map(([value, text]) => (Array.isArray(text)
      ? h("optgroup", { label: value }, text.map((each) => option(each, chosen))) : option([value, text], chosen))));
  return h("label", { class: "field" }, h("span", {}, label), select);
}

export function tick(label, on, onchange, attributes = {}) {
  const box = h("input", { type: "checkbox", onchange: () => onchange(box.checked), ...attributes });
  box.checked = on;
  return h("label", { class: "tick" }, box, h("span", {}, label));
}
