// Leads back to the page that this phone keeps; see mine.js.

import { kept } from "./kept.js";

const link = document.getElementById("kept");
const name = kept("localStorage", "mine", "");
if (name) {
  link.href += `?name=${encodeURIComponent(name)}`;
  link.textContent = link.dataset.words.replace("{name}", name);
  link.hidden = false;
}
