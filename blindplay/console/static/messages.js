// The two live regions of a page. Each sentence holds while what it rests on stays as it is, for a
// while, or until its reader has read it. Then it disappears.

import { afterRelease } from "./pointers.js";

export const page = document.body.dataset;
export const polite = document.getElementById("polite");
export const urgent = document.getElementById("urgent");
const read = document.getElementById("read");

// What a sentence rests on if it is outdated after a while; and if it stands until its reader has
// read it: until they close it, do something else, or something newer is refused.
export const BRIEF = { time: "" };
export const UNREAD = { unread: "" };
// What holds now, by aspect: of the game, as the table says, of this page's connection, and which of
// the refusals that nobody has read is the newest.
const state = { connection: "", ...UNREAD, ...JSON.parse(page.state) };
const pending = new Map();
const shown = new WeakMap(); // what each shown sentence rests on

const BRIEF_MS = 10_000;
const CHARACTER_MS = 60;

const isUnread = (one) => "unread" in shown.get(one);
const isResult = (one) => Object.keys(shown.get(one)).join() === "result";
const unread = () => [...urgent.children].filter(isUnread);

// What a sentence rests on that holds while these aspects stay as they are now.
export function now(...aspects) {
  return Object.fromEntries(aspects.map((name) => [name, state[name] ?? ""]));
}

const holds = (rests) => Object.entries(rests).every(([name, was]) => (state[name] ?? "") === was);

// From now on these aspects are so. Sentences that rested on others disappear.
export function set(aspects) {
  // At the end of the game, what was said before has passed.
  const ends = aspects.result && !state.result;
  Object.assign(state, aspects);
  drop((one) => !holds(shown.get(one)) || (ends && !isUnread(one)));
}

// Remove the sentences that are outdated.
function drop(isOutdated) {
  for (const region of [urgent, polite]) {
    for (const one of [...region.children]) if (isOutdated(one)) remove(one);
    if (!region.children.length && !pending.has(region)) {
      region.textContent = "";
      region.style.minHeight = "";
    }
  }
  look();
}

// How the messages look: what the page itself says is read out and not shown once more, and after
// the game nothing is alarming.
function look() {
  const said = [...document.querySelectorAll(SAYS)].filter(isInView).map((one) => one.textContent);
  for (const one of [...urgent.children, ...polite.children]) {
    const text = one.textContent.trim();
    one.classList.toggle("unseen", said.some((known) => known.includes(text)));
  }
  urgent.classList.toggle("calm", Boolean(state.result));
  const none = unread().every((one) => one.classList.contains("unseen"));
  if (none && read === document.activeElement) leave();
  read.hidden = none;
}

// What says on the page how things stand.
const SAYS = `main :is(
  .status, #next-heading:not(.unseen), .result + p, .offered, .pending, .refused, .why
)`;

function isInView(one) {
  const { top, bottom } = one.getBoundingClientRect();
  return bottom > top && bottom > 0 && top < innerHeight;
}

document.addEventListener("changed", look);

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

// Say sentences that all rest on the same aspects, with their values as they were.
export function say(region, sentences, rests = BRIEF) {
  tell(region, sentences.map((one) => [one, rests]));
}

// Say sentences, each with what it rests on. A live region is emptied and refilled, so that equal
// sentences are read again. The result, and a refusal that nobody has read, stay without being read
// out once more; with ``beside`` all that stands there does.
export function tell(region, sentences, beside = false) {
  if (!sentences.length) return;
  const queue = pending.get(region);
  if (queue) {
    queue.push(...sentences);
  } else {
    pending.set(region, [...sentences]);
    empty(region, (one) => beside || isUnread(one) || isResult(one));
    setTimeout(() => afterRelease(() => fill(region)), 150);
  }
  const refusal = sentences.findLast(([, rests]) => "unread" in rests);
  if (refusal) set({ unread: refusal[1].unread });
}

// Remove what stands there: it must not stand beside the answer to a new action.
export function clear() {
  for (const region of [urgent, polite]) if (!pending.has(region)) empty(region);
}

// An empty message keeps its room, so that nothing below it moves under a finger.
function empty(region, keeps = () => false) {
  region.style.minHeight = `${region.offsetHeight}px`;
  for (const one of [...region.children]) if (!keeps(one)) remove(one);
  if (!region.children.length) region.textContent = "";
  look();
}

// Remove a sentence, and the space after it.
function remove(one) {
  if (one.nextSibling?.nodeType === Node.TEXT_NODE) one.nextSibling.remove();
  one.remove();
}

// Close what has been read. The focus goes back to where it was.
let before = null;
read.addEventListener("focus", ({ relatedTarget }) => (before = relatedTarget));
read.addEventListener("click", () => drop(isUnread));

function leave() {
  (before?.isConnected ? before : document.getElementById("main")).focus({ preventScroll: true });
}

// Where a message is longer than its room, the focus can open it, and Escape closes it again.
function fold() {
  for (const region of [urgent, polite]) {
    if (region === document.activeElement) continue;
    if (region.scrollHeight > region.clientHeight + 1) region.tabIndex = 0;
    else region.removeAttribute("tabindex");
  }
}

for (const region of [urgent, polite]) {
  new MutationObserver(fold).observe(region, { childList: true });
  region.addEventListener("blur", fold);
  region.addEventListener("keydown", ({ key }) => key === "Escape" && region.blur());
}
addEventListener("resize", fold);
fold();

function fill(region) {
  const found = pending.get(region).filter(([, rests]) => holds(rests));
  const spans = found.map(([sentence, rests]) => stand(worded(sentence), rests));
  region.prepend(...spans.flatMap((span) => [span, " "]));
  pending.delete(region);
  for (const one of [urgent, polite]) if (!pending.has(one)) one.style.minHeight = "";
  look();
}

// ``span`` stands on the page from now on, with what it rests on.
function stand(span, rests) {
  shown.set(span, rests);
  if ("time" in rests) {
    const end = () => drop((one) => one === span);
    const ends = () => (busy(span.parentElement) ? setTimeout(ends, 1000) : end());
    setTimeout(ends, BRIEF_MS + CHARACTER_MS * span.textContent.length);
  }
  return span;
}

// Whether somebody is reading there.
const busy = (region) => region?.matches(":focus, :hover");

// What stood on the page when it was loaded.
for (const one of urgent.children) stand(one, one.dataset.while ? now(one.dataset.while) : UNREAD);
for (const one of polite.children) stand(one, BRIEF);
look();
