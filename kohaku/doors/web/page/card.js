// One question as a card: its stages while it is worked on, what a model writes, the checked answer, how it came about.

import { counted, el, events, number, pages, request, say, seconds, short } from "./parts.js";
import { save } from "./history.js";
import { open } from "./viewer.js";

const STAGES = [
  ["planned", "Plan"],
  ["searched", "Search"],
  ["evidence", "Evidence"],
  ["draft", "Read"],
  ["answer", "Check"],
];
const SHOWN_CUTS = 12;
const SHOWN_CONTEXTS = 5;
const WRITTEN = ["explanation", "draft", "answer"]; // the fields of a reply that are shown as it is written

export class Card {
  // With a label the card stands beside another one; else it can be folded, asked again and forgotten.
  constructor(asked, label = "") {
    this.asked = asked;
    this.label = label;
    this.abort = new AbortController();
    this.answer = null;
    this.started = performance.now();
    this.written = new Map();
    this.stages = el("ol", { class: "stages", "aria-label": "Stages" }, STAGES.map(([name, word]) =>
      el("li", { "data-stage": name }, el("b", {}, word), el("span", { class: "detail" }))));
    this.body = el("div", { class: "card-body" });
    this.stop = el("button", { type: "button", class: "quiet", click: () => this.cancel() }, "Stop");
    this.toggle = el("button", { type: "button", class: "toggle-card", "aria-expanded": "true", click: () => this.fold(!this.body.hidden) }, asked.question);
    this.gist = el("p", { class: "gist", dir: "auto", hidden: true });
    this.title = el("h2", { dir: "auto", tabindex: "-1" }, label || this.toggle);
    this.element = el("article", { class: "card answer", "aria-busy": "true" },
      el("div", { class: "card-head" }, this.title, this.stop), this.gist, this.stages, this.body);
    this.at("planned");
  }

  // A card of an answer that was given before.
  static of(answer) {
    const card = new Card({ question: answer.question, unit: answer.unit });
    card.present(answer);
    card.fold(true);
    return card;
  }

  // Leaves the question, and what was answered in a line.
  fold(is_folded) {
    if (this.running || this.label) return;
    this.body.hidden = is_folded;
    this.gist.hidden = !is_folded;
    this.toggle.setAttribute("aria-expanded", String(!is_folded));
  }

  complain(line) {
    this.body.append(el("p", { class: "bad", role: "alert" }, line));
  }

  tell(event) {
    this.element.dispatchEvent(new CustomEvent(event, { bubbles: true, detail: this }));
  }

  get running() {
    return this.element.getAttribute("aria-busy") === "true";
  }

  cancel() {
    if (!this.running) return;
    this.abort.abort();
    this.end();
    this.gist.textContent = "Stopped.";
    this.body.replaceChildren(el("p", { class: "dim" }, "Stopped."), this.buttons());
    say("Stopped.");
  }

  async run() {
    try {
      const response = await request("answer/stream", { body: this.asked, signal: this.abort.signal });
      for await (const [name, data] of events(response)) this.take(name, data);
      if (this.running) throw new Error("The server ended before the answer did: ask again.");
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.fail(error.message);
    }
  }

  take(name, data) {
    const handlers = {
      planned: () => {
        this.done("planned", data.queries.length === 1 ? "1 query" : `${data.queries.length} queries`);
        this.at("searched");
      },
      searched: () => this.done("searched", counted(data.hits, "hit")),
      evidence: () => {
        this.done("searched", "");
        const documents = new Set(data.contexts.map((one) => one.document)).size;
        this.done("evidence", `${number(data.contexts.length)} from ${counted(documents, "document")}`);
        this.written.clear();
        this.at("draft");
      },
      text: () => this.write(data),
      called: () => {},
      waiting: () => this.note(`${data.why}: trying again in ${seconds(data.seconds)}`),
      draft: () => {
        this.done("draft", data.is_blank ? "nothing found" : "");
        this.at("answer");
        if (!data.is_blank) this.provisional(el("p", { dir: "auto" }, data.text));
      },
      answer: () => this.show(data),
      error: () => this.fail(data.detail),
    };
    handlers[name]?.();
  }

  stage(name) {
    return this.stages.querySelector(`[data-stage="${name}"]`);
  }

  at(name) {
    for (const one of this.stages.children) one.removeAttribute("aria-current");
    this.stage(name).setAttribute("aria-current", "step");
    this.stage(name).classList.remove("done");
  }

