// Sentences for everybody and answers, to be read again, the newest first. Only the browser keeps
// them, until the tab is closed or the table is restarted.

import { page, worded } from "./console.js";
import { keep, kept } from "./kept.js";

const MOST = 50;
const KEY = `said ${location.pathname} ${page.place.split(".")[0]}`;
const said = kept("sessionStorage", KEY, []);

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

function add(sentences) {
  said.unshift(...[...sentences].reverse());
  said.length = Math.min(said.length, MOST);
  keep("sessionStorage", KEY, said);
  show();
}

document.addEventListener("said", (event) => add(event.detail));
document.addEventListener("answered", ({ detail: { act, refused, said: answers } }) => {
  if (act === "ask" || refused) add(answers);
});
document.addEventListener("changed", (event) => {
  if ("log" in event.detail) show();
});
show();
