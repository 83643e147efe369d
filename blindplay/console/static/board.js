// Boards on which a move is chosen: by its two squares, with a pointer or with arrow keys and
// Enter, or by dragging the piece. The move goes into the field that the board's data-into names.
// Nothing is sent until its form is sent.

import { polite, say } from "./console.js";

const FAR = 6; // px: a pointer that moves so far drags

// The move that is being chosen; there is one on a page.
let board = null;
let from = null; // the square that a piece leaves
let drag = null; // { id, square, x, y, image } of a pointer that is down

const boards = () => document.querySelectorAll(".board");
const squares = (here) => [...here.querySelectorAll("[data-square]")];
const square = (here, name) => here.querySelector(`[data-square="${name}"]`);
const field = (here) => document.getElementById(here.dataset.into);

// --- the keyboard's square -----------------------------------------------------------------

const standing = new Map(); // board's place among the page's boards: the name of its square

// The tab key reaches one square of a board; arrow keys move on from it.
function stand(here, name) {
  const all = squares(here);
  const found = (name && square(here, name)) || all[0];
  for (const one of all) one.tabIndex = one === found ? 0 : -1;
  standing.set([...boards()].indexOf(here), found?.dataset.square);
  return found;
}

// --- choosing ----------------------------------------------------------------------------------

function tell(here, key, ...names) {
  const [first, second] = names;
  say(polite, [here.dataset[key].replace("{square}", first).replace("{to}", second)]);
}

function unplan() {
  for (const one of document.querySelectorAll(".board .planned")) one.classList.remove("planned");
  for (const one of document.querySelectorAll(".promote")) one.hidden = true;
}

function clear() {
  unplan();
  for (const one of document.querySelectorAll(".board [aria-pressed=true]")) {
    one.setAttribute("aria-pressed", "false");
  }
  board = from = null;
}

function choose(here, name) {
  clear();
  [board, from] = [here, name];
  square(here, name).setAttribute("aria-pressed", "true");
  field(here).value = "";
}

function cancel() {
  const here = board;
  const name = from;
  clear();
  if (!here) return;
  field(here).value = "";
  tell(here, "dropped", name);
  square(here, name)?.focus();
}

function promotes(piece, to) {
  return (piece === "white-pawn" && to[1] === "8") || (piece === "black-pawn" && to[1] === "1");
}

function plan(to) {
  unplan();
  const [here, name] = [board, from];
  const planned = [square(here, name), square(here, to)];
  for (const one of planned) one.classList.add("planned");
  field(here).value = name + to;
  stand(here, to);
  if (promotes(planned[0].dataset.piece, to)) {
    const choice = here.parentElement.querySelector(".promote");
    choice.hidden = false;
    choice.querySelector("button").focus();
    choice.scrollIntoView({ block: "nearest" });
    return;
  }
  decided();
}

// The move is in its field, and its form can be sent.
function decided() {
  const { value, form } = field(board);
  tell(board, "planned", value.slice(0, 2), value.slice(2, 4));
  square(board, from).setAttribute("aria-pressed", "false");
  board = from = null;
  (form.querySelector("button.main") ?? form.querySelector("button")).focus();
}

function pick(here, name) {
  stand(here, name).focus();
  if (!here.dataset.into || !field(here)) return;
  if (board === here && from === name) cancel();
  else if (board === here && from) plan(name);
  else {
    choose(here, name);
    field(here).value = name;
    tell(here, "chosen", name);
  }
}

document.addEventListener("click", (event) => {
  const here = event.target.closest(".board");
  const button = event.target.closest("[data-square]");
  if (here && button) pick(here, button.dataset.square);
  const piece = event.target.closest("[data-promote]");
  if (!piece || !board) return;
  if (!piece.dataset.promote) {
    cancel();
    return;
  }
  field(board).value += piece.dataset.promote;
  piece.closest(".promote").hidden = true;
  decided();
});

// Typing replaces the choice.
document.addEventListener("input", (event) => {
  if ([...boards()].some((one) => one.dataset.into === event.target.id)) clear();
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Escape") {
    if (drag) drop();
    if (board) cancel();
    return;
  }
  const here = event.target.closest?.(".board");
  const button = event.target.closest?.("[data-square]");
  if (!here || !button) return;
  const all = squares(here);
  const at = all.indexOf(button);
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
  if (all[to]) stand(here, all[to].dataset.square).focus();
});

// --- dragging ----------------------------------------------------------------------------------

function drop() {
  drag?.image?.remove();
  drag = null;
}

function under(event) {
  return document.elementFromPoint(event.clientX, event.clientY)?.closest(".board [data-square]");
}

document.addEventListener("pointerdown", (event) => {
  const button = event.target.closest(".board[data-into] [data-piece]");
  if (!button || !event.isPrimary || event.button !== 0) return;
  drag = { id: event.pointerId, button, x: event.clientX, y: event.clientY, image: null };
});

document.addEventListener("pointermove", (event) => {
  if (drag?.id !== event.pointerId) return;
  const [x, y] = [event.clientX, event.clientY];
  if (!drag.image) {
    if (Math.hypot(x - drag.x, y - drag.y) < FAR) return;
    const here = drag.button.closest(".board");
    if (!field(here)) return;
    choose(here, drag.button.dataset.square);
    const image = drag.button.querySelector("img");
    drag.image = image.cloneNode();
    drag.image.className = "dragged";
    drag.image.style.width = `${image.getBoundingClientRect().width}px`;
    document.body.append(drag.image);
  }
  const half = drag.image.getBoundingClientRect().width / 2;
  drag.image.style.left = `${x - half}px`;
  drag.image.style.top = `${y - half}px`;
});

document.addEventListener("pointerup", (event) => {
  if (drag?.id !== event.pointerId) return;
  const dragged = drag.image !== null;
  drop();
  if (!dragged) return;
  // Ignore the click at the end of a drag.
  const none = (click) => click.stopImmediatePropagation();
  addEventListener("click", none, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", none, { capture: true }));
  const target = under(event);
  if (target && target.closest(".board") === board && target.dataset.square !== from) {
    plan(target.dataset.square);
  } else {
    cancel();
  }
});

document.addEventListener("pointercancel", () => {
  if (drag?.image) cancel();
  drop();
});

// --- changes ------------------------------------------------------------------------------

document.addEventListener("changed", () => {
  if (drag && !drag.button.isConnected) drop();
  if (board && !board.isConnected) {
    // The position has changed, so the choice is void.
    const input = field(board);
    if (input) input.value = "";
    clear();
  }
  [...boards()].forEach((here, number) => stand(here, standing.get(number)));
});

document.addEventListener("done", clear);

for (const here of boards()) stand(here, null);
