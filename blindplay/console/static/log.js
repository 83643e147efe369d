// What was said to everybody, and what was answered here, to be read again: the newest first. It is
// kept by the page alone.

import { worded } from "./console.js";

const MOST = 50;
const said = [];

function show() {
  const list = document.getElementById("entries");
  if (!list) return;
  list.replaceChildren(
    ...said.map((text) => {
      const item = document.createElement("li");
      item.append(worded(text));
      return item;
    }),
  );
}

function keep(sentences) {
  said.unshift(...[...sentences].reverse());
  said.length = Math.min(said.length, MOST);
  show();
}

document.addEventListener("said", (event) => keep(event.detail));
document.addEventListener("answered", ({ detail: { act, refused, said: answers } }) => {
  if (act === "ask" || refused) keep(answers);
});
document.addEventListener("changed", (event) => {
  if ("log" in event.detail) show();
});
