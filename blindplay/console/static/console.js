// Keeps a page up to date. Without this script everything still works: forms are sent, and the page
// loads again.
//
// Other scripts of a page listen to these events on the document: "changed", with the new parts;
// "time", with the table's time in ms; "said", with sentences for everybody; "answered", with the
// result of an action; and "done" on a form whose action was not refused.

export const page = document.body.dataset;
export const polite = document.getElementById("polite");
export const urgent = document.getElementById("urgent");
let place = page.place;

// --- sentences ------------------------------------------------------------------------------------

const pending = new Map();

// The element of a sentence: a text in the page's language, or parts, each [text, language].
export function worded(sentence) {
  const parts = typeof sentence === "string" ? [[sentence]] : sentence;
  const spans = parts.map(([text, lang]) => {
    const span = document.createElement("span");
    span.textContent = text;
    if (lang && lang !== document.documentElement.lang) span.lang = lang;
    return span;
  });
  if (spans.length === 1) return spans[0];
  const whole = document.createElement("span");
  whole.append(...spans);
  return whole;
}

// A live region is emptied and refilled, so that equal sentences are read again.
export function say(region, sentences) {
  if (!sentences.length) return;
  const queue = pending.get(region);
  if (queue) {
    queue.push(...sentences);
    return;
  }
  pending.set(region, [...sentences]);
  empty(region);
  setTimeout(fill, 150, region);
}

// An empty message keeps its room, so that nothing below it moves under a finger.
function empty(region) {
  region.style.minHeight = `${region.offsetHeight}px`;
  region.textContent = "";
}

function fill(region) {
  if (pressed) {
    setTimeout(fill, 50, region);
    return;
  }
  region.replaceChildren(...pending.get(region).flatMap((one) => [worded(one), " "]));
  pending.delete(region);
  for (const one of [urgent, polite]) if (!pending.has(one)) one.style.minHeight = "";
}

// --- changes ------------------------------------------------------------------------------

// The value of a field that nobody has touched.
function preset(field) {
  if (field.tagName !== "SELECT") return field.getAttribute("value") ?? "";
  const options = [...field.options];
  return (options.find((one) => one.defaultSelected) ?? options[0])?.value ?? "";
}

// Whether something is pressed now, and the changes that wait for its release: a button that moves
// meanwhile would lose its click, and its form must send the stamp of the game that was seen.
let pressed = false;
let forgotten = 0;
const waiting = [];

function release() {
  pressed = false;
  clearTimeout(forgotten);
  for (const change of waiting.splice(0)) take(change);
}

document.addEventListener("pointerdown", () => {
  pressed = true;
  clearTimeout(forgotten);
  forgotten = setTimeout(release, 2000); // no event tells of a release outside the window
}, true);
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => setTimeout(release), true);
}

// Put new parts of the page into their places. What was typed, unfolded or focused there stays, even
// if it has moved to another part.
function replace(parts) {
  const changed = Object.entries(parts).flatMap(([name, html]) => {
    const section = document.getElementById(name);
    return section ? [{ section, html }] : [];
  });
  const typed = new Map();
  const opened = [];
  let active = null;
  let home = null;
  for (const { section } of changed) {
    for (const field of section.querySelectorAll("input[id], select[id]")) {
      if (field.value !== preset(field)) typed.set(field.id, field.value);
    }
    opened.push(...[...section.querySelectorAll("details[id][open]")].map((one) => one.id));
    if (section.contains(document.activeElement)) [active, home] = [document.activeElement, section];
  }
  for (const { section, html } of changed) {
    section.innerHTML = html;
    section.hidden = !html.trim();
  }
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  for (const [id, value] of typed) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
  if (active) {
    // If the focused element is gone, or is now among what folds away elsewhere, the heading of its
    // part gets the focus.
    const same = active.id ? document.getElementById(active.id) : null;
    const stays = same && (home.contains(same) || !same.closest("details"));
    const there = stays && (same.checkVisibility?.() ?? true);
    const heading = home.querySelector("h2") ?? document.getElementById("main");
    (there ? same : heading).focus({ preventScroll: Boolean(there) });
  }
}

function stampForms() {
  for (const field of document.querySelectorAll("input[name=seen]")) field.value = page.seen;
}

function take(change) {
  if (pressed) {
    waiting.push(change);
    return;
  }
  replace(change.parts);
  page.seen = change.seen;
  stampForms();
  document.dispatchEvent(new CustomEvent("changed", { detail: change.parts }));
  const told = (which) => change.told.filter(which).map(([sentence]) => sentence);
  say(urgent, told(([, now]) => now));
  say(polite, told(([, now]) => !now));
  if (change.whole) say(polite, standing());
  document.dispatchEvent(new CustomEvent("said", { detail: told(() => true) }));
}

