// Shows the lists of an event page by page, for a projector that nobody attends. It stops under
// reduced motion, and at a key or a press; it fetches the lists anew, and says how old they are.

import { find, lose } from "./told.js";

const SHOW_MS = 12_000;
const AGAIN_MS = 10_000;
const body = document.body;
const lists = document.getElementById("lists");
const [go, next, number, age] = ["go", "next", "page", "age"].map((id) => document.getElementById(id));
const still = matchMedia("(prefers-reduced-motion: reduce)");
let pages = [];
let at = 0;
let goes = !still.matches;
let timer = 0;
const footer = document.querySelector("footer");
let below = 0; // the height of the footer that the pages are divided for
// The moment when the hall heard its tables last; NaN if it has heard none.
let heard = Number(body.dataset.age) < 0 ? NaN : performance.now() - Number(body.dataset.age) * 1000;

// As many rows of each list for a page as the window holds: [section, first row, row after the last].
function divide() {
  pages = [];
  below = footer.offsetHeight;
  const room = innerHeight - below - 8;
  for (const section of lists.children) {
    const rows = show(section, 0, Infinity);
    let first = 0;
    let top = rows[0]?.getBoundingClientRect().top ?? 0;
    const begin = top;
    rows.forEach((row, place) => {
      const box = row.getBoundingClientRect();
      if (place > first && box.bottom - top + begin > room) {
        pages.push([section, first, place]);
        [first, top] = [place, box.top];
      }
    });
    pages.push([section, first, Infinity]);
  }
  at = Math.min(at, pages.length - 1);
}

function show(section, first, last) {
  for (const one of lists.children) one.hidden = one !== section;
  const rows = [...section.querySelectorAll("tbody tr")];
  rows.forEach((row, place) => (row.hidden = place < first || place >= last));
  return rows;
}

function turn(by) {
  at = (at + by + pages.length) % pages.length;
  show(...pages[at]);
  scrollTo(0, 0);
  number.textContent = body.dataset.shown.replace("{page}", at + 1).replace("{pages}", pages.length);
}

function run(on) {
  goes = on;
  clearInterval(timer);
  if (goes) timer = setInterval(turn, SHOW_MS, 1);
  go.textContent = goes ? go.dataset.stop : go.dataset.go;
}

function again() {
  divide();
  turn(0);
}

// In a narrow window what the footer says may need more lines than it did.
function fit() {
  if (footer.offsetHeight > below) again();
}

async function fetchAnew() {
  try {
    const answer = await fetch("", { signal: AbortSignal.timeout(AGAIN_MS) });
    if (!answer.ok) throw new Error(answer.status);
    const anew = new DOMParser().parseFromString(await answer.text(), "text/html");
    const seconds = Number(anew.body.dataset.age);
    heard = seconds < 0 ? NaN : performance.now() - seconds * 1000;
    const html = anew.getElementById("lists").innerHTML;
    if (html !== fetchAnew.last) {
      lists.innerHTML = fetchAnew.last = html;
      again();
    }
    find();
  } catch {
    lose();
  }
}

function sayAge() {
  const seconds = Math.round((performance.now() - heard) / 1000);
  const text = Number.isNaN(heard) ? body.dataset.unheard : body.dataset.heard.replace("{seconds}", seconds);
  if (age.textContent !== text) age.textContent = text;
  fit();
}

fetchAnew.last = lists.innerHTML;
body.classList.add("paged");
for (const one of [go, next, document.getElementById("keys")]) one.hidden = false;
go.addEventListener("click", () => run(!goes));
next.addEventListener("click", () => turn(1));
still.addEventListener("change", () => still.matches && run(false));
addEventListener("resize", again);
addEventListener("beforeprint", () => {
  for (const row of lists.querySelectorAll("[hidden]")) row.hidden = false;
});
addEventListener("afterprint", again);
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.key === "Tab") return;
  const by = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
  const control = event.target.closest("a, button") && ["Enter", " "].includes(event.key);
  if (control) return;
  run(event.key === " " ? !goes : false);
  if (by) turn(by);
  if (by || event.key === " ") event.preventDefault();
});
again();
run(goes);
sayAge();
setInterval(sayAge, 1000);
setInterval(fetchAnew, AGAIN_MS);
