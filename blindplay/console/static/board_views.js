// Other looks at a page's boards: turned round, past positions, and the steps that put one right.
// It is loaded before board.js, which then finds the squares where they are to stay.

import { page, polite, say, urgent } from "./console.js";
import { UNREAD } from "./messages.js";
import { keep, kept } from "./kept.js";
import "./steps.js";

// --- turned round ----------------------------------------------------------------------------

const KEY = `board-turned-${page.page}`;
let turned = kept("localStorage", KEY, false);

const reverse = (one) => one.append(...[...one.children].reverse());

// Turn those boards of the page that are not yet as the reader wants them.
function turn() {
  for (const board of document.querySelectorAll(".board")) {
    if (("turned" in board.dataset) === turned) continue;
    board.toggleAttribute("data-turned", turned);
    for (const row of board.children) reverse(row);
    reverse(board);
  }
  for (const one of document.querySelectorAll("[data-show]")) one.hidden = false;
  const none = !document.querySelector(".board");
  for (const one of document.querySelectorAll("[data-flip]")) one.hidden = none;
}

function flip(button) {
  turned = !turned;
  keep("localStorage", KEY, turned);
  turn();
  const below = document.querySelector(".board > :last-child [data-rank]");
  say(polite, [below.dataset.rank === "1" ? button.dataset.white : button.dataset.black]);
}

// --- past positions --------------------------------------------------------------------------

let past = null; // the section that stands in the place of the boards, while it does
let asked = 0; // how often its reader has gone on or left: an older answer is not shown

function putPast() {
  const live = document.querySelector("[data-live]");
  if (!past || !live) return;
  live.hidden = true;
  for (const one of document.querySelectorAll("#look-back")) one.hidden = true;
  if (past.previousElementSibling !== live) live.after(past);
}

function leavePast() {
  asked += 1;
  past.remove();
  past = null;
  document.querySelector("[data-live]").hidden = false;
  const back = document.getElementById("look-back");
  if (back) back.hidden = false;
  (back ?? document.querySelector(".board [tabindex='0']")).focus();
}

async function lookBack(ply) {
  asked += 1;
  const mine = asked;
  const focused = past?.contains(document.activeElement) ? document.activeElement.id : null;
  const query = new URLSearchParams({ ply, part: "yes", page: document.documentElement.lang });
  let html;
  try {
    const response = await fetch(`past?${query}`);
    if (!response.ok) throw new Error(String(response.status));
    html = await response.text();
  } catch (error) {
    if (mine !== asked) return;
    say(urgent, [{ 401: page.revoked, 410: page.displaced }[error.message] ?? page.unsent], UNREAD);
    return;
  }
  if (mine !== asked) return;
  if (!past) {
    past = document.createElement("section");
    past.className = "past";
    past.setAttribute("aria-labelledby", "past-heading");
  }
  past.innerHTML = html;
  putPast();
  document.dispatchEvent(new CustomEvent("changed", { detail: {} }));
  const same = document.getElementById(focused || "past-earlier");
  (same?.hasAttribute("href") ? same : past.querySelector("a[href]")).focus();
  say(polite, [past.querySelector("h2").textContent]);
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.key === "Escape" && past?.contains(event.target)) leavePast();
});

// --- steps that put a board right ----------------------------------------------------------------

const showing = new Map(); // id of the steps that are shown: the number of the step
const still = matchMedia("(prefers-reduced-motion: reduce)");
const originals = new WeakMap(); // a diagram's board: its squares before the first step

const cell = (board, name) => name && board.querySelector(`[data-square="${name}"]`);

// A hand moves one piece. ``last``: this is the step to look at, and with ``slide`` it is seen.
function perform(board, step, last, slide) {
  const [source, to] = [cell(board, step.dataset.from), cell(board, step.dataset.to)];
  const piece = source?.querySelector("img") ?? step.querySelector("img")?.cloneNode();
  const before = source?.querySelector("img")?.getBoundingClientRect();
  if (to && piece) to.append(piece);
  else piece?.remove();
  if (!last) return;
  source?.classList.add("chosen");
  to?.classList.add("target");
  if (!slide || still.matches || !to || !piece) return;
  const after = piece.getBoundingClientRect();
  const start = before
    ? { transform: `translate(${before.x - after.x}px, ${before.y - after.y}px)` }
    : { opacity: 0 };
  piece.animate([start, {}], { duration: 900, easing: "ease-in-out" });
}

function showStep(place, number, slide) {
  const steps = [...place.querySelectorAll("li")];
  const board = place.querySelector(".board");
  const at = Math.max(0, Math.min(number, steps.length - 1));
  if (!originals.has(board)) {
    originals.set(board, [board.innerHTML, board.hasAttribute("data-turned")]);
  }
  const [html, then] = originals.get(board);
  board.innerHTML = html;
  board.toggleAttribute("data-turned", then);
  turn();
  steps.forEach((step, count) => {
    if (count <= at) perform(board, step, count === at, slide);
    if (count === at) step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
  });
  for (const button of place.querySelectorAll("[data-step]")) {
    const end = Number(button.dataset.step) < 0 ? 0 : steps.length - 1;
    button.setAttribute("aria-disabled", String(at === end));
  }
  showing.set(place.id, at);
  return steps[at];
}

function open(place, shown) {
  const button = place.querySelector("[data-show]");
  if ((button.getAttribute("aria-expanded") === "true") !== shown) {
    const { hide } = button.dataset;
    button.dataset.hide = button.textContent;
    button.textContent = hide;
  }
  button.setAttribute("aria-expanded", String(shown));
  place.querySelector(".diagram").hidden = !shown;
  if (shown) return;
  showing.delete(place.id);
  place.querySelector("[aria-current]")?.removeAttribute("aria-current");
}

function stepped(place, number) {
  open(place, true);
  say(polite, [showStep(place, number, true).textContent.trim()]);
}

// --- clicks and changes ----------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const there = event.target.closest("[data-flip], [data-past], [data-show], [data-step], #past-back");
  if (!there) return;
  const place = there.closest(".restoring");
  if ("flip" in there.dataset) {
    flip(there);
  } else if ("show" in there.dataset) {
    if (showing.has(place.id)) open(place, false);
    else stepped(place, 0);
  } else if ("step" in there.dataset) {
    stepped(place, showing.get(place.id) + Number(there.dataset.step));
  } else if ("past" in there.dataset && document.querySelector("[data-live]")) {
    event.preventDefault();
    lookBack(there.dataset.past);
  } else if (past && there.id === "past-back") {
    event.preventDefault();
    leavePast();
  }
});

document.addEventListener("changed", () => {
  // Hands have done something, so the steps begin anew from what the board shows now.
  for (const id of showing.keys()) {
    const place = document.getElementById(id);
    if (!place) showing.delete(id);
    else if (place.querySelector(".diagram").hidden) {
      open(place, true);
      showStep(place, 0, false);
    }
  }
  if (past && !past.isConnected) putPast();
  turn();
});

turn();
