// The page that a player keeps: asks now and then where they play, and tells it when that is new, with
// the signals that are chosen. A page that the phone has closed tells it when it is opened again.

import { keep, kept } from "./kept.js";
import { BRIEF, page, polite, say, set, UNREAD, urgent } from "./messages.js";

const AGAIN_MS = 10_000;
const places = document.getElementById("places");
const choice = document.getElementById("signals-choice");
const place = `place ${page.name}`; // a phone may keep the pages of several players
let lock = null;
let lost = false;
let shown = ""; // what the hall gave last

function due(is) {
  choice.dataset.due = is ? "yes" : "no";
  document.dispatchEvent(new CustomEvent("changed", { detail: {} }));
}

function note(key, told) {
  const known = kept("localStorage", place, "");
  const isNew = key && known && known !== key;
  if (key) keep("localStorage", place, key);
  if (!isNew) return;
  say(urgent, [told], UNREAD);
  due(false);
  due(true);
}

async function ask() {
  try {
    const query = new URLSearchParams({ name: page.name });
    const answer = await fetch(`/where/mine/now?${query}`, { signal: AbortSignal.timeout(AGAIN_MS) });
    if (!answer.ok) throw new Error(answer.status);
    const { key, told, html } = await answer.json();
    if (html !== shown) {
      shown = html;
      places.innerHTML = html;
      if (told) document.title = told;
    }
    note(key, told);
    reach(true);
  } catch {
    reach(false);
  }
}

// The hall is reached, or is not; each is said once.
function reach(is) {
  if (is !== lost) return;
  lost = !is;
  const connection = is ? "" : "lost";
  set({ connection });
  say(polite, [is ? page.back : page.lost], is ? { ...BRIEF, connection } : { connection });
}

// The screen stays on while signals are chosen, where the browser lets it.
async function awake() {
  if (page.signals !== "on" || document.hidden || lock) return;
  try {
    lock = await navigator.wakeLock?.request("screen");
    lock?.addEventListener("release", () => (lock = null));
  } catch {
    lock = null; // the battery is low, or the page is not encrypted
  }
}

document.getElementById("hint").hidden = false;
if (page.key) keep("localStorage", "mine", page.name);
document.getElementById("other").addEventListener("click", () => {
  keep("localStorage", "mine", "");
  keep("localStorage", place, "");
});
document.addEventListener("visibilitychange", () => document.hidden || (ask(), awake()));
document.addEventListener("change", () => awake());
note(page.key, places.innerText);
awake();
setInterval(ask, AGAIN_MS);
