// Clocks that run between two messages of the table. A clock is an element with
//   data-left: the ms that were left at data-at, the table's time in ms
//   data-runs: "yes" while it runs
// A screen reader does not read it by itself.

import { page } from "./console.js";

const LOW = 60_000; // ms
let ahead = Number(page.now) - performance.now(); // ms by which the table's time is ahead

// 1:05:09, 4:59, 0:07; rounded down.
export function shown(ms) {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

function show() {
  for (const clock of document.querySelectorAll("[data-left]")) {
    const since = performance.now() + ahead - Number(clock.dataset.at);
    const passed = clock.dataset.runs === "yes" ? Math.max(0, since) : 0;
    const left = Number(clock.dataset.left) - passed;
    const text = shown(left);
    if (clock.textContent !== text) clock.textContent = text;
    clock.closest(".clock")?.classList.toggle("low", left < LOW);
  }
}

document.addEventListener("time", (event) => {
  ahead = event.detail - performance.now();
  show();
});
document.addEventListener("changed", show);
setInterval(show, 200);
show();
