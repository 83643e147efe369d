// Questions by one letter, only in the key area. It has the role of an application, so a screen
// reader passes letters on while the focus is in it.

import { polite, say, send } from "./console.js";

let choosing = false; // the next letter names a kind of piece

const area = () => document.getElementById("key-area");

function ask(about, more = {}) {
  send(new URLSearchParams({ act: "ask", about, ...more }));
}

document.addEventListener("keydown", (event) => {
  const here = area();
  if (!here?.contains(event.target)) return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing || event.repeat) return;
  const key = event.key.toLowerCase();
  if (key === "escape") choosing = false;
  if ([...key].length !== 1 || key === " ") return;
  event.preventDefault();
  if (key === "?") {
    choosing = false;
    say(polite, [here.dataset.help]);
    return;
  }
  if (choosing) {
    choosing = false;
    const piece = JSON.parse(here.dataset.pieces)[key];
    if (piece) ask("pieces", { piece });
    else say(polite, [here.dataset.none]);
    return;
  }
  const about = JSON.parse(here.dataset.keys)[key];
  if (!about) {
    say(polite, [here.dataset.none]);
  } else if (about === "pieces") {
    choosing = true;
    say(polite, [here.dataset.which]);
  } else {
    const square = event.target.closest("[data-square]")?.dataset.square;
    ask(about, square ? { square } : {});
  }
});

document.addEventListener("focusout", (event) => {
  if (!area()?.contains(event.relatedTarget)) choosing = false;
});
