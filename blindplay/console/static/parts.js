// Puts new parts of a page into their places. What its reader has typed, chosen, ticked, unfolded,
// scrolled or focused there stays, even if it has moved to another part.

// The value of a field that nobody has touched.
export function preset(field) {
  if (field.tagName !== "SELECT") return field.getAttribute("value") ?? "";
  const options = [...field.options];
  return (options.find((one) => one.defaultSelected) ?? options[0])?.value ?? "";
}

const unfolded = new WeakSet(document.querySelectorAll("details[open]")); // by the table

// Each kind of what stays: where it is, what is kept of it, if anything, and how that comes back.
const STAYS = [
  ["input[id], select[id]",
    (field) => (field.value === preset(field) ? null : field.value),
    (field, value) => {
      field.value = value;
      if (field.selectedIndex === -1) field.value = preset(field); // that choice is gone
    }],
  ["[type=checkbox][id], [type=radio][id]",
    (box) => (box.checked === box.defaultChecked ? null : box.checked),
    (box, is) => (box.checked = is)],
  ["details[id]",
    (one) => (one.open === unfolded.has(one) ? null : one.open),
    (one, is) => (one.open = is)],
  [".scrolls[id]",
    (list) => (list.scrollTop ? [list.scrollTop, list.scrollHeight] : null),
    (list, [top, height]) => {
      // What is read stays in view: new rows come at the end that is in view by itself.
      list.scrollTop = top + Math.sign(top) * (list.scrollHeight - height);
    }],
];

// What is selected in a field of text; null if nothing can be.
function selection(field) {
  if (!field.select || field.selectionStart === null) return null;
  return [field.selectionStart, field.selectionEnd, field.selectionDirection];
}

// Replace the content of sections: [section, html] of each. The document gets "replaced" before the
// focus comes back: what a script has opened there can be opened again.
export function replace(changed) {
  const sections = changed.map(([section]) => section);
  const kept = STAYS.flatMap(([what, keep, back]) => sections.flatMap(
    (section) => [...section.querySelectorAll(what)].map((one) => [one.id, keep(one), back]),
  ));
  const home = sections.find((section) => section.contains(document.activeElement));
  const active = home && document.activeElement;
  const selected = active && selection(active);
  for (const [section, html] of changed) {
    section.innerHTML = html;
    section.hidden = !html.trim();
    for (const one of section.querySelectorAll("details[open]")) unfolded.add(one);
  }
  for (const [id, value, back] of kept) {
    const one = value === null ? null : document.getElementById(id);
    if (one) back(one, value);
  }
  document.dispatchEvent(new CustomEvent("replaced"));
  if (!active) return;
  // If the focused element is gone, or is now among what folds away elsewhere, the heading of its
  // part gets the focus. Nothing is scrolled: no person did anything here.
  const folded = active.matches("details > summary") ? active.parentElement.id : "";
  const same = document.getElementById(active.id)
    ?? document.getElementById(folded)?.querySelector(":scope > summary");
  const stays = same && (home.contains(same) || !same.closest("details"));
  const there = stays && (same.checkVisibility?.() ?? true);
  const heading = home.querySelector("h2[tabindex]") ?? document.getElementById("main");
  (there ? same : heading).focus({ preventScroll: true });
  if (there && selected) same.setSelectionRange?.(...selected);
}
