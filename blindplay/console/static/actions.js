// Actions: they are sent once, and a page that gets no answer asks what became of its action.
// data-action of the body is "sending" until an answer comes. After trouble with the connection it
// is "taken" or "not-taken" until the next action.
//
// Gives the document "answered", with the result of an action, and a form, or the document if the
// form is gone, "done" if its action was not refused.

import { find, lose, shutOut } from "./connection.js";
import { BRIEF, clear, now, page, polite, say, tell, UNREAD, urgent } from "./messages.js";
import { mark } from "./fields.js";
import { preset } from "./parts.js";

const ASK_MS = 1500;
// How often it is asked before the table is to forget an action that has not come.
const PATIENCE = 3;

page.action = "";

// The response to a posted form: its status and headers, and the answer in it, if there is one.
async function post(path, body, signal) {
  const accept = { accept: "application/json" };
  const response = await fetch(path, { method: "POST", body, headers: accept, signal });
  const { status, headers } = response;
  const text = await response.text();
  const told = headers.get("content-type")?.startsWith("application/json");
  return { status, headers, answer: told ? JSON.parse(text) : null };
}

// The same in all browsers, also without encryption.
function newId() {
  const numbers = crypto.getRandomValues(new Uint32Array(4));
  return `${page.run}-${[...numbers].map((one) => one.toString(36)).join("")}`;
}

// Send an action. Resolves with the table's response, or with what is known without one: "taken"
// is false if it was not taken and never will be, null if nobody knows.
function exchange(body) {
  const sent = new AbortController();
  let asking = new AbortController();
  let asked = 0;
  let heard = false; // the table has answered anything since
  let cut = false; // the action itself gets no answer any more
  let late = false; // its reader has been told that there is no answer
  return new Promise((resolve) => {
    const timer = setInterval(ask, ASK_MS);

    function done(result) {
      clearInterval(timer);
      sent.abort();
      asking.abort();
      resolve(result);
    }

    function miss() {
      late = true;
      lose("action", page.sending);
    }

    async function ask() {
      asking.abort();
      if (asked && !heard) miss();
      asked += 1;
      heard = false;
      asking = new AbortController();
      const query = new URLSearchParams({ id: body.get("id"), page: document.documentElement.lang });
      if (cut || asked > PATIENCE) query.set("void", "yes");
      let response;
      try {
        response = await post("settle", query, asking.signal);
      } catch {
        return;
      }
      heard = true;
      find("action");
      if (response.status === 200 || response.status === 401 || response.status === 410) {
        done({ response, late });
      } else if (response.status === 205) {
        done({ taken: false });
      } else if (response.status === 404) {
        done({ taken: null });
      }
    }

    post("do", body, sent.signal).then(
      (response) => {
        if (response.status !== 208) done({ response, late });
      },
      () => {
        if (sent.signal.aborted) return;
        cut = true;
        miss();
      },
    );
  });
}

// Send ``body``. Returns the table's answer, which is also shown, or null if there is none.
export async function send(body) {
  clear();
  page.action = "sending";
  body.set("id", newId());
  body.set("page", document.documentElement.lang);
  const mine = body.get("id");
  page.doing = mine;
  const before = page.seen;
  const { response, late, taken } = await exchange(body);
  find("action");
  const known = late ? "taken" : taken === false ? "not-taken" : "";
  if (page.doing === mine) page.action = known;
  if (!response) {
    say(urgent, [taken === null ? page.maybeTaken : page.notTaken], UNREAD);
    return null;
  }
  if (shutOut(response.status)) return null;
  const { answer } = response;
  if (!answer) {
    say(urgent, [page.unsent], UNREAD);
    return null;
  }
  // The page's own action does not make its next one late. A change that came meanwhile may be newer
  // than this answer, and if it is not, that of the action follows.
  if (page.seen === before) page.seen = response.headers.get("game-seen") || page.seen;
  stampForms();
  const lang = response.headers.get("content-language");
  answer.said = answer.said.map((one) => (typeof one === "string" ? [[one, lang]] : one));
  const last = answer.due ? answer.said.length - 1 : -1; // holds while that step is due
  const rests = (at) => (answer.refused ? (at === last ? now("step") : UNREAD) : BRIEF);
  const said = answer.said.map((one, at) => [one, rests(at)]);
  if (late && !answer.refused) said.unshift([page.taken, BRIEF]);
  tell(answer.refused ? urgent : polite, said, true); // what has been said meanwhile is news
  const detail = { ...answer, act: body.get("act") };
  document.dispatchEvent(new CustomEvent("answered", { detail }));
  return answer;
}

export function stampForms() {
  for (const field of document.querySelectorAll("input[name=seen]")) field.value = page.seen;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if ("plain" in form.dataset) return;
  event.preventDefault();
  const answer = await send(new URLSearchParams(new FormData(form, event.submitter)));
  if (!answer) return;
  // A change may have replaced the form before the answer came.
  const here = (one) => (!one || one.isConnected ? one : document.getElementById(one.id));
  if (answer.refused) {
    const field = answer.field && here(form.elements.namedItem(answer.field));
    if (field && field.type !== "hidden") mark(field, answer.said);
    return;
  }
  for (const sent of form.querySelectorAll("input:not([type=hidden]), select")) {
    const field = here(sent);
    if (field?.type === "checkbox") field.checked = false;
    else if (field?.value === sent.value) field.value = preset(field);
  }
  const step = here(form.closest("details.step"));
  if (step?.open) {
    const at = document.activeElement; // a reader who has moved elsewhere meanwhile stays there
    const stays = at !== document.body && !step.contains(at);
    step.open = false;
    if (!stays) step.querySelector("summary").focus();
  }
  (form.isConnected ? form : document).dispatchEvent(new CustomEvent("done", { bubbles: true }));
});
