// The arbiter's second step: it says in words what will be done. Without this script it is a page
// of its own.

import { page, say, urgent } from "./console.js";
import { mark } from "./fields.js";
import { clear, UNREAD } from "./messages.js";

const AGAIN_MS = 200; // several changes in a row are looked at once
let origin = null; // the id of the button that opened the step
let asked = null; // what the step was asked for
let sent = false; // its form has been sent
let looking = 0;
let step = document.getElementById("sure");

if (!step) {
  step = document.createElement("section");
  step.id = "sure";
  step.className = "sure";
  step.hidden = true;
  step.setAttribute("aria-labelledby", "sure-heading");
  document.getElementById("beside").prepend(step);
}

function close() {
  if (asked && !sent) clear(); // what stands there after it was sent is news
  const here = step.contains(document.activeElement);
  step.hidden = true;
  step.textContent = "";
  const back = (origin && document.getElementById(origin)) ?? document.querySelector("#game h2");
  if (here) back.focus(); // a reader who has moved elsewhere stays there
  origin = null;
  asked = null;
  sent = false;
}

async function foretold(query) {
  const response = await fetch(`sure?${query}`);
  if (!response.ok) throw new Error(String(response.status));
  return response.text();
}

// Whether a field of the form is wrong. Then it is marked, and the form stays as it is.
function isWrong(form, html) {
  const why = new DOMParser().parseFromString(html, "text/html").querySelector(".why");
  const wrong = why?.dataset.field && form.elements.namedItem(why.dataset.field);
  const field = wrong && document.getElementById(wrong.id);
  if (!field) return false;
  close();
  mark(field, [why.textContent]);
  field.focus();
  field.select?.();
  say(urgent, [why.textContent], UNREAD);
  return true;
}

function show(html) {
  step.innerHTML = html;
  step.hidden = false;
  document.dispatchEvent(new CustomEvent("changed", { detail: {} }));
}

document.addEventListener(
  "submit",
  async (event) => {
    const form = event.target;
    if (step.contains(form)) sent = true;
    if (!("step" in form.dataset)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const query = new URLSearchParams(new FormData(form, event.submitter));
    query.set("part", "yes");
    query.set("page", document.documentElement.lang);
    let html;
    try {
      html = await foretold(query);
    } catch (error) {
      const why = { 401: page.revoked, 410: page.displaced }[error.message];
      say(urgent, [why ?? page.unsent], UNREAD);
      return;
    }
    if (isWrong(form, html)) return;
    origin = event.submitter?.id || form.closest("details")?.querySelector("summary").id;
    asked = query;
    show(html);
    step.querySelector("h2").focus();
    step.scrollIntoView({ block: "nearest" });
  },
  { capture: true },
);

// The game has changed while the step is open. If the decision would now do something else, the
// step shows that and says so; if not, only its words and clocks are shown anew: which clock runs
// may have changed.
async function look() {
  const query = asked;
  if (!query || sent) return;
  let html;
  try {
    html = await foretold(query);
  } catch {
    return; // the page says that the table cannot be reached
  }
  if (asked !== query || sent) return;
  const now = new DOMParser().parseFromString(html, "text/html");
  const digest = (one) => one.querySelector("[name=preview]")?.value;
  if (digest(now) === digest(step)) {
    for (const id of ["sure-words", "sure-clocks"]) {
      step.querySelector(`#${id}`)?.replaceWith(now.getElementById(id) ?? "");
    }
    return;
  }
  const heading = step.contains(document.activeElement);
  show(html);
  if (heading) step.querySelector("h2").focus();
  const told = step.querySelectorAll("#sure-words p, .why");
  const changed = step.querySelector("[data-changed]").dataset.changed;
  say(urgent, [changed, ...[...told].map((one) => one.textContent.trim())], UNREAD);
}

document.addEventListener("changed", (event) => {
  if (!asked || !Object.keys(event.detail).length) return;
  clearTimeout(looking);
  looking = setTimeout(look, AGAIN_MS);
});

document.addEventListener("click", (event) => {
  if (!step.contains(event.target) || !event.target.closest("#no")) return;
  event.preventDefault();
  close();
});

// Keys besides those of next.js: F2 goes to what waits for the arbiter, F8 stops the clocks or lets
// them go on, Escape leaves the second step.
const KEYS = {
  F2: () => document.querySelector("#pending-heading, #game-heading").focus(),
  F8: () => document.querySelector("#stop, #go-on")?.click(),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && step.contains(event.target)) close();
  const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.repeat);
  if (!plain || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});

// Done or refused: the game may have changed, so the second step ends. A refusal because of what
// the decision would do shows the step as it is now.
document.addEventListener("answered", ({ detail: { refused } }) => {
  if (!sent) return;
  if (refused) {
    sent = false;
    look();
    return;
  }
  const details = origin && document.getElementById(origin)?.closest("#decide details");
  if (details) {
    details.open = false;
    origin = details.querySelector("summary").id;
  }
  close();
});

// An article that is being read stays open when its part of the page is replaced.
let reading = "";
document.addEventListener(
  "toggle",
  (event) => {
    if (event.target.popover === null) return;
    if (event.newState === "open") reading = event.target.id;
    else if (reading === event.target.id && event.target.isConnected) reading = "";
  },
  { capture: true },
);
document.addEventListener("changed", () => {
  const article = reading && document.getElementById(reading);
  if (article && !article.matches(":popover-open")) article.showPopover();
});
