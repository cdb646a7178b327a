// One question under two settings, side by side, and where they part.

import { $, chosen, counted, el, short, told } from "./parts.js";
import { Card, table } from "./card.js";
import { open } from "./viewer.js";

let cards = [];

$("#compare-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  for (const card of cards) card.cancel();
  const sides = [...form.querySelectorAll("[data-side]")].map((place) => chosen(place));
  const mine = (cards = sides.map((settings, side) => new Card(
    { question: form.question.value, unit: form.unit.value.trim(), settings }, `${"AB"[side]}: ${told(settings)}`)));
  $("#sides").replaceChildren(...cards.map((card) => card.element));
  $("#verdict").replaceChildren();
  $("#shared").replaceChildren();
  await Promise.all(cards.map((card) => card.run()));
  if (cards === mine && cards.every((card) => card.answer)) judge(...cards.map((card) => card.answer));
});

function judge(a, b) {
  const same = a.is_blank === b.is_blank && a.value.trim().toLowerCase() === b.value.trim().toLowerCase();
  const ranks = new Map();
  [a, b].forEach((answer, side) => (answer.trace.rounds.at(-1)?.contexts || []).forEach((one, index) => {
    const known = ranks.get(one.node) || { one, at: [null, null] };
    known.at[side] = index + 1;
    ranks.set(one.node, known);
  }));
  const all = [...ranks.values()].sort((one, other) => Math.min(...one.at.filter(Boolean)) - Math.min(...other.at.filter(Boolean)));
  const both = all.filter((one) => one.at[0] && one.at[1]).length;
  $("#verdict").replaceChildren(el("p", { class: `verdict ${same ? "good" : "bad"}`, role: "status" },
    same ? (a.is_blank ? "Neither finds an answer." : "Both give the same value.") : "They give different answers.",
    ` Evidence: ${both} in both, ${all.filter((one) => !one.at[1]).length} only in A, ${all.filter((one) => !one.at[0]).length} only in B.`));
  const rows = all.map(({ one, at }) => el("tr", { class: at[0] && at[1] ? "" : "apart" },
    el("td", { class: "figure" }, at[0] ? String(at[0]) : "–"), el("td", { class: "figure" }, at[1] ? String(at[1]) : "–"),
    el("td", {}, el("button", { type: "button", class: "link", dir: "auto", click: (event) => open(one, event.currentTarget) }, [...one.headings.slice(-1), short(one.text, 110)].join(" › ")),
      el("span", { class: "where" }, one.title || one.document))));
  $("#shared").replaceChildren(el("details", { class: "card part" }, el("summary", {}, `Evidence by rank: ${counted(all.length, "piece")}`), table([">A", ">B", "What"], rows)));
}
