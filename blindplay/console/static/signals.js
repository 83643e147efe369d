// Signals when it is the reader's turn: a sound, a vibration, a border. Each is off until it is chosen,
// and the choice is kept on this device. The part "signals" says with data-due whether it is the
// reader's turn.

import { keep, kept } from "./kept.js";
import { page } from "./messages.js";

const KEY = "signals";
const SIGNALS = ["sound", "vibration", "border"]; // the other choices are about moves
const NOTES = [880, 1320]; // Hz
const NOTE_S = 0.15;
const BUZZ_MS = [200, 100, 200];
let chosen = choices();
let sounds = null; // browsers allow a sound only after a key or a touch
let due = isDue();

function choices() {
  return new Set(kept("localStorage", KEY, []));
}

function isDue() {
  return document.getElementById("signals-choice")?.dataset.due === "yes";
}

// A part that was replaced shows the choice again.
function show() {
  const choice = document.getElementById("signals-choice");
  if (!choice) return;
  choice.hidden = document.getElementById("signals-heading").hidden = false;
  for (const box of choice.querySelectorAll("[data-signal]")) {
    box.checked = chosen.has(box.dataset.signal);
    if (box.dataset.signal === "vibration") box.closest("label").hidden = !navigator.vibrate;
  }
  // With a signal chosen, a page that is not in view stays connected.
  page.signals = SIGNALS.some((name) => chosen.has(name)) ? "on" : "off";
}

// --- the signals ----------------------------------------------------------------------------

async function sound() {
  sounds ??= new AudioContext();
  if (sounds.state === "suspended") await sounds.resume();
  NOTES.forEach((hertz, number) => {
    const [tone, volume] = [sounds.createOscillator(), sounds.createGain()];
    const begins = sounds.currentTime + number * NOTE_S;
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.3, begins);
    volume.gain.exponentialRampToValueAtTime(0.001, begins + NOTE_S);
    tone.connect(volume).connect(sounds.destination);
    tone.start(begins);
    tone.stop(begins + NOTE_S);
  });
}

// A short, low sound for a move.
export function knock() {
  if (!chosen.has("moves")) return;
  sounds ??= new AudioContext();
  if (sounds.state === "suspended") return; // no key and no touch yet
  const [tone, volume] = [sounds.createOscillator(), sounds.createGain()];
  tone.type = "triangle";
  tone.frequency.value = 180;
  volume.gain.setValueAtTime(0.3, sounds.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, sounds.currentTime + 0.08);
  tone.connect(volume).connect(sounds.destination);
  tone.start();
  tone.stop(sounds.currentTime + 0.08);
}

// The border stays until the turn is over; see signals.css for how it flashes.
function border(on) {
  document.body.classList.remove("signalled");
  if (!on) return;
  document.body.getBoundingClientRect(); // so that it flashes again
  document.body.classList.add("signalled");
}

function signal() {
  page.signalled = String(Number(page.signalled ?? 0) + 1);
  if (chosen.has("sound")) sound();
  if (chosen.has("vibration")) navigator.vibrate?.(BUZZ_MS);
  border(chosen.has("border"));
}

// --- when -----------------------------------------------------------------------------------

document.addEventListener("changed", () => {
  show();
  const before = due;
  due = isDue();
  if (due && !before) signal();
  if (!due) border(false);
});

document.addEventListener("change", (event) => {
  const name = event.target.dataset?.signal;
  if (!name) return;
  if (event.target.checked) chosen.add(name);
  else chosen.delete(name);
  keep("localStorage", KEY, [...chosen]);
  show();
  border(due && chosen.has("border"));
});

document.addEventListener("click", (event) => {
  if (event.target.closest("#signal-try")) signal();
});

// The first key or touch lets a sound be heard later.
for (const kind of ["pointerdown", "keydown"]) {
  document.addEventListener(
    kind,
    () => {
      if (chosen.has("sound") || chosen.has("moves")) (sounds ??= new AudioContext()).resume();
    },
    { once: true },
  );
}

addEventListener("storage", (event) => {
  if (event.key !== KEY) return; // another page on this device has changed it
  chosen = choices();
  show();
});
show();
