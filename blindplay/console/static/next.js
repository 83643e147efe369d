// The next step without a pointer. Keys that no screen reader uses, from anywhere on the page:
//   Ctrl+Enter does the next step; F2 goes to the field for a move; F8 presses the clock
// Letters and keys with Alt would collide with screen readers and with menus.
//
// While the focus is on the next step it stays there: when another step is due, it goes to what
// does it. It does not after a touch, because a field with the focus opens a phone's keyboard.

const due = () => document.querySelector("button.main");
let touched = false;
let shown = kind();

function kind() {
  return document.querySelector("#next [data-state]")?.dataset.state;
}

// Unfold what holds an element, and focus it; what stands in a field is selected.
function go(element) {
  for (let one = element?.closest("details"); one; one = one.parentElement.closest("details")) {
    one.open = true;
  }
  element?.focus();
  element?.select?.();
}

const KEYS = {
  "Enter": () => {
    const field = due()?.form.querySelector("input:not([type=hidden])");
    if (field && !field.value) go(field);
    else due()?.click();
  },
  "F2": () => go(document.getElementById("text") ?? document.getElementById("seal")),
  "F8": () => document.getElementById("press")?.click(),
};

document.addEventListener("keydown", (event) => {
  touched = false;
  // A key that is held down would do one step after the other.
  if (event.repeat && event.key === "Enter" && event.target.closest?.("button, input")) {
    event.preventDefault();
  }
  if (event.repeat || event.altKey || event.metaKey || event.shiftKey || event.isComposing) return;
  if (event.ctrlKey !== (event.key === "Enter") || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});
document.addEventListener("pointerdown", (event) => {
  touched = event.pointerType === "touch";
}, true);

document.addEventListener("changed", () => {
  const before = shown;
  shown = kind();
  const next = document.getElementById("next");
  if (shown === before || touched || !next?.contains(document.activeElement)) return;
  const first = next.querySelector("[data-first]");
  first?.focus({ preventScroll: true });
  first?.select?.(); // what was sent may still stand there
});
