// Moves that are chosen on a board: by two squares, with a pointer or with arrow keys and Enter, or by
// dragging the piece. The move goes into the field that the board's data-into names. Nothing is sent
// until its form is sent; see pressing.js for one that is sent at once.

import { polite, say } from "./console.js";
import { boards, square, stand } from "./grid.js";
import { isAtOnce } from "./pressing.js";

const FAR = 6; // px: a pointer that moves so far drags

// The move that is being chosen; there is one on a page.
let board = null;
let from = null; // the square that a piece leaves
let decidedOn = null; // the board and the square of a move that is chosen and not sent yet
let sent = null; // the one of these whose form was sent
let drag = null; // { id, button, x, y, image } of a pointer that is down
let pointed = false; // a pointer chooses: its hand is there, and nothing is scrolled

const field = (here) => document.getElementById(here.dataset.into);

document.addEventListener("none", ({ detail }) => say(polite, [detail]));

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey || event.key !== "Escape") return;
  if (drag) drop();
  if (board || decidedOn) cancel();
});

// --- choosing ----------------------------------------------------------------------------------

function tell(here, key, name, to = "", piece = "") {
  const text = here.dataset[key].replace("{square}", name).replace("{to}", to);
  say(polite, [text.replace("{piece}", piece)]);
}

function unmark(...kinds) {
  for (const kind of kinds) {
    for (const one of document.querySelectorAll(`.board[role=grid] .${kind}`)) {
      one.classList.remove(kind);
    }
  }
}

function unplan() {
  unmark("planned", "target", "lifted");
  for (const one of document.querySelectorAll(".ghost")) one.remove();
}

function clear() {
  unplan();
  unmark("chosen");
  closePieces();
  for (const one of document.querySelectorAll(".board [aria-selected]")) {
    one.removeAttribute("aria-selected");
  }
  board = from = decidedOn = null;
}

function choose(here, name) {
  clear();
  [board, from] = [here, name];
  const chosen = square(here, name);
  chosen.classList.add("chosen");
  chosen.setAttribute("aria-selected", "true");
  field(here).value = "";
}

function cancel() {
  const [here, name] = decidedOn ?? [board, from];
  clear();
  if (!here) return;
  field(here).value = "";
  tell(here, "dropped", name);
  square(here, name)?.focus({ preventScroll: pointed });
}

function promotes(piece, to) {
  return (piece === "white-pawn" && to[1] === "8") || (piece === "black-pawn" && to[1] === "1");
}

// What is planned is seen, and is seen not to be done yet.
function show(here, ...names) {
  const planned = names.map((name) => square(here, name));
  for (const one of planned) one.classList.add("planned");
  const ghost = planned[0].querySelector("img")?.cloneNode();
  if (ghost) {
    planned[0].classList.add("lifted");
    ghost.className = "ghost";
    planned[1].append(ghost);
  }
  return planned;
}

function plan(to) {
  unplan();
  const [here, name] = [board, from];
  const planned = show(here, name, to);
  field(here).value = name + to;
  stand(here, to);
  if (promotes(planned[0].dataset.piece, to)) {
    offerPieces(here, planned).querySelector("button").focus({ preventScroll: pointed });
    return;
  }
  decided();
}

let place = null; // puts the offered pieces on their squares

// The pieces that the pawn may become, from its square on over the board, which waits meanwhile.
function offerPieces(here, [pawn, to]) {
  const choice = here.parentElement.querySelector(".promote");
  const [colour] = pawn.dataset.piece.split("-");
  for (const image of choice.querySelectorAll("img")) {
    image.src = image.getAttribute("src").replace(/#[a-z]+-/, `#${colour}-`);
  }
  choice.hidden = false;
  here.inert = true;
  place = () => {
    const upwards = to.closest("[role=row]") === here.lastElementChild;
    choice.classList.toggle("upwards", upwards);
    const [around, field] = [here.parentElement, to].map((one) => one.getBoundingClientRect());
    const width = Math.max(field.width, 44);
    choice.style.width = `${width}px`;
    choice.style.left = `${Math.min(field.left, innerWidth - width) - around.left}px`;
    const top = upwards ? field.bottom - choice.offsetHeight : field.top;
    choice.style.top = `${top - around.top}px`;
  };
  place();
  return choice;
}

function closePieces() {
  place = null;
  for (const one of document.querySelectorAll(".promote")) one.hidden = true;
  for (const one of boards()) one.inert = false;
}

addEventListener("resize", () => place?.());
document.addEventListener("changed", () => place?.()); // the board may have been turned round

// The choice is made.
function settle() {
  const chosen = square(board, from);
  chosen.removeAttribute("aria-selected");
  chosen.classList.remove("chosen");
  decidedOn = [board, from];
  board = from = null;
}

// The move is in its field, and its form can be sent. ``piece``: what the pawn becomes, in words.
function decided(piece = "") {
  const { value, form } = field(board);
  const button = form.querySelector("button.main") ?? form.querySelector("button");
  const isSent = isAtOnce(form);
  if (!isSent) tell(board, piece ? "promoted" : "planned", value.slice(0, 2), value.slice(2, 4), piece);
  settle();
  form.closest("details")?.setAttribute("open", "");
  if (isSent) form.requestSubmit(button);
  else button.focus({ preventScroll: pointed });
}

function pick(here, name) {
  stand(here, name).focus({ preventScroll: true }); // a pointer or a key is there
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
  pointed = event.detail > 0;
  const here = event.target.closest(".board[role=grid]");
  const button = event.target.closest("[data-square]");
  if (here && button) {
    pick(here, button.dataset.square);
    return;
  }
  const piece = event.target.closest("[data-promote]");
  if (!board || !(piece || (place && board.parentElement.contains(event.target)))) return;
  if (!piece?.dataset.promote) {
    cancel();
    return;
  }
  field(board).value += piece.dataset.promote;
  closePieces();
  decided(piece.textContent);
});