  done(name, detail) {
    const stage = this.stage(name);
    stage.classList.add("done");
    stage.removeAttribute("aria-current");
    if (detail) stage.querySelector(".detail").textContent = detail;
  }

  note(line) {
    this.body.replaceChildren(el("p", { class: "dim" }, line));
  }

  provisional(...content) {
    this.body.replaceChildren(el("div", { class: "draft" }, el("span", { class: "tag" }, "draft, not checked yet"), ...content));
  }

  write({ call, field, text, replace }) {
    if (!WRITTEN.includes(field)) return;
    const fields = this.written.get(call) || {};
    fields[field] = replace ? text : (fields[field] || "") + text;
    this.written.set(call, fields);
    const shown = WRITTEN.filter((one) => fields[one]).map((one) => el("p", { class: "writes", "data-field": one, dir: "auto" }, fields[one]));
    this.provisional(...shown);
  }

  end() {
    this.element.setAttribute("aria-busy", "false");
    for (const one of this.stages.children) one.removeAttribute("aria-current");
    this.stop.remove();
  }

  fail(line) {
    this.end();
    this.element.classList.add("failed");
    this.gist.textContent = line;
    this.body.replaceChildren(...[el("p", { class: "bad", role: "alert" }, line), this.buttons()].filter(Boolean));
  }

  show(answer) {
    this.present(answer);
    this.tell("answered");
    say(answer.is_blank ? "No answer was found." : `Answer: ${answer.text}`);
  }

  present(answer) {
    this.answer = answer;
    this.done("answer", "");
    this.end();
    this.element.classList.add("checked");
    this.stages.hidden = true;
    this.gist.textContent = answer.is_blank ? "No answer was found." : short(answer.text, 200);
    this.body.replaceChildren(...shownAnswer(answer, this));
  }

  // What can be done with a question that is over.
  buttons() {
    if (this.label) return null;
    return el("div", { class: "again" },
      el("button", { type: "button", class: "quiet", click: () => this.tell("again") }, "Ask again"),
      el("button", { type: "button", class: "quiet", click: () => this.tell("forget") }, "Forget"));
  }

  cite(index, from) {
    const citation = this.answer?.citations[index - 1];
    if (!citation) return false;
    this.fold(false);
    const marks = [...this.element.querySelectorAll(`[data-citation="${index}"]`)];
    open(citation, from || marks[0]);
    for (const one of document.querySelectorAll(".cited")) one.classList.remove("cited");
    for (const one of marks) one.classList.add("cited");
    return true;
  }
}

function shownAnswer(answer, card) {
  const cite = (one) => el("button", { type: "button", class: "cite", "data-citation": String(one.number),
    "aria-label": `Citation ${one.number}: ${one.title || one.document}, ${pages(one.pages)}`,
    click: (event) => card.cite(one.number, event.currentTarget) }, String(one.number));
  const head = answer.is_blank
    ? el("p", { class: "said blank" }, "The documents hold no answer that was found.")
    : el("p", { class: "said", dir: "auto" }, answer.text, " ", answer.citations.map(cite));
  return [
    head,
    facts(answer),
    answer.explanation ? el("p", { class: "why", dir: "auto" }, answer.explanation) : null,
    answer.citations.length
      ? el("ol", { class: "citations", "aria-label": "Citations" }, answer.citations.map((one) => quote(one, card)))
      : null,
    answer.sources.some((one) => one.citation || one.url) ? sources(answer) : null,
    answer.trace ? trace(answer) : null,
    foot(answer, card),
  ].filter(Boolean);
}

function facts(answer) {
  const items = [];
  if (!answer.is_blank) {
    items.push(el("div", { class: "fact" }, el("dt", {}, "Value"), el("dd", { class: "value", dir: "auto" }, answer.value, answer.unit && !/^is_blank$/i.test(answer.value) ? ` ${answer.unit}` : "")));
    const how = answer.grounding?.how || "ungrounded";
    const words = { stated: "stands in the evidence", converted: "follows by conversion", computed: "follows by arithmetic", ungrounded: "does not follow from what is cited" };
    items.push(el("div", { class: "fact" }, el("dt", {}, "Checked"), el("dd", { class: how === "ungrounded" ? "bad" : "good" }, words[how] || how, answer.grounding?.note ? el("small", { dir: "auto" }, answer.grounding.note) : null)));
  }
  const meter = el("meter", { min: "0", max: "1", low: "0.4", high: "0.7", optimum: "1", value: String(answer.confidence), "aria-label": "Confidence" });
  items.push(el("div", { class: "fact" }, el("dt", {}, answer.is_blank ? "Sure that there is none" : "Confidence"), el("dd", {}, meter, ` ${Math.round(answer.confidence * 100)} %`)));
  if (answer.dropped) items.push(el("div", { class: "fact" }, el("dt", {}, "Dropped"), el("dd", {}, `${number(answer.dropped)} of what was quoted or named`, el("small", {}, "not in the evidence"))));
  return el("dl", { class: "facts" }, items);
}

