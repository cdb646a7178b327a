// Files sent in, and how far each is on its way into the index.

import { $, askToken, bearer, counted, el, events, number, request, say, seconds, size } from "./parts.js";

const STATES = { waiting: "waiting for its turn", reading: "being read", embedding: "being embedded", storing: "being stored" };
let limits = { upload_bytes: 0, formats: [] };

export function prepare(info) {
  limits = info;
  const takes = info.upload_bytes > 0;
  $("#files").accept = info.formats.join(",");
  $("#files").disabled = !takes;
  $("#formats").textContent = takes
    ? `${info.formats.join(" ")} — up to ${size(info.upload_bytes)} each`
    : "This server takes no files (setting upload_mb).";
}

$("#files").addEventListener("change", (event) => {
  [...event.target.files].forEach(send);
  event.target.value = "";
});
const drop = $("#drop");
for (const name of ["dragenter", "dragover"]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  if (limits.upload_bytes) [...event.dataTransfer.files].forEach(send);
});

async function send(file) {
  const bar = el("progress", { max: "1", value: "0", "aria-label": `Progress of ${file.name}` });
  const state = el("span", { class: "state" }, "being sent");
  const row = el("li", { class: "card job" },
    el("div", { class: "job-head" }, el("b", { dir: "auto" }, file.name), el("span", { class: "dim small" }, size(file.size)), el("span", { class: "space" }), state), bar);
  $("#jobs").prepend(row);
  const fail = (line) => {
    row.classList.add("failed");
    bar.remove();
    state.textContent = "failed";
    row.append(el("p", { class: "bad", role: "alert" }, line));
  };
  if (file.size > limits.upload_bytes) return fail(`A file may have ${size(limits.upload_bytes)}.`);
  try {
    const job = await upload(file, (share) => (bar.value = share / 4));
    for await (const [, now] of events(await request(`jobs/${job.id}/stream`))) {
      if (now.state === "failed") return fail(now.line);
      if (now.state === "done") return finish(row, bar, state, now);
      state.textContent = STATES[now.state] + (now.state === "embedding" ? `: ${number(now.done)} of ${counted(now.total, "text")}` : "");
      if (now.state === "reading") bar.removeAttribute("value"); // nobody knows how long
      else bar.value = { waiting: 0.25, storing: 0.98 }[now.state] ?? 0.4 + 0.55 * (now.done / Math.max(1, now.total));
    }
    fail("The server ended before the file was indexed.");
  } catch (error) {
    fail(error.message);
  }
}

function finish(row, bar, state, job) {
  bar.value = 1;
  row.classList.add("done");
  state.textContent = `${job.line}, ${seconds(job.seconds)}`;
  row.append(el("p", { class: "small" },
    el("a", { href: `#/documents/${encodeURIComponent(job.document)}`, dir: "auto" }, `See ${job.document} and its tree`),
    job.notes.map((note) => el("span", { class: "dim block", dir: "auto" }, note))));
  say(`${job.name}: ${job.line}`);
  document.dispatchEvent(new Event("indexed"));
}

// XMLHttpRequest alone tells how much of a request has been sent.
function upload(file, progress) {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open("POST", `/api/files?${new URLSearchParams({ name: file.name })}`);
    call.setRequestHeader("Content-Type", "application/octet-stream");
    for (const [name, value] of Object.entries(bearer())) call.setRequestHeader(name, value);
    call.upload.addEventListener("progress", (event) => event.lengthComputable && progress(event.loaded / event.total));
    call.addEventListener("error", () => reject(new Error("The file could not be sent: is the server still running?")));
    call.addEventListener("load", async () => {
      if (call.status === 401) {
        await askToken();
        upload(file, progress).then(resolve, reject);
        return;
      }
      let said = {};
      try {
        said = JSON.parse(call.responseText);
      } catch {
        // no JSON: only the status tells
      }
      if (call.status === 202) resolve(said);
      else reject(new Error(typeof said.detail === "string" ? said.detail : `The server answered ${call.status}.`));
    });
    call.send(file);
  });
}