// Typing replaces the choice.
document.addEventListener("input", (event) => {
  if ([...boards()].some((one) => one.dataset.into === event.target.id)) clear();
});

// --- dragging ----------------------------------------------------------------------------------

function drop() {
  drag?.image?.remove();
  drag = null;
  unmark("target", "lifted");
}

function under(event) {
  const there = document.elementFromPoint(event.clientX, event.clientY);
  return there?.closest(".board[role=grid] [data-square]");
}

// The square on which the dragged piece would come down.
function goal(event) {
  const there = under(event);
  const other = there && there.closest(".board") === board && there.dataset.square !== from;
  return other ? there : null;
}

document.addEventListener("pointerdown", (event) => {
  const button = event.target.closest(".board[data-into] [data-piece]");
  if (!button || !event.isPrimary || event.button !== 0) return;
  drag = { id: event.pointerId, button, x: event.clientX, y: event.clientY, image: null };
});

// The piece leaves its square and follows the pointer.
function lift() {
  choose(drag.button.closest(".board"), drag.button.dataset.square);
  const image = drag.button.querySelector("img");
  drag.image = image.cloneNode();
  drag.image.className = "dragged";
  drag.image.style.width = `${image.getBoundingClientRect().width}px`;
  drag.button.classList.add("lifted");
  document.body.append(drag.image);
}

document.addEventListener("pointermove", (event) => {
  if (drag?.id !== event.pointerId) return;
  const [x, y] = [event.clientX, event.clientY];
  if (!drag.image) {
    if (Math.hypot(x - drag.x, y - drag.y) < FAR) return;
    if (!field(drag.button.closest(".board"))) return;
    lift();
  }
  const half = drag.image.getBoundingClientRect().width / 2;
  drag.image.style.left = `${x - half}px`;
  drag.image.style.top = `${y - half}px`;
  unmark("target");
  goal(event)?.classList.add("target");
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
  pointed = true;
  const target = goal(event);
  if (target) plan(target.dataset.square);
  else cancel();
});

document.addEventListener("pointercancel", (event) => {
  if (drag?.id !== event.pointerId) return;
  if (drag.image) cancel();
  drop();
});

// --- changes ------------------------------------------------------------------------------

// The board has come anew. A choice stays while its piece is still on its square, with the pieces that
// are offered and the one that is dragged; otherwise it is void.
function keepChoice() {
  const [before, name] = decidedOn ?? [board, from];
  const input = field(before);
  const { piece } = square(before, name).dataset;
  const [isSent, isOpen] = [sent && sent === decidedOn, place !== null];
  clear();
  const here = [...boards()].find((one) => one.dataset.into === before.dataset.into);
  if (!input || !here || !piece || square(here, name).dataset.piece !== piece) {
    if (input) input.value = "";
    return;
  }
  const { value } = input;
  const to = value.slice(2, 4);
  choose(here, name);
  input.value = value;
  if (!to) return;
  const planned = show(here, name, to);
  if (isOpen) offerPieces(here, planned);
  else settle();
  if (isSent) sent = decidedOn;
}

function keepDrag() {
  const there = board && square(board, from);
  if (!drag.image || !there) {
    drop();
    return;
  }
  drag.button = there;
  there.classList.add("lifted");
}

document.addEventListener("replaced", () => {
  const [chosenOn] = decidedOn ?? [board];
  if (chosenOn && !chosenOn.isConnected) keepChoice();
  if (drag && !drag.button.isConnected) keepDrag();
});

// An answer may come when the next move is being chosen already: that stays.
document.addEventListener("submit", ({ target }) => {
  sent = decidedOn && target.contains(field(decidedOn[0])) ? decidedOn : null;
}, true);
document.addEventListener("done", () => {
  if (sent && decidedOn === sent) clear();
  sent = null;
});
