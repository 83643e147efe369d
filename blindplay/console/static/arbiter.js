// The arbiter's second step: it says in words what will be done. Without this script it is a page
// of its own.

import { page, say, urgent } from "./console.js";

let origin = null; // the id of the button that opened the step
let sent = false; // its form has been sent
let step = document.getElementById("sure");

if (!step) {
  step = document.createElement("section");
  step.id = "sure";
  step.className = "sure";
  step.hidden = true;
  step.setAttribute("aria-labelledby", "sure-heading");
  document.getElementById("messages").after(step);
}

function close() {
  const here = step.contains(document.activeElement);
  step.hidden = true;
  step.textContent = "";
  const back = (origin && document.getElementById(origin)) ?? document.querySelector("#game h2");
  if (here) back.focus(); // a reader who has moved elsewhere stays there
  origin = null;
  sent = false;
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
      const response = await fetch(`sure?${query}`);
      if (!response.ok) throw new Error(String(response.status));
      html = await response.text();
    } catch (error) {
      const why = { 401: page.revoked, 410: page.displaced }[error.message];
      say(urgent, [why ?? page.unsent]);
      return;
    }
    origin = event.submitter?.id || form.closest("details")?.querySelector("summary").id;
    step.innerHTML = html;
    step.hidden = false;
    document.dispatchEvent(new CustomEvent("changed", { detail: {} }));
    step.querySelector("h2").focus();
    step.scrollIntoView({ block: "nearest" });
  },
  { capture: true },
);

document.addEventListener("click", (event) => {
  if (!step.contains(event.target) || !event.target.closest("#no")) return;
  event.preventDefault();
  close();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && step.contains(event.target)) close();
});

// Done or refused: the game may have changed, so the second step ends.
document.addEventListener("answered", () => {
  if (!sent) return;
  const details = origin && document.getElementById(origin)?.closest("details:not(.article)");
  if (details) {
    details.open = false;
    origin = details.querySelector("summary").id;
  }
  close();
});