function quote(one, card) {
  const where = [one.title || one.document, pages(one.pages)].filter(Boolean).join(", ");
  return el("li", {}, el("button", { type: "button", class: "quote", "data-citation": String(one.number), click: (event) => card.cite(one.number, event.currentTarget) },
    el("span", { class: "mark-number", "aria-hidden": "true" }, String(one.number)),
    el("span", { class: "quote-words" },
      el("q", { dir: "auto" }, one.quote),
      el("span", { class: "where", dir: "auto" }, where),
      one.headings.length ? el("span", { class: "headings", dir: "auto" }, one.headings.join(" › ")) : null)));
}

function sources(answer) {
  const items = answer.sources.map((one) => el("li", { dir: "auto" }, one.citation || one.title, " ",
    URL.canParse(one.url ?? "") ? el("a", { href: one.url, rel: "noopener noreferrer", target: "_blank" }, new URL(one.url).host, el("span", { class: "visually-hidden" }, " (another site)")) : null));
  return el("details", { class: "part" }, el("summary", {}, counted(items.length, "source")), el("ul", { class: "sources" }, items));
}

function foot(answer, card) {
  const usage = answer.trace?.usage || {};
  const cost = usage.cost ? `, cost ${usage.cost.toPrecision(3)}` : "";
  const calls = usage.calls || usage.cached
    ? ` · ${counted(usage.calls, "call")}${usage.cached ? ` and ${usage.cached} from the cache` : ""}, ${number(usage.prompt_tokens)} + ${number(usage.completion_tokens)} tokens${cost}`
    : "";
  const file = (form, name) => el("button", { type: "button", class: "quiet", click: () => save([answer], form).catch((error) => card.complain(error.message)), "aria-label": `Save as ${name}` }, name);
  return el("div", { class: "foot" },
    el("span", { class: "dim small" }, `${answer.reader} · ${seconds(answer.seconds)}${calls}`),
    el("span", { class: "space" }), card.buttons(), file("csv", "CSV"), file("json", "JSON"), file("md", "Markdown"));
}

// ---- how it came about

function trace({ trace: told, attempts }) {
  const rounds = told.rounds.map((one, index) => round(one, told.rounds.length > 1 ? index + 1 : 0));
  return el("details", { class: "part trace" },
    el("summary", {}, "How it was found", attempts > 1 ? ` (${attempts} readings)` : ""),
    told.plan?.parts.length ? section("Parts", false, el("ol", {}, told.plan.parts.map((one) => el("li", { dir: "auto" }, one.text)))) : null,
    rounds,
    told.calls.length ? calls(told.calls) : null);
}

// A part of it, which can be folded.
const section = (title, is_open, ...content) => el("details", { class: "told", open: is_open }, el("summary", {}, el("h3", {}, title)), content);

function round(evidence, index) {
  return [
    index ? el("p", { class: "round" }, `Reading ${index}`) : null,
    queries(evidence),
    evidence.filters.map((one) => el("p", { class: "small" }, `A model kept ${one.kept} of ${one.shown} ${one.what}${one.fell_back ? ", since it named none" : ""}.`)),
    contexts(evidence),
    cuts(evidence),
  ];
}

function queries({ queries: asked, lists, named, within, scope }) {
  const rows = asked.map((query, index) => {
    const own = lists.filter((one) => one.query === index);
    return el("tr", {}, el("td", { dir: "auto" }, query), el("td", {}, own.length
      ? el("ul", { class: "chips" }, own.map((one) => el("li", { title: `weight ${one.weight.toFixed(2)}` }, `${one.by}, ${one.tier}s: ${number(one.hits)} hits × ${one.weight.toFixed(2)}`)))
      : ""));
  });
  const notes = [
    within && within[0] !== within[1] ? `Kept to ${scope}: ${within[0]} of ${counted(within[1], "document")}.` : "",
    Object.keys(named).length ? `The question names ${Object.entries(named).slice(0, 5).map(([id, weight]) => `${id} (${weight.toFixed(2)})`).join(", ")}.` : "",
  ].filter(Boolean);
  return section(`Queries: ${number(asked.length)}`, false, table(["Query", "Lists: hits × weight"], rows), notes.map((line) => el("p", { class: "small dim", dir: "auto" }, line)));
}

