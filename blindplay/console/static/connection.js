// The stream of changes, and whether the table can be reached. data-connection of the body is "lost"
// while the stream is silent or an action gets no answer.
//
// Gives the document these events: "news", with the table's message; "time", with its time in ms.

import { BRIEF, page, polite, say, set, UNREAD, urgent } from "./messages.js";

const AGAIN_MS = 1000;
const SILENCE_MS = 20_000; // the table says something every 5 seconds
let place = page.place;
let failed = 0; // attempts in a row
let over = false; // the table has ended this page's stream for good
let source = null;
let silence = 0;
const losses = new Set(); // what gets no answer: "stream", "action"

page.connection = "";

// ``what`` gets no answer. ``why`` says so; it stands until there is an answer again.
export function lose(what, why = page.lost) {
  if (losses.has(what)) return;
  const known = losses.size;
  losses.add(what);
  if (known && what === "stream") return;
  page.connection = "lost";
  set({ connection: "lost" });
  say(urgent, [why], { connection: "lost" });
}

export function find(what) {
  if (!losses.delete(what) || losses.size) return;
  page.connection = "";
  set({ connection: "" });
  say(polite, [page.back], { ...BRIEF, connection: "" });
}

function heard() {
  clearTimeout(silence);
  silence = setTimeout(() => {
    lose("stream");
    leave();
    connect();
  }, SILENCE_MS);
}

export function connect() {
  if (source || over || sleeps()) return;
  const query = new URLSearchParams(page.query ?? "");
  query.set("since", place);
  query.set("page", document.documentElement.lang);
  query.set("edits", "yes");
  const mine = new EventSource(`changes?${query}`);
  source = mine;
  heard();
  mine.onopen = () => {
    failed = 0;
    heard();
    find("stream");
  };
  mine.onmessage = (event) => {
    heard();
    place = event.lastEventId;
    document.dispatchEvent(new CustomEvent("news", { detail: JSON.parse(event.data) }));
  };
  mine.addEventListener("time", (event) => {
    heard();
    document.dispatchEvent(new CustomEvent("time", { detail: Number(event.data) }));
  });
  mine.addEventListener("run", (event) => (page.run = event.data));
  mine.addEventListener("crowded", () => end(page.crowded));
  mine.onerror = async () => {
    if (source !== mine) return; // another stream has replaced it
    leave();
    let status = 0;
    try {
      const signal = AbortSignal.timeout(5000);
      const answer = await fetch("", { method: "HEAD", redirect: "manual", signal });
      if (answer.type === "opaqueredirect") {
        location.reload(); // a rematch has changed the colours
        return;
      }
      status = answer.status;
    } catch {
      // The table cannot be reached; try again below.
    }
    if (!shutOut(status)) {
      failed += 1;
      // If the page itself can be loaded, a stream that has just ended is not a lost connection yet.
      if (status !== 200 || failed > 1) lose("stream");
      setTimeout(connect, AGAIN_MS * Math.min(failed, 5));
    }
  };
}

function leave() {
  clearTimeout(silence);
  source?.close();
  source = null;
}

function end(why) {
  leave();
  over = true;
  say(urgent, [why], UNREAD);
}

// Whether this status says that the link no longer opens this page; then the reader is told.
export function shutOut(status) {
  const why = { 401: page.revoked, 410: page.displaced }[status];
  if (why) end(why);
  return Boolean(why);
}

// A browser has six connections to a table: a hidden page closes its own, and gets what it missed
// when it is shown again; unless it is to give signals, or is a player's phone.
function sleeps() {
  return document.hidden && page.signals !== "on" && page.stays !== "yes";
}

document.addEventListener("visibilitychange", () => (sleeps() ? leave() : connect()));
