// What a device keeps for its reader, by the name of the store: "localStorage" for good,
// "sessionStorage" for this tab. A browser may keep nothing; then it lasts until the page is left.

export function kept(store, key, otherwise) {
  try {
    return JSON.parse(window[store].getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(store, key, value) {
  try {
    window[store].setItem(key, JSON.stringify(value));
  } catch {
    // As above.
  }
}
