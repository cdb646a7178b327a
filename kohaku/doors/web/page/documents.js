// The documents of the index and the tree of each, a branch at a time.

import { $, counted, el, get, pages } from "./parts.js";
import { open } from "./viewer.js";

const STEP = 100;
const list = $("#document-list");
let offset = 0;
let words = "";
let turn = 0;

export async function list_documents(more = false) {
  const mine = ++turn;
  offset = more ? offset + STEP : 0;
  try {
    const found = await get("documents", { q: words, offset, limit: STEP });
    if (mine !== turn) return;
    if (!more) list.replaceChildren();
    list.append(...found.documents.map(item));
    if (!found.total) list.append(el("li", { class: "dim pad" }, words ? "No document has these words." : "The index is empty."));
    $("#more-documents").hidden = offset + STEP >= found.total;
    $("h1", $("#documents")).textContent = `Documents (${found.total})`;
    mark();
  } catch (error) {
    list.replaceChildren(el("li", { class: "bad", role: "alert" }, error.message));
  }
}

function item(one) {
  const about = [one.metadata.type, one.metadata.year, one.pages ? counted(one.pages, "page") : ""].filter(Boolean).join(" · ");
  return el("li", {}, el("a", { href: `#/documents/${encodeURIComponent(one.id)}`, "data-id": one.id },
    el("b", { dir: "auto" }, one.title), el("span", { class: "dim small", dir: "auto" }, one.id, about ? ` · ${about}` : "")));
}

let current = "";
function mark() {
  for (const link of list.querySelectorAll("a")) {
    if (link.dataset.id === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

export async function show_document(id) {
  const place = $("#tree");
  current = id;
  mark();
  $("#documents").classList.toggle("one", Boolean(id));
  if (!id) {
    place.replaceChildren(el("p", { class: "dim pad" }, "Choose a document to see what it was taken apart into."));
    return;
  }
  place.replaceChildren(el("p", { class: "dim pad" }, "Opening …"));
  try {
    const known = await get("document", { id });
    if (current !== id) return;
    const branches = el("ul", { class: "branches" });
    const about = ["type", "year"].map((name) => known.metadata[name]).filter(Boolean);
    place.replaceChildren(
      el("a", { class: "back", href: "#/documents" }, "‹ All documents"),
      el("h2", { dir: "auto", tabindex: "-1" }, known.title),
      el("p", { class: "dim small", dir: "auto" }, [known.id, ...about, known.pages ? counted(known.pages, "page") : "", ...known.files].filter(Boolean).join(" · ")),
      known.metadata.citation ? el("p", { class: "small", dir: "auto" }, known.metadata.citation) : "",
      branches);
    await grow(branches, id, id);
  } catch (error) {
    place.replaceChildren(el("p", { class: "bad pad", role: "alert" }, error.message));
  }
}

async function grow(branches, id, document_id, from = 0) {
  const { children, more } = await get("children", { id, offset: from });
  branches.append(...children.map((one) => branch(one, document_id)));
  if (!more) return;
  const button = el("button", { type: "button", class: "link" }, "Show more");
  const last = el("li", {}, button);
  button.addEventListener("click", async () => {
    await grow(branches, id, document_id, from + children.length);
    last.remove();
  });
  branches.append(last);
}

function branch(node, document_id) {
  const below = el("ul", { class: "branches", hidden: true });
  const toggle = node.children
    ? el("button", { type: "button", class: "toggle", "aria-expanded": "false", "aria-label": `Parts of ${node.label || node.kind}` })
    : el("span", { class: "toggle" });
  const fold = async (is_open) => {
    toggle.setAttribute("aria-expanded", String(is_open));
    below.hidden = !is_open;
    if (is_open && !below.childElementCount) {
      await grow(below, node.id, document_id).catch((error) => below.append(el("li", { class: "bad" }, error.message)));
    }
  };
  if (node.children) toggle.addEventListener("click", () => fold(below.hidden));
  const name = el("button", { type: "button", class: "node", click: (event) => open({ document: document_id, node: node.id }, event.currentTarget) },
    el("span", { class: `kind k-${node.kind}` }, node.kind === "section" ? `H${node.level}` : node.kind),
    el("span", { class: "label", dir: "auto" }, node.label || "(no text)"), el("span", { class: "where" }, pages(node.pages)));
  return el("li", {
    keydown: (event) => {
      if (event.target !== name && event.target !== toggle) return;
      if (event.key === "ArrowRight" && node.children && below.hidden) fold(true);
      else if (event.key === "ArrowLeft" && !below.hidden) fold(false);
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  }, el("div", { class: "line" }, toggle, name), below);
}

// Up and down go to the next name that is to be seen.
$("#tree").addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const names = [...document.querySelectorAll("#tree .node")].filter((one) => one.offsetParent);
  const at = names.indexOf(event.target.closest("li")?.querySelector(".node"));
  names[at + step]?.focus();
  event.preventDefault();
});

$("#find").addEventListener("submit", (event) => event.preventDefault());
let soon = 0;
$("#find-words").addEventListener("input", (event) => {
  words = event.target.value.trim();
  clearTimeout(soon);
  soon = setTimeout(list_documents, 150);
});
$("#more-documents").addEventListener("click", () => list_documents(true));
