// The source beside an answer: the page as a picture with the words marked, the path above them, the neighbours.

import { $, counted, el, get, pages, request, say, svg } from "./parts.js";

const viewer = $("#viewer");
let shown = null; // { document, number, boxes, title }
let opener = null;
let turn = 0;

export const isOpen = () => !viewer.hidden;

// While a source is shown the browser's Back closes it: that is a step of its own in the tab's history.
let is_leaving = false;
export function close() {
  if (viewer.hidden) return;
  if (history.state?.source) {
    is_leaving = true;
    history.back();
  }
  hide();
}

addEventListener("popstate", () => {
  if (!is_leaving && !history.state?.source) hide();
  is_leaving = false;
});

function hide() {
  if (viewer.hidden) return;
  viewer.hidden = true;
  behind(false);
  document.body.classList.remove("viewing");
  for (const one of document.querySelectorAll(".cited")) one.classList.remove("cited");
  turn += 1;
  opener?.focus?.({ preventScroll: true });
}

// What lies under the source where that takes the whole screen can't be reached.
function behind(is_covered) {
  for (const one of [$("#main"), $("header")]) one.inert = is_covered;
}

// Opens a place: { document, node, boxes, quote, number }. What has no page is shown as text.
export async function open(place, from) {
  if (viewer.hidden && !history.state?.source) history.pushState({ source: true }, "");
  opener = from || document.activeElement;
  const mine = ++turn;
  viewer.hidden = false;
  behind(matchMedia("(max-width: 63.99rem)").matches);
  document.body.classList.add("viewing");
  viewer.replaceChildren(bar("…"), el("p", { class: "dim pad" }, "Opening …"));
  try {
    const [node, known] = await Promise.all([get("node", { id: place.node }), get("document", { id: place.document })]);
    if (mine !== turn) return;
    const boxes = place.boxes?.length ? place.boxes : node.boxes;
    const first = boxes[0]?.page || place.pages?.[0] || node.pages?.[0];
    shown = known.has_pictures ? { document: known, number: first || 1, boxes } : null;
    viewer.replaceChildren(...[
      bar(known.title, place.number, shown ? turning() : null),
      path(node),
      shown ? sheet() : null,
      words(node, place),
      beside(node),
    ].filter(Boolean));
    viewer.scrollTop = 0;
    $("h2", viewer).focus({ preventScroll: true });
    say(`${known.title}, ${pages(node.pages)}`);
    if (shown) await draw(mine);
  } catch (error) {
    if (mine === turn) viewer.replaceChildren(bar("Source"), el("p", { class: "bad pad", role: "alert" }, error.message));
  }
}

function bar(title, citation, controls) {
  return el("div", { class: "viewer-bar" }, el("div", { class: "viewer-title" },
    citation ? el("span", { class: "mark-number" }, String(citation)) : null,
    el("h2", { tabindex: "-1", dir: "auto" }, title),
    el("button", { type: "button", class: "quiet", "aria-label": "Close the source", click: close }, "✕")), controls);
}

function path(node) {
  const above = node.ancestors.filter((one) => one.kind === "section");
  const here = node.kind === "section" ? [{ id: node.id, label: node.title }] : [];
  const steps = [...above, ...here].map((one) =>
    el("li", {}, el("button", { type: "button", class: "link", dir: "auto", click: () => open({ document: node.document, node: one.id }) }, one.label)));
  return el("nav", { class: "path", "aria-label": "Headings" }, el("ol", {}, steps));
}

function sheet() {
  return el("figure", { class: "sheet" }, el("div", { class: "paper", tabindex: "0", role: "group", "aria-label": "Picture of the page" }));
}

// Turning and enlarging the page, in the bar that stays in sight.
function turning() {
  const button = (label, sign, properties) => el("button", { type: "button", class: "quiet", "aria-label": label, ...properties }, sign);
  return el("div", { class: "turning", role: "group", "aria-label": "Page" },
    button("Page before", "‹", { "data-step": "-1", click: () => step(-1) }),
    el("span", { class: "page-number", role: "status" }),
    button("Next page", "›", { "data-step": "1", click: () => step(1) }),
    el("span", { class: "space" }),
    button("Smaller", "−", { click: () => enlarge(1 / 1.3) }),
    button("Larger", "+", { click: () => enlarge(1.3) }));
}

let zoom = matchMedia("(max-width: 44rem)").matches ? 1.7 : 1; // on a phone a whole page is too small to read
function enlarge(by) {
  zoom = Math.min(4, Math.max(1, zoom * by));
  const picture = $(".paper svg", viewer);
  if (!picture) return;
  picture.style.width = `${100 * zoom}%`;
  bring();
}

export function step(by) {
  if (!shown || viewer.hidden) return false;
  const number = shown.number + by;
  if (number < 1 || number > shown.document.pages) return false;
  shown.number = number;
  draw(++turn);
  return true;
}