function contexts({ contexts: found, tokens }) {
  const best = Math.max(...found.map((one) => one.score), 1e-9);
  const rows = found.map((one, index) => {
    const bar = el("span", { class: "bar" });
    bar.style.width = `${Math.max(2, (100 * one.score) / best)}%`;
    return el("tr", {},
      el("td", { class: "figure" }, String(index + 1)),
      el("td", { class: "piece" }, el("button", { type: "button", class: "link", dir: "auto", click: (event) => open(one, event.currentTarget) }, [...one.headings.slice(-1), short(one.text, 90)].join(" › ")),
        el("span", { class: "where" }, [one.title || one.document, pages(one.pages), one.kind].filter(Boolean).join(", "))),
      el("td", { class: "score" }, bar, el("span", {}, one.score.toFixed(3))),
      el("td", { class: "figure tokens" }, number(one.tokens)),
      el("td", { class: "reason" }, one.why ? why(one.why) : ""));
  });
  const heads = [">Rank", "What", "Score", ">Tokens", "Why"];
  const rest = rows.splice(SHOWN_CONTEXTS);
  return section(`Evidence: ${counted(found.length, "piece")}, ${number(tokens)} tokens`, true, table(heads, rows),
    rest.length ? el("details", {}, el("summary", {}, `${number(rest.length)} more`), table(heads, rest)) : null);
}

function why(told) {
  const sums = [["lists", told.fused], ["its document", told.document], ["named", told.name], ["a neighbour", told.neighbour], ["a further piece of a table", told.piece]].filter(([, value]) => value);
  const line = sums.map(([name, value], at) => `${value < 0 ? "− " : at ? "+ " : ""}${Math.abs(value).toFixed(3)} ${name}`).join(" ") + (told.reranked === null ? "" : `; reranked from place ${told.place}`);
  return el("details", {}, el("summary", {}, line),
    el("ul", { class: "small" }, told.findings.map((one) => el("li", {}, `query ${one.query + 1} by ${one.by} in ${one.tier}s: rank ${one.rank}, ${one.by === "meaning" ? "cosine" : "BM25"} ${one.score.toFixed(3)}, weight ${one.weight.toFixed(2)}`))));
}

const CAUSES = { budget: "Over the budget", duplicate: "Said already", covered: "Part of a larger piece" };

function cuts({ cuts: left }) {
  if (!left.length) return null;
  const groups = Object.groupBy ? Object.groupBy(left, (one) => one.cause) : left.reduce((made, one) => ({ ...made, [one.cause]: [...(made[one.cause] || []), one] }), {});
  return section(`Left out: ${number(left.length)}`, false, Object.entries(groups).map(([cause, all]) =>
    el("details", {}, el("summary", {}, `${CAUSES[cause] || cause}: ${number(all.length)}`),
      el("ul", { class: "small" }, all.slice(0, SHOWN_CUTS).map((one) => el("li", {},
        el("button", { type: "button", class: "link", click: (event) => open(one, event.currentTarget) }, one.node), ` ${one.score.toFixed(3)}, ${one.by ? `in ${one.by}` : counted(one.tokens, "token")}`)),
        all.length > SHOWN_CUTS ? el("li", { class: "dim" }, `and ${number(all.length - SHOWN_CUTS)} more`) : null))));
}

function calls(all) {
  const rows = all.map((one) => el("tr", {}, el("td", {}, one.stage.replaceAll("_", " ")), el("td", {}, one.model),
    el("td", { class: "figure" }, one.is_cached ? "cached" : seconds(one.seconds)), el("td", { class: "figure" }, number(one.prompt_tokens)),
    el("td", { class: "figure" }, number(one.completion_tokens)), el("td", { class: "figure" }, one.cost === null ? "" : one.cost.toPrecision(3))));
  return section(`Calls: ${number(all.length)}`, false, table(["For", "Model", ">Time", ">Prompt", ">Reply", ">Cost"], rows));
}

// A table; a head that begins with ">" is over figures.
export const table = (heads, rows) => el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table" },
  el("table", {}, el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col", class: head.startsWith(">") && "figure" }, head.replace(">", ""))))), el("tbody", {}, rows)));
