
"use strict";
const pages = document.querySelector(".pages");
const tree = document.querySelector(".tree");
const entries = [...tree.querySelectorAll("details")];
const boxes = new Map();
for (const box of pages ? pages.querySelectorAll(".box") : []) {
  const number = box.dataset.n;
  boxes.set(number, [...(boxes.get(number) || []), box]);
}
const entry = (number) => document.getElementById("n" + number);
const numberOf = (target) => target.closest("[data-n]")?.dataset.n;

// What is pointed at or has the focus is lit on both sides.
let lit = [];
function light(number) {
  for (const element of lit) element.classList.remove("on");
  lit = number ? [...(boxes.get(number) || []), entry(number)] : [];
  for (const element of lit) element.classList.add("on");
}
let marked = [];
function mark(place) {
  for (const element of marked) element.remove();
  marked = [];
  for (const part of place ? place.split(";") : []) {
    const [page, x, y, width, height] = part.split(" ");
    const sheet = pages?.querySelector(`svg[data-page="${page}"]`);
    if (!sheet) continue;
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ x, y, width, height, class: "mark" })) rect.setAttribute(name, value);
    sheet.append(rect);
    marked.push(rect);
  }
}

function reveal(number) {
  const found = entry(number);
  for (let above = found.parentElement.closest("details"); above; above = above.parentElement.closest("details")) above.open = true;
  const summary = found.querySelector("summary");
  summary.focus({ preventScroll: true });
  summary.scrollIntoView({ block: "nearest" });
}
function bring(number) {
  const [box] = boxes.get(number) || [];
  if (box) box.scrollIntoView({ block: "nearest" });
  return box;
}

document.addEventListener("mouseover", (event) => {
  light(numberOf(event.target));
  mark(event.target.closest("li[data-at]")?.dataset.at);
});
document.addEventListener("focusin", (event) => {
  const number = numberOf(event.target);
  light(number);
  if (number && tree.contains(event.target)) bring(number);
});
pages?.addEventListener("click", (event) => {
  const number = numberOf(event.target);
  if (!number) return;
  event.preventDefault();
  reveal(number);
});
tree.addEventListener("click", (event) => {
  const number = numberOf(event.target);
  if (number) bring(number);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const number = numberOf(document.activeElement);
  const step = { j: 1, k: -1 }[event.key];
  if (step) {
    const shown = entries.filter((one) => !one.classList.contains("off"));
    const at = shown.findIndex((one) => one.dataset.n === number);
    const next = at < 0 ? shown[0] : shown[at + step];
    if (next) reveal(next.dataset.n);
  } else if (event.key === "b" && number) {
    bring(number)?.focus();
  }
});

document.querySelector(".legend").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const is = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(is));
  const kind = button.dataset.kind;
  if (!kind) {
    for (const one of entries) one.open = is || one.classList.contains("k-section");
    return;
  }
  for (const element of document.querySelectorAll(`.box.k-${kind}`)) element.classList.toggle("off", !is);
  if (kind !== "section") for (const element of tree.querySelectorAll(`details.k-${kind}`)) element.classList.toggle("off", !is);
});