async function draw(mine) {
  const { document: known, number, boxes } = shown;
  const paper = $(".paper", viewer);
  $(".page-number", viewer).textContent = `Page ${number} of ${known.pages}`;
  for (const button of viewer.querySelectorAll("[data-step]")) {
    const to = number + Number(button.dataset.step);
    button.disabled = to < 1 || to > known.pages;
  }
  paper.classList.add("loading");
  let response;
  try {
    response = await request(`page?${new URLSearchParams({ document: known.id, number })}`);
  } catch (error) {
    if (mine === turn) paper.replaceChildren(el("p", { class: "bad pad", role: "alert" }, error.message));
    return;
  } finally {
    if (mine === turn) paper.classList.remove("loading");
  }
  const width = Number(response.headers.get("X-Page-Width"));
  const height = Number(response.headers.get("X-Page-Height"));
  const address = URL.createObjectURL(await response.blob());
  if (mine !== turn) return URL.revokeObjectURL(address);
  const marks = boxes.filter((box) => box.page === number).map((box) =>
    svg("rect", { class: "mark", x: box.x0 - 1, y: box.y0 - 1, width: box.x1 - box.x0 + 2, height: box.y1 - box.y0 + 2, rx: 1.5 }));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Page ${number} of ${known.title}${marks.length ? `, ${counted(marks.length, "place")} marked` : ""}` },
    svg("image", { href: address, width, height }), ...marks);
  $("image", picture).addEventListener("load", () => URL.revokeObjectURL(address));
  picture.style.width = `${100 * zoom}%`;
  paper.replaceChildren(picture);
  if (marks.length) bring();
  else viewer.scrollTop = 0;
}

// The first mark is brought into sight, under the bar and within the page's own width.
function bring() {
  const mark = $(".mark", viewer)?.getBoundingClientRect();
  if (!mark) return;
  const paper = $(".paper", viewer);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  viewer.scrollTo({ top: mark.top - viewer.getBoundingClientRect().top + viewer.scrollTop - viewer.clientHeight / 3, behavior: calm });
  paper.scrollLeft += mark.left - paper.getBoundingClientRect().left - 24;
}

function words(node, place) {
  const text = node.text || node.title;
  return el("section", { class: "words", "aria-label": "Text" },
    el("p", { class: "dim small" }, [node.kind, pages(node.pages)].filter(Boolean).join(" · "), " ", el("code", {}, node.id)),
    el("div", { class: "text", dir: "auto" }, tables(text, place.quote)),
    node.is_cut ? el("p", { class: "dim small" }, "Only its beginning is shown: open a part of it for the rest.") : null,
    node.has_image ? figure(node) : null,
    node.figures.length || node.mentioned_in.length
      ? el("p", { class: "small" }, [...node.figures, ...node.mentioned_in].map((one) => jump(node, one, `${one.kind}: ${one.label}`)))
      : null);
}

function figure(node) {
  const place = el("div", { class: "figure" });
  request(`image?${new URLSearchParams({ node: node.id })}`)
    .then(async (response) => {
      const address = URL.createObjectURL(await response.blob());
      place.append(el("img", { src: address, alt: node.title || "figure", load: () => URL.revokeObjectURL(address) }));
    })
    .catch(() => place.remove());
  return place;
}

// Rows between bars are a table; all else is text.
function tables(text, quote) {
  const made = [];
  let rows = [];
  let lines = [];
  const flush = () => {
    if (rows.length) made.push(el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table" }, el("table", {}, rows)));
    if (lines.join("").trim()) made.push(el("p", {}, marked(lines.join("\n").trim(), quote)));
    rows = [];
    lines = [];
  };
  for (const line of text.split("\n")) {
    const is_row = /^\|.*\|$/.test(line.trim());
    if (is_row !== rows.length > 0) flush();
    if (!is_row) lines.push(line);
    else if (!/^\|[\s|:-]+\|$/.test(line.trim())) rows.push(row(line.trim(), rows.length ? "td" : "th"));
  }
  flush();
  return made;
}

const row = (line, cell) => el("tr", {}, line.slice(1, -1).split(/(?<!\\)\|/).map((one) => el(cell, {}, one.trim().replaceAll("\\|", "|"))));

// The text with the quote marked, where it stands there in so many words.
function marked(text, quote) {
  const at = quote ? text.indexOf(quote) : -1;
  if (at < 0 || text.length === quote.length) return [text];
  return [text.slice(0, at), el("mark", {}, quote), text.slice(at + quote.length)];
}

const jump = (node, to, label) =>
  el("button", { type: "button", class: "link block", dir: "auto", click: () => open({ document: node.document, node: to.id }) }, label);

function beside(node) {
  const row = (name, to) => to && el("div", {}, el("span", { class: "dim small" }, name), jump(node, to, to.label));
  return el("nav", { class: "beside", "aria-label": "Neighbours" },
    row("Before", node.before), row("After", node.after),
    el("a", { class: "small", href: `#/documents/${encodeURIComponent(node.document)}` }, "Open the document's tree"));
}
