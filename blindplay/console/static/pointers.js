// What waits until nothing is pressed: a button that moves meanwhile would lose its click, and its form
// must send the stamp of the game that was seen.

const LONGEST_MS = 5000; // some hands press slowly, and of some releases no event tells
const down = new Set(); // the pointers that are
const waiting = [];
let forgotten = 0;

// Do it now or, if something is pressed, after its release.
export function afterRelease(act) {
  if (down.size) waiting.push(act);
  else act();
}

function release(...pointers) {
  for (const one of pointers) down.delete(one);
  if (down.size) return;
  clearTimeout(forgotten);
  for (const act of waiting.splice(0)) act();
}

document.addEventListener("pointerdown", ({ pointerId }) => {
  down.add(pointerId);
  clearTimeout(forgotten);
  forgotten = setTimeout(() => release(...down), LONGEST_MS);
}, true);
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, ({ pointerId }) => setTimeout(release, 0, pointerId), true);
}
// It was released outside the window.
document.addEventListener("pointermove", ({ pointerId, buttons }) => {
  if (!buttons && down.has(pointerId)) release(pointerId);
}, true);
