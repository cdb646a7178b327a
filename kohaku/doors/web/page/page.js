// The page: which view is shown, asking, the keyboard.

import { $, chosen, counted, el, get, number, offer, say } from "./parts.js";
import { Card } from "./card.js";
import { forget, keep, kept, save } from "./history.js";
import { close, isOpen, step } from "./viewer.js";
import { list_documents, show_document } from "./documents.js";
import { prepare } from "./files.js";
import "./compare.js";

const VIEWS = { "": "ask", documents: "documents", compare: "compare", add: "add" };
let cards = [];

// ---- views

function route() {
  const [, first = "", rest = ""] = location.hash.split("/");
  const view = VIEWS[first] || "ask";
  for (const id of Object.values(VIEWS)) $(`#${id}`).hidden = id !== view;
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.hash === `#/${first}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (view !== shown) close();
  shown = view;
  document.title = view === "ask" ? "kohaku" : `${$(`#${view}`).getAttribute("aria-label")} · kohaku`;
  if (view === "documents") {
    if (!$("#document-list").childElementCount) list_documents();
    show_document(decoded(rest));
  } else if (view === "ask") $("#question").focus({ preventScroll: true });
}
let shown = "";

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
addEventListener("hashchange", route);

// ---- what is served

async function facts() {
  const info = await get("info");
  restore(info.index);
  $("#index").textContent = info.index;
  $("#facts").textContent = `${counted(info.documents, "document")}, ${number(info.nodes.sentence || 0)} sentences, read by ${info.reader === "built-in reader" ? "the built-in reader" : info.reader}. Every answer shows where it stands, or says that there is none.`;
  for (const place of document.querySelectorAll(".settings")) if (!place.childElementCount) offer(place, info);
  prepare(info);
  const { documents } = await get("documents", { limit: 500 });
  $("#document-ids").replaceChildren(...documents.map((one) => el("option", { value: one.id }, one.title)));
}
document.addEventListener("indexed", () => {
  list_documents();
  facts().catch(() => {});
});

// ---- asking

const form = $("#ask-form");
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const question = form.question.value.trim();
  if (!question) return;
  for (const card of cards) {
    card.cancel();
    card.fold(true);
  }
  close();
  const documents = form.documents.value.split(",").map((one) => one.trim()).filter(Boolean);
  const card = new Card({ question, unit: form.unit.value.trim(), scope: { documents }, settings: chosen($(".settings", form)) });
  cards.unshift(card);
  $("#answers").prepend(card.element);
  count();
  card.run();
});

// ---- what was asked before

let restored = null;
function restore(index) {
  if (restored === index) return;
  restored = index;
  const old = kept(index).map((answer) => Card.of(answer));
  cards.push(...old);
  $("#answers").append(...old.map((card) => card.element));
  count();
}

function count() {
  document.body.classList.toggle("asked", cards.length > 0);
  $("#history").hidden = cards.length < 2;
  $("#history-count").textContent = `${counted(cards.length, "question")}, kept in this browser`;
}

const answers = $("#answers");
answers.addEventListener("answered", ({ detail: card }) => keep(card.answer));
answers.addEventListener("forget", ({ detail: card }) => {
  if (card.answer) forget(card.answer.id);
  cards = cards.filter((one) => one !== card);
  card.element.remove();
  close();
  count();
  form.question.focus();
  say("Forgotten.");
});
answers.addEventListener("again", ({ detail: { asked } }) => {
  form.question.value = asked.question;
  form.unit.value = asked.unit || "";
  form.documents.value = asked.scope?.documents.join(", ") || "";
  form.question.focus();
});
for (const button of document.querySelectorAll("[data-all]")) {
  button.addEventListener("click", () => {
    const told = cards.map((card) => card.answer).filter(Boolean).reverse(); // as they were asked
    if (told.length) save(told, button.dataset.all).catch((error) => cards[0].complain(error.message));
  });
}
$("#forget-all").addEventListener("click", () => {
  if (!confirm(`Forget all ${counted(cards.length, "question")}?`)) return;
  for (const card of cards) {
    card.cancel();
    card.element.remove();
  }
  cards = [];
  forget();
  close();
  count();
  form.question.focus();
  say("All questions are forgotten.");
});
for (const area of document.querySelectorAll("textarea")) {
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    area.form.requestSubmit();
  });
}

// ---- the keyboard

$("#keys").addEventListener("click", () => $("#help").showModal());
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (isOpen()) close();
    else cards[0]?.cancel();
    return;
  }
  if (event.target.closest?.("input, textarea, select")) return;
  if (event.key === "/") {
    location.hash = "#/";
    $("#question").focus();
    $("#question").select();
  } else if (event.key === "?") $("#help").showModal();
  else if (/^[1-9]$/.test(event.key) && shown === "ask") cards.find((card) => card.answer)?.cite(Number(event.key));
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    if (!step(event.key === "ArrowLeft" ? -1 : 1)) return;
  } else return;
  event.preventDefault();
});

route();
facts().catch((error) => {
  $("#facts").textContent = error.message;
  $("#facts").classList.add("bad");
});
