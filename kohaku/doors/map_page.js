
"use strict";
const map = document.querySelector("figure > svg");
const said = document.querySelector("#said");
const whole = map.viewBox.baseVal;
const start = [whole.x, whole.y, whole.width, whole.height];
let dragged = null;

function at(event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse());
}

map.addEventListener("pointerover", (event) => {
  const title = event.target.closest(".dot, .star")?.querySelector("title");
  if (title) said.textContent = title.textContent;
});
map.addEventListener("wheel", (event) => {
  event.preventDefault();
  const point = at(event), box = map.viewBox.baseVal;
  const scale = Math.min(Math.max(box.width * Math.exp(event.deltaY * 0.0015), 2), start[2]) / box.width;
  box.x = point.x - (point.x - box.x) * scale;
  box.y = point.y - (point.y - box.y) * scale;
  box.width *= scale;
  box.height *= scale;
}, { passive: false });
map.addEventListener("pointerdown", (event) => { dragged = at(event); map.setPointerCapture(event.pointerId); });
map.addEventListener("pointerup", () => { dragged = null; });
map.addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const point = at(event), box = map.viewBox.baseVal;
  box.x += dragged.x - point.x;
  box.y += dragged.y - point.y;
});
map.addEventListener("dblclick", () => map.setAttribute("viewBox", start.join(" ")));
document.querySelector("nav").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const shown = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", shown);
  for (const dot of map.querySelectorAll(`[data-group="${button.dataset.group}"]`)) dot.classList.toggle("off", !shown);
});
