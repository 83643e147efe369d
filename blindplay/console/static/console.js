// Keeps a page up to date. Without this script everything still works: forms are sent, and the page
// loads again.
//
// Other scripts of a page listen to these events on the document: "changed", with the new parts;
// "time", with the table's time in ms; "said", with sentences for everybody; "answered", with the
// result of an action; and "done" on a form whose action was not refused.

import { stampForms } from "./actions.js";
import { connect } from "./connection.js";
import { page, polite, say, set, tell, urgent } from "./messages.js";
import { replace } from "./parts.js";
import { afterRelease } from "./pointers.js";

export { send } from "./actions.js";
export { page, polite, say, urgent, worded } from "./messages.js";

// --- changes ------------------------------------------------------------------------------

// Show a change.
function take(change) {
  replace(Object.entries(change.parts).flatMap(([name, html]) => {
    const section = document.getElementById(name);
    return section ? [[section, html]] : [];
  }));
  page.seen = change.seen;
  stampForms();
  document.dispatchEvent(new CustomEvent("changed", { detail: change.parts }));
  set(change.state);
  for (const [region, now] of [[urgent, true], [polite, false]]) {
    const told = change.told.filter((one) => one[1] === now);
    tell(region, told.map(([sentence, , rests]) => [sentence, rests]));
  }
  if (change.whole) say(polite, standing());
  const said = change.told.map(([sentence]) => sentence);
  document.dispatchEvent(new CustomEvent("said", { detail: said }));
}

// The status of the game, for a page that missed too much.
function standing() {
  const told = document.querySelectorAll("main .status, main .announced");
  return [...told].map((one) => [[one.textContent.trim(), one.closest("[lang]").lang]]);
}

// The parts of this page as they came last. A part comes whole first, then as edits: the numbers of
// lines, the last first, how many go there, and what comes instead; see stream.py.
const known = new Map();

function whole(name, part) {
  if (typeof part !== "string") {
    const lines = known.get(name).split("\n");
    for (const [at, count, ...put] of part) lines.splice(at, count, ...put);
    part = lines.join("\n");
  }
  known.set(name, part);
  return [name, part];
}

document.addEventListener("news", ({ detail }) => {
  const parts = Object.entries(detail.parts).map(([name, part]) => whole(name, part));
  afterRelease(() => take({ ...detail, parts: Object.fromEntries(parts) }));
});

// The bar with the messages stays on top, and on a phone the next step at the bottom. So that they
// never cover the focused element, everything else keeps this distance from the edges of the window
// when it is scrolled into view; they themselves are in view. Long messages do not stay on top.
const messages = document.getElementById("messages");
const bar = messages.closest(".bar");
const next = document.getElementById("next");

const stays = (one) => one && getComputedStyle(one).position === "sticky";

function distances() {
  bar.classList.toggle("long", bar.offsetHeight > innerHeight / 3);
  const tall = Math.max(bar.offsetHeight, messages.offsetHeight);
  const root = document.documentElement.style;
  root.setProperty("--kept-above", `${stays(bar) ? tall : 0}px`);
  root.setProperty("--kept-below", `${stays(next) ? next.offsetHeight : 0}px`);
}

const sizes = new ResizeObserver(distances);
for (const one of [bar, messages, next]) if (one) sizes.observe(one);
addEventListener("resize", distances);
stampForms();
connect();
