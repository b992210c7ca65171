// Renders the lab's results page from Markdown: headings, paragraphs, lists, tables and figures.

import { h } from "./dom.js";
import { t } from "./words.js";

const INLINE = /!\[([^\]]*)\]\(([^)]+)\)|\[([^\]]+)\]\([^)]*\)|`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*/g;

function inline(text) {
  const made = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    made.push(text.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[2]) made.push(h("img", { src: `/api/lab/figures/${found[2].split("/").at(-1)}`, alt: found[1], loading: "lazy", class: "figure" }));
    else if (found[4]) made.push(h("code", {}, found[4]));
    else if (found[5]) made.push(h("b", {}, found[5]));
    else made.push(found[3] ?? h("i", {}, found[6]));
  }
  return [...made, text.slice(from)];
}

function cells(line) {
  return line.replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
}

function table(lines, label) {
  const [head, , ...rows] = lines.map(cells);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, h("table", {},
    h("thead", {}, h("tr", {}, head.map((cell) => (cell ? h("th", { scope: "col" }, inline(cell)) : h("td", {}))))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, inline(cell))))))));
}

// Sections can be folded, because the page is long.
export function rendered(text) {
  const parts = [];
  let here = h("div", {});
  let title = "";
  parts.push(here);
  const blocks = text.split(/\n\s*\n/);
  for (const block of blocks) {
    const lines = block.split("\n").filter(Boolean);
    if (!lines.length) continue;
    const heading = /^(#+) (.*)$/.exec(lines[0]);
    if (heading && heading[1].length === 2) {
      parts.push(h("h3", {}, inline(heading[2])));
      parts.push(here = h("div", {}));
    } else if (heading && heading[1].length > 2) {
      title = heading[2];
      parts.push(here = h("details", { class: "fold" }, h("summary", {}, inline(title))));
    } else if (heading) continue;
    else if (lines[0].startsWith("|")) here.append(table(lines, title || "Results"));
    else if (lines[0].startsWith("- ")) {
      const list = h("ul", { class: "rule-list" }, lines.map((line) => h("li", {}, inline(line.replace(/^- /, "")))));
      // The list before the first heading has the commands that made the results, which few readers want.
      here.append(parts.length > 1 ? list : h("details", { class: "fold" }, h("summary", {}, t("lab.commands")), list));
    }
    else here.append(h("p", {}, inline(lines.join(" "))));
  }
  return parts;
}
