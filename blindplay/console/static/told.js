// What a page for everybody tells a screen reader, and whether it can still reach its table.

const polite = document.getElementById("polite");

// The element with the news, as [its words, its language]; null if it is not there or says nothing.
export function read(part, selector) {
  const found = part.querySelector(selector);
  const words = found?.textContent.trim();
  return words ? [words, found.closest("[lang]").lang] : null;
}

export const isSame = (one, other) => one?.[0] === other?.[0];

// Say these words, each in its language.
export function tell(parts) {
  polite.replaceChildren(...parts.flatMap(([words, lang], at) => {
    const span = document.createElement("span");
    span.textContent = words;
    if (lang !== document.documentElement.lang) span.lang = lang;
    return at ? [". ", span] : [span];
  }));
}

// A lost connection is said once: the same words again would be read again.
export function lose() {
  if (polite.textContent !== document.body.dataset.lost) polite.textContent = document.body.dataset.lost;
}

export function find() {
  if (polite.textContent === document.body.dataset.lost) polite.textContent = "";
}
