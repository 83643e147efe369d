// Keeps the page of all boards up to date: by a stream of changes or, where there is no room for one
// more, by asking now and then. Without this script the page has a link that loads it again.

import { keep, kept } from "./kept.js";
import { replace } from "./parts.js";
import { afterRelease } from "./pointers.js";
import { showClocks } from "./time.js";
import { find, isSame, lose, read, tell } from "./told.js";

const AGAIN_MS = 10_000;
const NEWS = [".announced", ".ended"];
const page = document.body.dataset;
const list = document.querySelector(".boards");
let place = page.place;
let ahead = Number(page.now) - performance.now(); // ms by which the hall's clock is ahead
let source = null;
let asking = 0;

// The tables whose moves are told. They stay chosen when the page is loaded again.
const followed = new Set(kept("sessionStorage", "followed", []));

function prepare(board) {
  const button = board.querySelector("button");
  button.hidden = false;
  button.setAttribute("aria-pressed", followed.has(board.dataset.table));
}

function boardOf(table, html) {
  const known = [...list.children].find((one) => one.dataset.table === table);
  if (known) return known;
  const board = document.createElement("li");
  board.dataset.table = table;
  board.innerHTML = html;
  const number = (one) => Number(one.querySelector("h2 a").id.split("-")[1]);
  const next = [...list.children].find((one) => number(one) > number(board));
  list.insertBefore(board, next ?? null);
  return board;
}

const newsOf = (board) => NEWS.map((one) => read(board, one));

function show({ parts, whole }) {
  const gone = whole ? [...list.children].filter((one) => !(one.dataset.table in parts)) : [];
  if (gone.some((one) => one.contains(document.activeElement))) document.getElementById("main").focus();
  for (const board of gone) board.remove();
  const changed = Object.entries(parts).map(([table, html]) => [boardOf(table, html), html]);
  const before = changed.map(([board]) => newsOf(board));
  replace(changed);
  const told = changed.flatMap(([board], number) => {
    const news = newsOf(board).filter((one, at) => one && !isSame(one, before[number][at]));
    return news.length && followed.has(board.dataset.table) ? [read(board, "h2"), ...news] : [];
  });
  document.getElementById("none").hidden = list.children.length > 0;
  if (told.length) tell(told);
}

document.addEventListener("replaced", () => {
  for (const board of list.children) prepare(board);
});

function connect() {
  if (source || document.hidden) return;
  source = new EventSource(`changes?since=${encodeURIComponent(place)}`);
  source.onopen = find;
  source.onmessage = (event) => {
    place = event.lastEventId;
    afterRelease(() => show(JSON.parse(event.data)));
  };
  source.addEventListener("time", (event) => (ahead = Number(event.data) - performance.now()));
  source.onerror = () => {
    leave();
    ask();
    asking = setTimeout(connect, AGAIN_MS);
  };
}

function leave() {
  source?.close();
  source = null;
  clearTimeout(asking);
}

async function ask() {
  try {
    const signal = AbortSignal.timeout(AGAIN_MS);
    const answer = await fetch(`now?since=${encodeURIComponent(place)}`, { signal });
    if (!answer.ok) return;
    const { now, place: here, change } = await answer.json();
    ahead = now - performance.now();
    place = here;
    if (change) afterRelease(() => show(change));
    find();
  } catch {
    lose();
  }
}

list.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const { table } = button.closest("li").dataset;
  if (!followed.delete(table)) followed.add(table);
  button.setAttribute("aria-pressed", followed.has(table));
  keep("sessionStorage", "followed", [...followed]);
});

for (const board of list.children) prepare(board);
document.getElementById("follow-help").hidden = false;
// A hidden page gives its place to another reader, and gets what it missed when it is shown again.
document.addEventListener("visibilitychange", () => (document.hidden ? leave() : connect()));
connect();
setInterval(() => showClocks(performance.now() + ahead), 200);
