// Sentences for everybody and answers, to be read again, the newest first. Only the browser keeps
// them, until the tab is closed or the table is restarted.

import { page, worded } from "./console.js";

const MOST = 50;
const KEY = `said ${location.pathname} ${page.place.split(".")[0]}`;
const said = kept();

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
  } catch {
    return []; // the browser may keep nothing
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
    // As above: then the log lasts until the page is loaded again.
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
