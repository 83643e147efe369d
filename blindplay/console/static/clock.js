// Keeps the clocks of a page going between two messages of the table; see time.js.

import { page } from "./console.js";
import { showClocks } from "./time.js";

let ahead = Number(page.now) - performance.now(); // ms by which the table's time is ahead
const show = () => showClocks(performance.now() + ahead);

document.addEventListener("time", (event) => {
  ahead = event.detail - performance.now();
  show();
});
document.addEventListener("changed", show);
setInterval(show, 200);
show();
