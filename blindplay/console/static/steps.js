// Left and right step through past positions wherever they mean nothing else. They do not lead there
// from a control that somebody uses.

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const at = event.target;
  if (at.closest("input, select, textarea, audio, [role=grid], [role=application]")) return;
  const past = document.querySelector("section.past");
  if (!past && !at.matches("body, main") && !at.closest(".board-tools")) return;
  const step = { ArrowLeft: past ? "past-earlier" : "look-back", ArrowRight: "past-later" };
  const link = document.getElementById(step[event.key]);
  if (!link) return;
  event.preventDefault();
  link.click();
});
