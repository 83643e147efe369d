// A move is seen, and heard where its reader wants that: pieces glide to their new squares. They
// stand at once where less motion is wanted, by the device or with "still" among the signals.

import { kept } from "./kept.js";
import { knock } from "./signals.js";

const GLIDE_MS = 120;
const MOST = 2; // pieces of one move: castling
const reduced = matchMedia("(prefers-reduced-motion: reduce)");

// The boards that show the game, each as a map of squares to pieces.
function look() {
  return [...document.querySelectorAll("[data-live] .board[role=grid]")].map((board) => {
    const squares = [...board.querySelectorAll("[data-piece]")];
    return [board, new Map(squares.map((one) => [one.dataset.square, one.dataset.piece]))];
  });
}

// The pieces that stand elsewhere than before: [from, to].
function moved(before, now) {
  const left = [...before].filter(([square, piece]) => now.get(square) !== piece);
  const come = [...now].filter(([square, piece]) => before.get(square) !== piece);
  return come.flatMap(([to, piece]) => {
    const at = left.findIndex(([, one]) => one === piece);
    return at < 0 ? [] : [[left.splice(at, 1)[0][0], to]];
  });
}

function glide(board, from, to) {
  const [source, goal] = [from, to].map((name) => board.querySelector(`[data-square="${name}"]`));
  const [a, b] = [source, goal].map((one) => one.getBoundingClientRect());
  const start = { transform: `translate(${a.x - b.x}px, ${a.y - b.y}px)` };
  goal.querySelector("img")?.animate([start, {}], { duration: GLIDE_MS, easing: "ease-out" });
}

let shown = look();

document.addEventListener("changed", () => {
  const before = shown;
  shown = look();
  const still = reduced.matches || kept("localStorage", "signals", []).includes("still");
  let heard = false;
  shown.forEach(([board, now], number) => {
    const moves = before[number] ? moved(before[number][1], now) : [];
    heard ||= moves.length > 0;
    if (still || moves.length > MOST) return;
    for (const [from, to] of moves) glide(board, from, to);
  });
  if (heard) knock();
});
