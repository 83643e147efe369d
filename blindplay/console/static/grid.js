// The keyboard's way over boards. A letter leads to the next piece of its kind; if there is none, the
// document gets "none" with the words for it.

const KINDS = ["king", "queen", "rook", "bishop", "knight", "pawn"]; // as data-letters names them

export const boards = () => document.querySelectorAll(".board[role=grid]");
const squares = (here) => [...here.querySelectorAll("[data-square]")];
export const square = (here, name) => here.querySelector(`[data-square="${name}"]`);

const standing = new Map(); // board's place among the page's boards: the name of its square

// The tab key reaches one square of a board; arrow keys move on from it.
export function stand(here, name) {
  const all = squares(here);
  const found = (name && square(here, name)) || all[0];
  for (const one of all) one.tabIndex = one === found ? 0 : -1;
  standing.set([...boards()].indexOf(here), found?.dataset.square);
  return found;
}

// The square to which a key leads from the one at ``at``; undefined if it leads to none.
function led(event, all, at) {
  const column = at % 8;
  if (event.ctrlKey) return { Home: all[0], End: all.at(-1) }[event.key];
  const to = {
    ArrowLeft: column > 0 ? at - 1 : at,
    ArrowRight: column < 7 ? at + 1 : at,
    ArrowUp: at - 8,
    ArrowDown: at + 8,
    Home: at - column,
    End: at - column + 7,
  }[event.key];
  return to === undefined ? to : (all[to] ?? all[at]);
}

// The next square with a piece of the kind whose letter was pressed; null if there is none, and
// undefined if the key is no such letter. On a board where letters ask questions, none is.
function lettered(key, here, all, at) {
  if (here.closest("[role=application]")) return undefined;
  const kind = key.length === 1 ? here.dataset.letters.indexOf(key.toLowerCase()) : -1;
  if (kind < 0) return undefined;
  const ahead = [...all.slice(at + 1), ...all.slice(0, at + 1)];
  const found = ahead.find((one) => one.dataset.piece?.endsWith(`-${KINDS[kind]}`));
  const name = here.dataset.names.split("|")[kind];
  if (!found) {
    const detail = here.dataset.none.replace("{piece}", name);
    document.dispatchEvent(new CustomEvent("none", { detail }));
  }
  return found ?? null;
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey) return;
  const here = event.target.closest?.(".board[role=grid]");
  const button = event.target.closest?.("[data-square]");
  if (!here || !button) return;
  const all = squares(here);
  const at = all.indexOf(button);
  let to = led(event, all, at);
  if (to === undefined && !event.ctrlKey) to = lettered(event.key, here, all, at);
  if (to === undefined) return;
  event.preventDefault();
  if (to) stand(here, to.dataset.square).focus();
});

document.addEventListener("changed", () => {
  [...boards()].forEach((here, number) => stand(here, standing.get(number)));
});

for (const here of boards()) stand(here, null);
