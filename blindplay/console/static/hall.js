// The page of a hall: its filter, and tables that join. Without this script the filter's button
// loads the page again.

const rows = document.getElementById("tables");
const form = document.getElementById("filter");
const none = document.getElementById("none");
const { show, find, view } = form.elements;
const order = new Intl.Collator("en", { numeric: true }).compare;

function fits(row) {
  const groups = row.querySelector("[data-groups]").dataset.groups.split(" ");
  const wanted = find.value.trim().toLowerCase();
  const words = row.textContent.toLowerCase();
  return (!show.value || groups.includes(show.value)) && words.includes(wanted);
}

// The row in which the reader is stays, whatever it says now.
function filter() {
  for (const row of rows.children) {
    row.hidden = !fits(row) && !row.contains(document.activeElement);
  }
  none.hidden = [...rows.children].some((row) => !row.hidden);
}

function join(id, html) {
  const row = document.createElement(rows.dataset.row);
  row.id = id;
  row.innerHTML = html;
  rows.insertBefore(row, [...rows.children].find((one) => order(one.id, id) > 0) ?? null);
}

document.addEventListener("news", ({ detail }) => {
  for (const [name, html] of Object.entries(detail.parts)) {
    if (name.startsWith("t-") && !document.getElementById(name)) join(name, html);
  }
}, { capture: true });
document.addEventListener("changed", filter);

function choose() {
  filter();
  const query = new URLSearchParams(new FormData(form));
  history.replaceState(null, "", `?${query}`);
}

show.addEventListener("change", choose);
find.addEventListener("input", choose);
// The form's address names the field, which so gets the focus on the next page. There the bar must
// not cover it.
view.addEventListener("change", () => form.requestSubmit());
form.querySelector("button").hidden = true;
filter();
addEventListener("load", () => location.hash === "#view" && view.scrollIntoView({ block: "center" }));
