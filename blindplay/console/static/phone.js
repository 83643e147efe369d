// The phone of a player: its microphone is sent to the table. Everything else on the page is as on the
// other pages.
//
// data-phone of the body is "off", "asking", "connecting", "on", "away", "taken", "revoked" or "over";
// data-hears is what the table does with the sound: "", "soon", "yes", "silent", "shared" or "no".

import { packed } from "./adpcm.js";
import { keep, kept } from "./kept.js";
import { page } from "./messages.js";

const HEAD_BYTES = 9;
const [PCM, ADPCM] = [0, 1];
const MOST_BEHIND = 25; // packets that the table has not got: a second. Then the line is narrow
const MOST_KEPT = 50; // packets while the line is cut: two seconds
const MOST_UNSENT = 128 * 1024; // bytes that the browser has not sent
const AGAIN_MS = [200, 500, 1000, 2000];
const ENDS = { 4001: "taken", 4003: "revoked", 4004: "over" }; // as in console/phone.py

const KEY = "phone";
const MOST_SAID = 20; // sentences
const BRIEF_MS = 400; // a finger that is lifted sooner has tapped
const AFTER_MS = 500; // the click of a finger comes sooner after it was lifted
const MOST_AGO_MS = 5000; // as the table counts a press; see table/phones.py
const FEELS = { taken: [60], refused: [80, 80, 80, 80, 80], turn: [300] }; // ms of vibration

const IN_USE = ["connecting", "on", "away"];

const words = document.getElementById("phone").dataset;
// Where the table has no loudspeaker, the phone tells everything unless its player chooses otherwise.
const [EAR, USUAL] = words.alone === "yes" ? ["phone-ear-alone", ["sound", true]] : ["phone-ear", ["none", false]];
// The name of this phone, as long as its page is open or loaded again, and of this page's packets.
const [fresh, stream] = [0, 1].map(() => crypto.getRandomValues(new Uint32Array(1))[0].toString(36));
const run = kept("sessionStorage", KEY, "") || fresh;
let line = null;
let failed = 0;
let again = 0; // the timer of the next attempt
let joined = false; // this phone has had the seat
let microphone = null; // its stream
let recorder = null; // that turns it into packets
let heard = false; // there has been a microphone
let sounds = null; // the AudioContext
let number = 0;
let narrow = false; // the line: the sound is sent in a quarter of the bits
let lock = null; // that keeps the screen awake
const waiting = []; // packets
const presses = []; // that the table has not got
let silence = null; // that is played so that the headset's button is ours

function show(state, hears = page.hears ?? "") {
  page.phone = state;
  page.hears = hears;
  const key = state === "on" ? `hears${hears[0]?.toUpperCase() ?? ""}${hears.slice(1)}` : state;
  const place = document.getElementById("phone-state");
  if (place.textContent !== words[key]) place.textContent = words[key];
  const on = IN_USE.includes(state);
  const focused = document.activeElement;
  // Who has allowed the microphone meanwhile presses the first button again.
  document.getElementById("phone-start").hidden = ["asking", "over"].includes(state) || (on && (state !== "on" || microphone));
  document.getElementById("phone-stop").hidden = !on;
  document.getElementById("phone-keys").hidden = !on;
  // A screen reader that stood on a button which has gone would begin at the top of the page.
  if (focused?.closest("#phone [hidden]")) document.getElementById("phone-heading").focus();
}

function help(key) {
  document.getElementById("phone-help").textContent = key ? words[key] : "";
}

// --- the microphone -----------------------------------------------------------------------

// How a microphone is allowed in this browser.
function allowing() {
  const agent = navigator.userAgent;
  if (/iPhone|iPad/.test(agent) || (/Macintosh/.test(agent) && navigator.maxTouchPoints > 1)) return "allowIos";
  if (/Firefox/.test(agent)) return "allowFirefox";
  if (/Android/.test(agent)) return "allowAndroid";
  return /Safari/.test(agent) && !/Chrom/.test(agent) ? "allowSafari" : "allowDesktop";
}

