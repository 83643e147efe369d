// What was said to everybody, and what was answered here, to be read again: the newest first. It is
// kept by the browser alone, as long as the page's tab is open and the table has not been restarted.

import { page, worded } from "./console.js";

const MOST = 50;
const KEY = `said ${location.pathname} ${page.place.split(".")[0]}`;
const said = kept();

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
  } catch {
    return []; // a browser may be told to keep nothing
  }
}

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
  try {
    sessionStorage.setItem(KEY, JSON.stringify(said));
  } catch {
    // As above: then it is there until the page is loaded again.
  }
  show();
}

document.addEventListener("said", (event) => keep(event.detail));
document.addEventListener("answered", ({ detail: { act, refused, said: answers } }) => {
  if (act === "ask" || refused) keep(answers);
});
document.addEventListener("changed", (event) => {
  if ("log" in event.detail) show();
});
show();
