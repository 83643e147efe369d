// A board on which a move is chosen square by square: with a pointer, or with arrow keys and Enter.
// The page's field "text" gets the move.

import { page, polite, say } from "./console.js";

let current = null; // the square that the arrow keys stand on
let chosen = null; // the square that a piece leaves

const board = () => document.querySelector(".board");
const square = (name) => document.getElementById(`sq-${name}`);

// One square of the board is in the order of tab; arrow keys move on from it.
function stand(name) {
  const buttons = [...document.querySelectorAll(".board button")];
  const here = (name && square(name)) || buttons[0];
  for (const button of buttons) button.tabIndex = button === here ? 0 : -1;
  current = here ? here.dataset.square : null;
}

function choose(name) {
  if (chosen && square(chosen)) square(chosen).setAttribute("aria-pressed", "false");
  chosen = name;
  if (name) square(name).setAttribute("aria-pressed", "true");
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".board button");
  if (!button) return;
  stand(button.dataset.square);
  button.focus();
  const text = document.getElementById("text");
  if (!text) return;
  if (chosen === button.dataset.square) {
    choose(null);
    text.value = "";
  } else if (!chosen) {
    choose(button.dataset.square);
    text.value = chosen;
    say(polite, [page.chosen.replace("{square}", chosen)]);
  } else {
    text.value = chosen + button.dataset.square;
    choose(null);
    document.querySelector("#move .main, #move button").focus();
  }
});

document.addEventListener("keydown", (event) => {
  const button = event.target.closest?.(".board button");
  if (!button || event.altKey || event.ctrlKey || event.metaKey) return;
  const buttons = [...board().querySelectorAll("button")];
  const at = buttons.indexOf(button);
  const column = at % 8;
  const to = {
    ArrowLeft: column > 0 ? at - 1 : at,
    ArrowRight: column < 7 ? at + 1 : at,
    ArrowUp: at - 8,
    ArrowDown: at + 8,
    Home: at - column,
    End: at - column + 7,
  }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  if (!buttons[to]) return;
  stand(buttons[to].dataset.square);
  buttons[to].focus();
});

document.addEventListener("changed", (event) => {
  if (!("board" in event.detail)) return;
  chosen = null;
  stand(current);
});

document.addEventListener("done", () => choose(null));

stand(null);
