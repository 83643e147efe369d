// Clocks between two messages. A clock is an element with
//   data-left: the ms that were left at data-at, a time of the game in ms
//   data-runs: "yes" while it runs
// A screen reader does not read it by itself.

const LOW = 60_000; // ms

// 1:05:09, 4:59, 0:07; rounded down.
function shown(ms) {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

// Show all clocks of the page as they stand at ``now``.
export function showClocks(now) {
  for (const clock of document.querySelectorAll("[data-left]")) {
    const passed = clock.dataset.runs === "yes" ? Math.max(0, now - Number(clock.dataset.at)) : 0;
    const left = Number(clock.dataset.left) - passed;
    const text = shown(left);
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("low", left < LOW);
  }
}