async function listen() {
  if (!navigator.mediaDevices?.getUserMedia) {
    help(isSecureContext ? "noMicrophone" : "insecure");
    return;
  }
  const processing = words.processing === "yes";
  const audio = {
    channelCount: 1,
    echoCancellation: processing,
    noiseSuppression: processing,
    autoGainControl: processing,
  };
  try {
    microphone = await navigator.mediaDevices.getUserMedia({ audio });
  } catch (error) {
    help(["NotAllowedError", "SecurityError"].includes(error.name) ? allowing() : "noMicrophone");
    return;
  }
  help("");
  heard = true;
  const [track] = microphone.getAudioTracks();
  // The system takes the microphone away, for example for a call. The table notices the silence.
  track.addEventListener("ended", hearAgain);
  sounds ??= new AudioContext();
  if (sounds.state !== "running") resume();
  try {
    if (!sounds.recorder) await sounds.audioWorklet.addModule(words.recorder);
    sounds.recorder = true;
  } catch {
    track.stop();
    microphone = null;
    help("noMicrophone");
    return;
  }
  if (recorder) recorder.port.onmessage = null; // that of a microphone that has gone
  recorder = new AudioWorkletNode(sounds, "recorder", { numberOfOutputs: 0 });
  recorder.port.onmessage = ({ data }) => send(data);
  sounds.createMediaStreamSource(microphone).connect(recorder);
}

// Ask for the microphone again, and let the table listen to it.
async function listenAgain() {
  await listen();
  if (microphone) tell({ do: "listen" });
  show(page.phone);
}

// After the page was loaded again a browser may want a touch before it makes sound.
async function resume() {
  const late = setTimeout(() => help("touch"), 1000);
  await sounds.resume();
  clearTimeout(late);
  if (document.getElementById("phone-help").textContent === words.touch) help("");
}

let asking = false;

async function hearAgain() {
  if (!joined || document.hidden) return;
  if (sounds && sounds.state !== "running") resume();
  const gone = microphone ? microphone.getAudioTracks()[0].readyState === "ended" : heard;
  if (!gone || asking) return;
  asking = true;
  microphone = null;
  await listenAgain();
  asking = false;
}

function packet({ block, at, place }) {
  const sound = narrow ? packed(block) : new Uint8Array(block.buffer);
  const data = new Uint8Array(HEAD_BYTES + sound.length);
  const head = new DataView(data.buffer);
  head.setUint8(0, narrow ? ADPCM : PCM);
  head.setUint32(1, place);
  head.setUint32(5, at % 2 ** 32);
  data.set(sound, HEAD_BYTES);
  return data;
}

// Packets that cannot be sent now are sent as soon as they can; the oldest are given up.
function send(recorded) {
  waiting.push({ ...recorded, place: number });
  number += 1;
  if (waiting.length > MOST_KEPT) waiting.shift();
  flush();
}

function flush() {
  while (waiting.length && line?.ready && line.bufferedAmount < MOST_UNSENT) {
    line.send(packet(waiting.shift()));
  }
}

// --- the line -----------------------------------------------------------------------------

function tell(message) {
  if (line?.readyState === WebSocket.OPEN) line.send(JSON.stringify(message));
}

// The time of this phone in ms, or that of an event, as the table takes it.
function time(event) {
  const ago = event ? performance.now() - event.timeStamp : 0;
  return Math.round(Date.now() - ago) % 2 ** 32;
}

// Tell what was pressed, as soon as the table can be reached, unless that is too late. A talk button
// that was down comes up in any case.
function press(message, event) {
  const pressed = { ...message, at: time(event) };
  const counts = pressed.do === "press" || pressed.down === false;
  if (line?.ready) tell(pressed);
  else if (counts && ["connecting", "away"].includes(page.phone)) presses.push([Date.now(), pressed]);
}

function tellPresses() {
  for (const [at, pressed] of presses.splice(0)) {
    if (pressed.do === "talk") tell({ do: "talk", down: false });
    else if (Date.now() - at < MOST_AGO_MS) tell(pressed);
    else help("tooLate");
  }
}

// --- the buttons --------------------------------------------------------------------------

