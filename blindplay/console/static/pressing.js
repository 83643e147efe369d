// The clock that is pressed with a move. A form with an input "press" presses, too, when the move is
// made. Its reader may want that apart, which this device keeps. It is also apart while something
// that comes between the move and the press is being begun, such as a claim. A draw that is ticked
// is offered with the move by whichever form makes it, and the button says so. The tick holds for
// this move only: its box has another id at the next one. It goes when it is folded away.

import { keep, kept } from "./kept.js";

const KEY = "press-apart";
let apart = kept("localStorage", KEY, false);

const draw = () => document.querySelector("input[name=draw]");
// Not with :has(), which breaks the scripts of a page in a Firefox before 121.
const begun = () => [...document.querySelectorAll("details.step[open]")];
const begins = () => begun().some((one) => !one.querySelector("[name=draw]:checked"));

// Whether a move of ``form`` that is chosen on a board is sent at once.
export function isAtOnce(form) {
  return "atOnce" in form.dataset && !form.elements.press.disabled && !draw()?.checked;
}

function show() {
  const alone = apart || begins();
  for (const press of document.querySelectorAll("input[name=press]")) {
    press.disabled = alone;
    const button = press.form.querySelector("button.main");
    button.dataset.together ??= button.textContent;
    const { together, draw: withDraw, apart: one, apartDraw } = button.dataset;
    const [usual, offering] = alone ? [one, apartDraw] : [together, withDraw];
    const words = draw()?.checked ? offering : usual;
    if (button.textContent !== words) button.textContent = words;
  }
  const choice = document.getElementById("press-apart");
  if (!choice) return;
  choice.checked = apart;
  choice.closest("label").hidden = false;
}

document.addEventListener("change", ({ target }) => {
  if (target.id === "press-apart") {
    apart = target.checked;
    keep("localStorage", KEY, apart);
  }
  show();
});
document.addEventListener("formdata", ({ formData }) => {
  if (formData.get("act") === "due" && draw()?.checked) formData.set("draw", "yes");
});
addEventListener("storage", (event) => {
  if (event.key !== KEY) return; // another page on this device has changed it
  apart = kept("localStorage", KEY, false);
  show();
});
document.addEventListener("toggle", ({ target }) => {
  if (!target.open && target.contains(draw())) draw().checked = false;
  show();
}, true);
for (const event of ["changed", "done"]) document.addEventListener(event, show);
show();
