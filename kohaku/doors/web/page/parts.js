// What all views use: elements, requests, events, words. Text goes into the page as text only.

export const $ = (selector, within = document) => within.querySelector(selector);

export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function svg(tag, properties = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function say(line) {
  $("#status").textContent = line;
}

// ---- requests

const TOKEN = "kohaku-token";

export function bearer() {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

let asking = null;
export function askToken() {
  asking ??= new Promise((resolve) => {
    const dialog = $("#token-dialog");
    $("#token-wrong").hidden = !sessionStorage.getItem(TOKEN);
    $("#token").value = "";
    dialog.addEventListener("close", () => {
      sessionStorage.setItem(TOKEN, $("#token").value.trim());
      asking = null;
      resolve();
    }, { once: true });
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.showModal();
  });
  return asking;
}

export async function request(path, { body, signal } = {}) {
  const options = { signal, cache: "no-store", headers: bearer() };
  if (body) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(`/api/${path}`, options);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error("The server can't be reached: is kohaku serve still running?");
  }
  if (response.status === 401) {
    await askToken();
    return request(path, { body, signal });
  }
  if (!response.ok) throw new Error(await reason(response));
  return response;
}

export const get = async (path, parameters = {}) => (await request(`${path}?${new URLSearchParams(parameters)}`)).json();

async function reason(response) {
  try {
    return (await response.json()).detail;
  } catch {
    return `The server answered ${response.status}.`;
  }
}

export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    const blocks = waiting.split("\n\n");
    waiting = blocks.pop();
    for (const block of blocks) {
      let name = "";
      const data = [];
      for (const line of block.split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (name) yield [name, JSON.parse(data.join("\n"))];
    }
  }
}

export function saved(blob, name) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// ---- words

export const number = (value) => value.toLocaleString("en");
export const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
export const seconds = (value) => (value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`);
export const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} KB` : `${(bytes / 1e6).toFixed(1).replace(".0", "")} MB`);

// The beginning of a text on a line; of a table its cells.
export const short = (text, length) => {
  const line = text.replace(/\|[\s|:-]*\|/g, " · ").replace(/^\s*[|·]\s*|\s*[|·]\s*$/g, "").replace(/\s*\|\s*/g, " · ").replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length)}…` : line;
};

export function pages(span) {
  if (!span) return "";
  return span[0] === span[1] ? `p. ${span[0]}` : `pp. ${span[0]}–${span[1]}`;
}

// ---- settings of a question

const WORDS = {
  model: "Reader", budget: "Tokens of evidence", queries: "Queries", top_k: "Hits a list", fusion: "Fusion",
  condense: "Condense", decompose: "Split into parts", order: "Order in the prompt", passes: "Passes",
  retries: "Retries", runs: "Readings", strict: "Strict", min_confidence: "Least confidence",
  hyde: "Imagine a passage", source_filter: "Choose documents", section_filter: "Choose sections",
};
const FIRST = ["budget", "queries", "fusion", "condense", "retries"];
const NEED_A_MODEL = ["order", "passes", "runs", "hyde", "source_filter", "section_filter"];
const RANGES = {
  budget: [100, 200000, 100], queries: [1, 20, 1], top_k: [1, 4096, 1], passes: [1, 2, 1], retries: [0, 5, 1],
  runs: [1, 9, 1], min_confidence: [0, 1, 0.05],
};

export function offer(place, info) {
  const fields = [];
  const others = [];
  if (info.models.length) {
    const readers = [...info.models.map((name) => [name, name]), ["", "built-in reader"]];
    fields.push(field("model", el("select", { name: "model" }, el("option", { value: "-" }, `as set (${info.reader})`),
      readers.map(([value, name]) => el("option", { value: `=${value}` }, name)))));
  }
  for (const [name, now] of Object.entries(info.settings)) {
    if (!info.models.length && NEED_A_MODEL.includes(name)) continue;
    const shown = now === null ? "by itself" : now === true ? "yes" : now === false ? "no" : String(now);
    let input;
    if (RANGES[name]) {
      const [min, max, step] = RANGES[name];
      input = el("input", { name, type: "number", min, max, step: name === "budget" ? "any" : step, placeholder: shown });
    } else {
      const choices = info.choices[name] || ["yes", "no"];
      input = el("select", { name }, el("option", { value: "" }, `as set (${shown})`), choices.map((one) => el("option", {}, one)));
    }
    (FIRST.includes(name) ? fields : others).push(field(name, input));
  }
  place.replaceChildren(el("div", { class: "fields" }, fields),
    el("details", {}, el("summary", {}, "More"), el("div", { class: "fields" }, others)));
}

const field = (name, input) => el("label", { class: "field" }, el("span", {}, WORDS[name] || name), input);

export function chosen(place) {
  const settings = {};
  for (const input of place.querySelectorAll("[name]")) {
    const { name, value } = input;
    if (name === "model") {
      if (value !== "-") settings.model = value.slice(1);
    } else if (value === "") {
      continue;
    } else if (input.type === "number") settings[name] = Number(value);
    else settings[name] = value === "yes" ? true : value === "no" ? false : value;
  }
  return settings;
}

export function told(settings) {
  const parts = Object.entries(settings).map(([name, value]) => `${WORDS[name] || name} ${value === "" ? "built-in" : value}`);
  return parts.join(" · ") || "as set";
}
