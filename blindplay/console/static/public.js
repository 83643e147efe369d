// Keeps the public page up to date: it asks every few seconds whether something is new. Without this
// script the page has a link that loads it again.

import { showClocks } from "./time.js";

const AGAIN_MS = 4000;
const page = document.body.dataset;
const part = document.getElementById("part");
const polite = document.getElementById("polite");
let ahead = Number(page.now) - performance.now(); // ms by which the delayed game's time is ahead

const tick = () => showClocks(performance.now() + ahead);
const read = (selector) => part.querySelector(selector)?.textContent.trim() ?? "";

function replace(html) {
  const before = { move: read(".announced"), status: read(".status") };
  const open = part.querySelector("#words")?.open;
  const focused = document.activeElement?.id;
  part.innerHTML = html;
  if (open) part.querySelector("#words")?.setAttribute("open", "");
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  const told = [];
  if (read(".announced") !== before.move) told.push(read(".announced"));
  if (read(".status") !== before.status) told.push(read(".status"));
  if (told.length) polite.textContent = told.join(". ");
}

async function ask() {
  try {
    const answer = await fetch(`now?taken=${page.taken}`, { signal: AbortSignal.timeout(10000) });
    if (answer.ok) {
      const { now, taken, html } = await answer.json();
      ahead = now - performance.now();
      page.taken = taken;
      if (html !== undefined) replace(html);
      if (polite.textContent === page.lost) polite.textContent = "";
    }
  } catch {
    polite.textContent = page.lost;
  }
}

// A hidden page asks nothing, and asks at once when it is shown again.
setInterval(() => document.hidden || ask(), AGAIN_MS);
document.addEventListener("visibilitychange", () => document.hidden || ask());
setInterval(tick, 200);