// The status of the game, for a page that missed too much.
function standing() {
  const told = document.querySelectorAll("main .status, main .announced");
  return [...told].map((one) => [[one.textContent.trim(), one.closest("[lang]").lang]]);
}

const AGAIN_MS = 1000;
let lost = false;
let failed = 0; // attempts in a row
let over = false; // the table has ended this page's stream for good
let source = null;

function connect() {
  if (source || over || document.hidden) return;
  const query = new URLSearchParams({ since: place, page: document.documentElement.lang });
  const mine = new EventSource(`changes?${query}`);
  source = mine;
  mine.onopen = () => {
    failed = 0;
    if (!lost) return;
    lost = false;
    say(polite, [page.back]);
  };
  mine.onmessage = (event) => {
    place = event.lastEventId;
    take(JSON.parse(event.data));
  };
  mine.addEventListener("time", (event) => {
    document.dispatchEvent(new CustomEvent("time", { detail: Number(event.data) }));
  });
  mine.addEventListener("crowded", () => end(page.crowded));
  mine.onerror = async () => {
    if (source !== mine) return; // another stream has replaced it
    leave();
    let status = 0;
    try {
      const signal = AbortSignal.timeout(5000);
      status = (await fetch("", { method: "HEAD", redirect: "error", signal })).status;
    } catch {
      // The table cannot be reached; try again below.
    }
    if (status === 401 || status === 410) {
      end(status === 401 ? page.revoked : page.displaced);
      return;
    }
    failed += 1;
    // If the page itself can be loaded, a stream that has just ended is no lost connection yet.
    if (!lost && (status !== 200 || failed > 1)) {
      lost = true;
      say(urgent, [page.lost]);
    }
    setTimeout(connect, AGAIN_MS * Math.min(failed, 5));
  };
}

function leave() {
  source?.close();
  source = null;
}

function end(why) {
  leave();
  over = true;
  say(urgent, [why]);
}

// A browser has six connections to a table: a hidden page closes its own, and gets what it missed
// when it is shown again.
document.addEventListener("visibilitychange", () => (document.hidden ? leave() : connect()));

// --- actions -------------------------------------------------------------------------------------

// Send ``body``. Returns the table's answer, which is also shown, or null if there is none.
export async function send(body) {
  // Remove older sentences: they must not stand beside the answer.
  for (const region of [urgent, polite]) if (!pending.has(region)) empty(region);
  body.set("page", document.documentElement.lang);
  let answer;
  let why = page.unsent;
  try {
    const response = await fetch("do", {
      method: "POST",
      body,
      headers: { accept: "application/json" },
    });
    why = { 401: page.revoked, 410: page.displaced }[response.status] ?? why;
    answer = await response.json();
    // The page's own action does not make its next one late.
    page.seen = response.headers.get("game-seen") || page.seen;
    stampForms();
    const lang = response.headers.get("content-language");
    answer.said = answer.said.map((one) => (typeof one === "string" ? [[one, lang]] : one));
  } catch {
    say(urgent, [why]);
    return null;
  }
  say(answer.refused ? urgent : polite, answer.said);
  const detail = { ...answer, act: body.get("act") };
  document.dispatchEvent(new CustomEvent("answered", { detail }));
  return answer;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if ("plain" in form.dataset) return;
  event.preventDefault();
  const answer = await send(new URLSearchParams(new FormData(form, event.submitter)));
  if (answer && !answer.refused) {
    // A change may have replaced the form before the answer came.
    const here = (one) => (!one || one.isConnected ? one : document.getElementById(one.id));
    for (const sent of form.querySelectorAll("input:not([type=hidden]), select")) {
      const field = here(sent);
      if (field?.type === "checkbox") field.checked = false;
      else if (field?.value === sent.value) field.value = preset(field);
    }
    const step = here(form.closest("details.step"));
    if (step?.open) {
      step.open = false;
      step.querySelector("summary").focus();
    }
    (form.isConnected ? form : document).dispatchEvent(new CustomEvent("done", { bubbles: true }));
  }
});

// The bar with the messages stays on top, and on a phone the next step at the bottom; scroll, so
// that they never cover the focused element. Long messages do not stay on top.
const bar = document.getElementById("messages").closest(".bar");
const next = document.getElementById("next");

function padding() {
  const long = bar.offsetHeight > innerHeight / 3;
  bar.classList.toggle("long", long);
  const stays = next && getComputedStyle(next).position === "sticky";
  const root = document.documentElement.style;
  root.scrollPaddingTop = `${long ? 12 : bar.offsetHeight + 12}px`;
  root.scrollPaddingBottom = `${stays ? next.offsetHeight + 12 : 12}px`;
}

const sizes = new ResizeObserver(padding);
for (const one of [bar, next]) if (one) sizes.observe(one);
addEventListener("resize", padding);
stampForms();
connect();
