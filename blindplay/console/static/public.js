// Keeps the public page up to date: it asks every few seconds whether something is new. Without this
// script the page has a link that loads it again.

import { replace } from "./parts.js";
import { afterRelease } from "./pointers.js";
import { showClocks } from "./time.js";
import { find, isSame, lose, read, tell } from "./told.js";

const AGAIN_MS = 4000;
const page = document.body.dataset;
const part = document.getElementById("part");
let ahead = Number(page.now) - performance.now(); // ms by which the delayed game's time is ahead

const tick = () => showClocks(performance.now() + ahead);
const news = () => [".announced", ".status"].map((one) => read(part, one));

function show(html) {
  const before = news();
  replace([[part, html]]);
  const told = news().filter((one, at) => one && !isSame(one, before[at]));
  if (told.length) tell(told);
}

async function ask() {
  try {
    const answer = await fetch(`now?taken=${page.taken}`, { signal: AbortSignal.timeout(10000) });
    if (answer.ok) {
      const { now, taken, html } = await answer.json();
      ahead = now - performance.now();
      page.taken = taken;
      if (html !== undefined) afterRelease(() => show(html));
      find();
    }
  } catch {
    lose();
  }
}

// A hidden page asks nothing, and asks at once when it is shown again.
setInterval(() => document.hidden || ask(), AGAIN_MS);
document.addEventListener("visibilitychange", () => document.hidden || ask());
setInterval(tick, 200);