// Call ``pressed`` when a finger presses, and ``released`` with its time in ms when it is lifted. A
// screen reader or a key gives a click alone, with no pointer: then ``clicked`` is called.
function button(one, pressed, released, clicked) {
  let down = 0;
  let lifted = -AFTER_MS;
  one.addEventListener("pointerdown", (event) => {
    if (event.button || down) return;
    down = event.timeStamp;
    one.setPointerCapture?.(event.pointerId);
    pressed(event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    one.addEventListener(end, (event) => {
      if (!down) return;
      released(event, event.timeStamp - down);
      lifted = event.timeStamp;
      down = 0;
    });
  }
  one.addEventListener("click", (event) => {
    if (event.timeStamp - lifted >= AFTER_MS) clicked(event);
  });
  one.addEventListener("contextmenu", (event) => event.preventDefault());
}

const talk = document.getElementById("phone-talk");
button(
  talk,
  (event) => press({ do: "talk", down: true }, event),
  (event, held) => press({ do: "talk", down: false, briefly: held < BRIEF_MS }, event),
  (event) => press({ do: "talk" }, event),
);
const pressClock = (event) => press({ do: "press" }, event);
button(document.getElementById("phone-clock"), pressClock, () => {}, pressClock);

// The keys of a person who repeats prompts.
for (const one of document.querySelectorAll("#phone [data-key]")) {
  one.addEventListener("click", () => tell({ do: "key", key: one.dataset.key }));
}

// A headset's button, and the two-finger double tap of VoiceOver, belong to a page that plays sound.
async function ownHeadset() {
  const session = navigator.mediaSession;
  if (!session) return;
  silence ??= new Audio(words.silence);
  silence.loop = true;
  try {
    await silence.play();
  } catch {
    return; // no finger has touched the page yet
  }
  session.metadata = new MediaMetadata({ title: document.querySelector("h1").textContent });
  const said = () => press({ do: "talk" });
  for (const action of ["play", "pause"]) session.setActionHandler(action, said);
  session.setActionHandler("nexttrack", () => press({ do: "press" }));
}

const KEYS = { MediaPlayPause: "talk", MediaTrackNext: "press" };
document.addEventListener("keydown", (event) => {
  if (event.repeat || !(event.key in KEYS)) return;
  event.preventDefault();
  press({ do: KEYS[event.key] }, event);
});

function connect() {
  clearTimeout(again);
  const place = new URL("line", location.href);
  place.protocol = place.protocol.replace("http", "ws");
  const mine = new WebSocket(place);
  line = mine;
  mine.onopen = () => {
    tell({ run, stream, again: joined });
    if (microphone) tell({ do: "listen" });
    tellChoice();
    joined = mine.ready = true;
    keep("sessionStorage", KEY, run);
    failed = 0;
    show("on");
    tellPresses();
    flush();
  };
  mine.binaryType = "arraybuffer";
  mine.onmessage = ({ data }) => (typeof data === "string" ? take(JSON.parse(data)) : play(data));
  mine.onclose = ({ code }) => {
    if (line !== mine) return;
    line = null;
    if (ENDS[code]) {
      stop(ENDS[code]);
    } else if (page.phone !== "off") {
      show("away", "");
      again = setTimeout(connect, AGAIN_MS[Math.min(failed, AGAIN_MS.length - 1)]);
      failed += 1;
    }
  };
}

function take(message) {
  if ("ping" in message) tell({ pong: message.ping, at: time() });
  if (number - message.came > MOST_BEHIND) narrow = true;
  if ("say" in message) read(message.say);
  if ("hush" in message) hush();
  if ("ear" in message) showEar(message.ear);
  if ("feel" in message) navigator.vibrate?.(FEELS[message.feel]);
  if ("talks" in message) talk.setAttribute("aria-pressed", String(message.talks));
  if ("hears" in message) show(page.phone, message.hears);
  if ("tape" in message) {
    const key = { off: "tapeOff", table: "tapeTable", voices: "tapeVoices" }[message.tape];
    document.getElementById("phone-tape").textContent = words[key];
  }
}

// --- the ear ------------------------------------------------------------------------------

let playing = null;
const choice = {
  private: document.getElementById("phone-private"),
  public: document.getElementById("phone-public"),
};

// A sound: its number, four bytes, and an MP3. The table waits for its true end.
async function play(data) {
  const number = new DataView(data).getUint32(0);
  let played = false;
  try {
    if (sounds.state !== "running") resume();
    const buffer = await sounds.decodeAudioData(data.slice(4));
    hush();
    playing = new AudioBufferSourceNode(sounds, { buffer });
    const mine = playing;
    const ended = new Promise((done) => (mine.onended = done));
    mine.connect(sounds.destination);
    mine.start();
    const until = new Promise((done) => setTimeout(done, 2000 + 1000 * buffer.duration, "late"));
    played = (await Promise.race([ended, until])) !== "late";
  } catch {
    help("touch");
  }
  tell({ ended: number, played });
}

function hush() {
  playing?.stop();
  playing = null;
}

function read(text) {
  const said = document.getElementById("phone-said");
  const line = document.createElement("p");
  line.textContent = text;
  said.append(line);
  while (said.childElementCount > MOST_SAID) said.firstElementChild.remove();
}

function tellChoice() {
  tell({ do: "hear", private: choice.private.value, public: choice.public.checked });
  readOut(choice.private.value === "text" && choice.public.checked);
}

// What the table says to everybody is read out only where the table does not speak, or for those who
// want it: the microphone would hear the opponent's announcement once more, as the player's words.
function readOut(wanted) {
  const live = wanted ? null : "off";
  for (const name of ["urgent", "polite"]) {
    const region = document.getElementById(name);
    if (live) region.setAttribute("aria-live", live);
    else region.removeAttribute("aria-live");
  }
}

function showEar(ear) {
  const place = document.getElementById("phone-ear");
  place.textContent = { silent: words.earSilent, other: words.earOther }[ear] ?? "";
  if (ear === "silent") readOut(true);
}

document.getElementById("phone-hearing").addEventListener("change", () => {
  keep("localStorage", EAR, [choice.private.value, choice.public.checked]);
  tellChoice();
});

// --- beginning and ending -----------------------------------------------------------------

async function awake() {
  if (!joined || document.hidden) return;
  try {
    lock = await navigator.wakeLock?.request("screen");
  } catch {
    // The battery is low; the player keeps the screen awake.
  }
}

// ``before``: this phone has had the seat, and another one may have taken it meanwhile.
async function start(before) {
  if (page.phone === "asking" || IN_USE.includes(page.phone)) return;
  show("asking", "");
  page.stays = "yes"; // connected while it is not in view
  sounds ??= new AudioContext();
  await listen();
  show("connecting");
  joined = before;
  connect();
  awake();
  ownHeadset();
}

function stop(state) {
  const mine = line;
  line = null;
  mine?.close();
  clearTimeout(again);
  for (const track of microphone?.getTracks() ?? []) track.stop();
  microphone = null;
  heard = false;
  if (recorder) recorder.port.onmessage = null;
  recorder = null;
  sounds?.close();
  sounds = null;
  silence?.pause();
  waiting.length = presses.length = 0;
  lock?.release();
  lock = null;
  joined = false;
  keep("sessionStorage", KEY, "");
  page.stays = "no";
  show(state, "");
}

document.getElementById("phone-start").addEventListener("click", () => (page.phone === "on" ? listenAgain() : start(false)));
document.getElementById("phone-stop").addEventListener("click", () => {
  tell({ do: "leave" });
  stop("off");
});
document.addEventListener("visibilitychange", () => {
  awake();
  hearAgain();
});
addEventListener("online", () => page.phone === "away" && connect());
navigator.mediaDevices?.addEventListener?.("devicechange", hearAgain);
document.addEventListener("pointerdown", () => sounds && sounds.state !== "running" && sounds.resume());
[choice.private.value, choice.public.checked] = kept("localStorage", EAR, USUAL);
page.phone = "off";
page.hears = "";
document.getElementById("phone-start").hidden = false; // before, nobody would have noticed a press
if (run !== fresh) start(true);
