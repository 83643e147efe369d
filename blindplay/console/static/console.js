// Keeps a page as the table has it. Without this script everything still works: forms are sent,
// and the page comes anew.
//
// What else belongs to a page listens to these events on the document: "changed", with the parts
// that are new; "time", with the table's time in ms; "said", with what everybody is
// told; "answered", with what came of an action; and "done" on a form whose action was not refused.

export const page = document.body.dataset;
export const polite = document.getElementById("polite");
export const urgent = document.getElementById("urgent");
let place = page.place;

// --- saying ------------------------------------------------------------------------------------

const pending = new Map();

// The element of a sentence: a text in the page's language, or [text, language].
export function worded(sentence) {
  const [text, lang] = [sentence].flat();
  const span = document.createElement("span");
  span.textContent = text;
  if (lang && lang !== document.documentElement.lang) span.lang = lang;
  return span;
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

// Its place is kept for what comes: what is below must not move under a finger.
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

// --- what changes ------------------------------------------------------------------------------

// What a field holds before anybody has touched it.
function preset(field) {
  if (field.tagName !== "SELECT") return field.getAttribute("value") ?? "";
  const options = [...field.options];
  return (options.find((one) => one.defaultSelected) ?? options[0])?.value ?? "";
}

// Whether something is pressed now, and the changes that wait for its release: a button that goes or
// moves away meanwhile would lose its click, and what is clicked must bear the stamp of what was seen.
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
  forgotten = setTimeout(release, 2000); // what is let go outside the window is not told
}, true);
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => setTimeout(release), true);
}

function replace(name, html) {
  const section = document.getElementById(name);
  if (!section) return;
  const active = section.contains(document.activeElement) ? document.activeElement : null;
  const typed = new Map();
  for (const field of section.querySelectorAll("input[id], select[id]")) {
    if (field.value !== preset(field)) typed.set(field.id, field.value);
  }
  const opened = [...section.querySelectorAll("details[id][open]")].map((one) => one.id);
  section.innerHTML = html;
  section.hidden = !html.trim();
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  for (const [id, value] of typed) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
  if (active) {
    // Where what had the focus is gone, its part's heading is the nearest place.
    const same = active.id ? document.getElementById(active.id) : null;
    const there = same?.checkVisibility?.() ?? same;
    const heading = section.querySelector("h2") ?? document.getElementById("main");
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
  for (const [name, html] of Object.entries(change.parts)) replace(name, html);
  page.seen = change.seen;
  stampForms();
  document.dispatchEvent(new CustomEvent("changed", { detail: change.parts }));
  const told = (which) => change.told.filter(which).map(([sentence]) => sentence);
  say(urgent, told(([, now]) => now));
  say(polite, told(([, now]) => !now));
  if (change.whole) say(polite, standing());
  document.dispatchEvent(new CustomEvent("said", { detail: told(() => true) }));
}

// How the game stands, for a page that cannot be told what it missed.
function standing() {
  const told = document.querySelectorAll("main .status, main .announced");
  return [...told].map((one) => [one.textContent.trim(), one.closest("[lang]").lang]);
}

const AGAIN_MS = 1000;
let lost = false;
let failed = 0; // attempts in a row
let over = false; // nothing will come any more
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
    if (source !== mine) return; // it has been left
    leave();
    let status = 0;
    try {
      const signal = AbortSignal.timeout(5000);
      status = (await fetch("", { method: "HEAD", redirect: "error", signal })).status;
    } catch {
      // The table cannot be reached; it is tried again below.
    }
    if (status === 401 || status === 410) {
      end(status === 401 ? page.revoked : page.displaced);
      return;
    }
    failed += 1;
    // A stream that just ended, where the page itself can be had, is nothing to tell at once.
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

// A browser has six connections to a table: a page that nobody sees leaves its own to others, and
// is given what it missed when it is seen again.
document.addEventListener("visibilitychange", () => (document.hidden ? leave() : connect()));

// --- doing -------------------------------------------------------------------------------------

// Do what ``body`` says; gives the table's answer, which has been said, or null if there was none.
export async function send(body) {
  // Who acts has taken note of what was said; what is past does not stand beside the answer.
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
    // What he has just done himself does not make him late.
    page.seen = response.headers.get("game-seen") || page.seen;
    stampForms();
    const lang = response.headers.get("content-language");
    answer.said = answer.said.map((text) => [text, lang]);
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
    // What came of it may have renewed the form before the answer was here.
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

// What has the focus is never under the messages, which stay on top; those as long as a position
// do not.
new ResizeObserver(([{ target }]) => {
  const long = target.offsetHeight > innerHeight / 3;
  target.classList.toggle("long", long);
  document.documentElement.style.scrollPaddingTop = `${long ? 12 : target.offsetHeight + 12}px`;
}).observe(document.getElementById("messages"));
stampForms();
connect();
