// The two live regions of a page. A sentence disappears when what it rests on no longer holds.

export const page = document.body.dataset;
export const polite = document.getElementById("polite");
export const urgent = document.getElementById("urgent");

// What holds now, by aspect: of the game, as the table says, and of this page's connection.
const state = { connection: "", ...JSON.parse(page.state) };
const pending = new Map();
const shown = new WeakMap(); // what each shown sentence rests on
let held = false; // something is pressed: nothing may move

export function now(...aspects) {
  return Object.fromEntries(aspects.map((name) => [name, state[name] ?? ""]));
}

const holds = (rests) => Object.entries(rests).every(([name, was]) => (state[name] ?? "") === was);

// From now on these aspects are so. Sentences that rested on others disappear.
export function set(aspects) {
  // At the end of the game, what was said before has passed.
  if (aspects.result && !state.result) {
    for (const region of [urgent, polite]) if (!pending.has(region)) empty(region);
  }
  Object.assign(state, aspects);
  for (const region of [urgent, polite]) {
    for (const one of [...region.children]) if (!holds(shown.get(one) ?? {})) one.remove();
    if (!region.children.length && !pending.has(region)) {
      region.textContent = "";
      region.style.minHeight = "";
    }
  }
}

// While ``is``, no message is replaced.
export function hold(is) {
  held = is;
}

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
export function say(region, sentences, rests = {}) {
  tell(region, sentences.map((one) => [one, rests]));
}

// Say sentences, each with what it rests on. A live region is emptied and refilled, so that equal
// sentences are read again.
export function tell(region, sentences) {
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

// Remove what stands there: it must not stand beside the answer to a new action.
export function clear() {
  for (const region of [urgent, polite]) if (!pending.has(region)) empty(region);
}

// An empty message keeps its room, so that nothing below it moves under a finger.
function empty(region) {
  region.style.minHeight = `${region.offsetHeight}px`;
  region.textContent = "";
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
  if (held) {
    setTimeout(fill, 50, region);
    return;
  }
  const found = pending.get(region).filter(([, rests]) => holds(rests));
  const spans = found.map(([sentence, rests]) => {
    const span = worded(sentence);
    shown.set(span, rests);
    return span;
  });
  region.replaceChildren(...spans.flatMap((span) => [span, " "]));
  pending.delete(region);
  for (const one of [urgent, polite]) if (!pending.has(one)) one.style.minHeight = "";
}
