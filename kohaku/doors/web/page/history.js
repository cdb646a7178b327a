// Answers outlast the page: this browser keeps them, by index, until they are forgotten. And they are saved as files.

import { request, saved } from "./parts.js";

// How many, and of how many of the latest how they were found, as long as there is room for so much.
const AMOUNTS = [[50, 10], [50, 2], [50, 0], [10, 0]];
let place = "";

// The answers that were kept for an index, the latest first.
export function kept(index) {
  place = `kohaku-answers ${index}`;
  return read();
}

export const keep = (answer) => write([answer, ...read().filter((one) => one.id !== answer.id)]);
export const forget = (id) => write(id ? read().filter((one) => one.id !== id) : []);

function read() {
  try {
    return [...(JSON.parse(localStorage.getItem(place)) || [])];
  } catch {
    return []; // no storage here, or what another program left in it
  }
}

function write(answers) {
  for (const [most, traces] of AMOUNTS) {
    try {
      const told = answers.slice(0, most).map((one, index) => (index < traces ? one : { ...one, trace: null }));
      localStorage.setItem(place, JSON.stringify(told));
      return;
    } catch {
      // no room for so much, or no storage here
    }
  }
}

// Answers as one file: a submission, JSON or Markdown.
export async function save(answers, form) {
  const name = answers.length === 1 ? "answer" : "answers";
  if (form === "json") {
    saved(new Blob([JSON.stringify(answers.length === 1 ? answers[0] : answers, null, 2)], { type: "application/json" }), `${name}.json`);
    return;
  }
  const told = answers.map((one) => ({ ...one, trace: undefined, citations: one.citations.map((each) => ({ ...each, boxes: [] })) }));
  saved(await (await request(`export?format=${form}`, { body: { answers: told } })).blob(), `${name}.${form}`);
}
