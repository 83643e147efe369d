// A past position on a page of its own: the keyboard's way over the board and through the game.

import "./grid.js";
import "./steps.js";

const polite = document.getElementById("polite");

document.addEventListener("none", ({ detail }) => {
  polite.textContent = detail;
});
