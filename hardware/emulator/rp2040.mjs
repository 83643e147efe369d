// Runs the real firmware in an emulated RP2040 (rp2040js), with a simulated board around it.
//
//   node rp2040.mjs FIRMWARE.bin LADDER.h [SEED]
//
// It takes the commands of emulator.c that are listed below, and time passes only in `run`.
//
// The controller's own program is not here. In its place stand functions that do what its data sheet
// says (2.8.3) with the emulated flash memory; they refuse to be called by code that lies in it.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { RP2040, ConsoleLogger, LogLevel } from '../build/rp2040js/node_modules/rp2040js/dist/esm/index.js';

const CLOCK = 12e6;
const PULL_UP = 10000;
const FLASH = 0x10000000, RAM = 0x20000000;
const SELECT = 2, ENABLE = 6, LEVER = 10, BUZZER = 12, MOTOR = 13, HAS_MOTOR = 14, LAMP = 15, HAS_LAMP = 16;
const PIECES = '-PRNBKQprnbkq';
const POWER = 0, WATCHDOG = 1;

const image = readFileSync(process.argv[2]);
const OHMS = /LADDER_OHMS \{([^}]*)\}/.exec(readFileSync(process.argv[3], 'utf8'))[1].split(',').map(Number);

// --- chance ------------------------------------------------------------------------------------

let dice = 88172645463325252n ^ (BigInt(process.argv[4] ?? 1) * 0x9e3779b97f4a7c15n);

function chance() {
  dice = BigInt.asUintN(64, dice ^ (dice << 13n));
  dice ^= dice >> 7n;
  dice = BigInt.asUintN(64, dice ^ (dice << 17n));
  return Number(dice >> 11n) / 2 ** 53;
}

// --- the board ---------------------------------------------------------------------------------

const holes = Array.from({ length: 64 }, () => ({ piece: 0, open: false, short: false, more: 0, damp: 0 }));
const levers = [false, false];
const fitted = { motor: false, lamp: false };
const edges = { buzzer: [], motor: [], lamp: [] };
let later = []; // what hands have begun: [time in ms, function]

function ohms(hole) {
  let own = hole.piece && !hole.open ? (hole.piece === -1 ? 100 : OHMS[hole.piece]) + hole.more : Infinity;
  if (hole.short) own = 5;
  return hole.damp ? 1 / (1 / own + 1 / hole.damp) : own;
}

// --- the controller ----------------------------------------------------------------------------

let flash = new Uint8Array(2 * 1024 * 1024).fill(0xff);
flash.set(image);
let controller, clock, begun = 0, powered = false, lineFree = 0;
let toBoard = [], fromBoard = [];
let flipOut = 0, flipIn = 0; // the probability that a bit flips

function overTheLine(byte, flips) {
  if (flips) for (let bit = 0; bit < 8; bit++) if (chance() < flips) byte ^= 1 << bit;
  return byte;
}

const time = () => begun + (powered ? clock.nanos / 1e6 : 0);

const ROM = {
  IF: () => {}, EX: () => {}, FC: () => {}, CX: () => {},
  RE: (at, count) => controller.flash.fill(0xff, at, at + count),
  RP: (at, from, count) => {
    for (let i = 0; i < count; i++) controller.flash[at + i] &= controller.readUint8(from + i);
  },
};
const NAMES = Object.keys(ROM);

function callRom(number) {
  const registers = controller.core.registers;
  if (number === NAMES.length) {
    const name = String.fromCharCode(registers[1] & 0xff, (registers[1] >> 8) & 0xff);
    registers[0] = (0x100 + 4 * NAMES.indexOf(name)) | 1;
    return;
  }
  if ((registers[14] >>> 0) < RAM) throw new Error(`${NAMES[number]} is called by code in flash memory`);
  ROM[NAMES[number]](registers[0] >>> 0, registers[1] >>> 0, registers[2] >>> 0);
}

function adc() {
  const low = [0, 1, 2, 3].filter((i) => controller.gpio[ENABLE + i].value === 0);
  let channel = 0;
  for (let i = 0; i < 4; i++) channel |= (controller.gpio[SELECT + i].value === 1) << i;
  const siemens = low.reduce((sum, i) => sum + 1 / ohms(holes[16 * i + channel]), 0);
  const converter = controller.adc;
  converter.channelValues[0] = siemens ? Math.min(4095, Math.round(4096 / (1 + PULL_UP * siemens))) : 4095;
  converter.currentChannel = 0;
  converter.sampleAlarm.schedule(8000);
}

function showInputs() {
  for (const i of [0, 1]) controller.gpio[LEVER + i].setInputValue(!levers[i]);
  controller.gpio[HAS_MOTOR].setInputValue(!fitted.motor);
  controller.gpio[HAS_LAMP].setInputValue(!fitted.lamp);
}

function boot(cause) {
  if (powered) begun += clock.nanos / 1e6;
  if (controller) flash = controller.flash.slice(0, flash.length);
  controller = new RP2040();
  clock = controller.clock;
  controller.logger = new ConsoleLogger(LogLevel.Error, true);
  controller.flash.set(flash);
  controller.bootrom[5] = 0x80;
  controller.bootrom[6] = (0x100 + 4 * NAMES.length) | 1;
  for (let i = 0; i <= NAMES.length; i++) controller.bootrom[64 + i] = 0x47700000 | 0xbe00 | i; // bkpt, bx lr
  controller.onBreak = callRom;
  controller.peripherals[0x40060] = { readUint32: () => (chance() < 0.5 ? 0 : 1), writeUint32Atomic() {} };
  const watchdog = controller.peripherals[0x40058];
  watchdog.reason = cause === WATCHDOG ? 1 : 0;
  watchdog.onWatchdogTrigger = () => {
    watchdog.alarm.enable = false; // else it would be due again and again in the same moment
    resetBy = WATCHDOG;
  };
  controller.adc.onADCRead = adc;
  controller.uart[0].onByte = (byte) => {
    const rate = controller.uart[0].baudRate;
    lineFree = Math.max(lineFree, time()) + 10000 / rate;
    fromBoard.push([lineFree, byte]);
  };
  for (const [name, pin] of [['buzzer', BUZZER], ['motor', MOTOR], ['lamp', LAMP]])
    controller.gpio[pin].addListener((state, old) => {
      if ((state === 1) !== (old === 1)) edges[name].push(time().toFixed(3) + (state === 1 ? '+' : '-'));
    });
  toBoard = [];
  fromBoard = [];
  controller.core.SP = 0x20042000;
  controller.core.PC = FLASH; // the second stage of the boot
  powered = true;
  showInputs();
}

let resetBy = null;

function run(ms) {
  const end = time() + ms;
  let said = [], nextByte = 0;
  const flush = (at) => {
    if (said.length) console.log('said', at.toFixed(3), Buffer.from(said).toString('hex'));
    said = [];
  };
  while (time() < end) {
    if (!powered) {
      begun = end;
      break;
    }
    for (let i = 0; i < 50; i++) {
      const cycles = controller.core.waiting ? 1 : controller.core.executeInstruction();
      clock.tick((cycles * 1e9) / CLOCK);
    }
    const now = time();
    if (later.length) {
      const due = later.filter(([at]) => at <= now).sort(([one], [other]) => one - other);
      later = later.filter(([at]) => at > now);
      for (const [, deed] of due) deed();
    }
    if (toBoard.length && now >= nextByte) {
      controller.uart[0].feedByte(overTheLine(toBoard.shift(), flipIn));
      nextByte = now + 10000 / controller.uart[0].baudRate;
    }
    while (fromBoard.length && fromBoard[0][0] <= now) {
      const [at, sent] = fromBoard.shift();
      const byte = overTheLine(sent, flipOut);
      said.push(byte);
      if (byte === 0 && said.length > 1) flush(at);
    }
    if (resetBy !== null) {
      boot(resetBy);
      resetBy = null;
    }
  }
  flush(time());
}

// --- commands ----------------------------------------------------------------------------------

const square = (name) => holes[name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49)];
const side = (name) => ['white', 'black'].indexOf(name);
const after = (ms, deed) => later.push([time() + Number(ms), deed]);

function moveLever(which, down) {
  levers[which] = down;
  if (powered) showInputs();
}

const COMMANDS = {
  fen: (placement) => {
    const ranks = placement.split('/').reverse();
    ranks.forEach((rank, number) => {
      const row = rank.replace(/[1-8]/g, (count) => '-'.repeat(Number(count)));
      for (let file = 0; file < 8; file++) holes[8 * number + file].piece = PIECES.indexOf(row[file]);
    });
  },
  set: (where, piece, bounces) => {
    const hole = square(where);
    Object.assign(hole, { piece: PIECES.indexOf(piece), open: false, more: 0, damp: 0, short: false });
    for (let at = 0; at < Number(bounces || 0); at += 0.05 + 0.5 * chance()) {
      const open = chance() < 0.5;
      after(at, () => (hole.open = open));
    }
    after(bounces || 0, () => (hole.open = false));
  },
  feel: (where, ms) => {
    square(where).open = true;
    after(ms, () => (square(where).open = false));
  },
  fault: (where) => (square(where).short = true),
  resistance: (where, more) => (square(where).more = Number(more)),
  damp: (where, damp) => (square(where).damp = Number(damp)),
  mend: (where) => Object.assign(square(where), { more: 0, damp: 0, short: false }),
  lever: (name, way) => moveLever(side(name), way === 'down'),
  press: (name, ms) => {
    moveLever(side(name), true);
    after(ms || 80, () => moveLever(side(name), false));
  },
  fit: (what) => {
    fitted[what] = true;
    if (powered) showInputs();
  },
  hang: () => {
    controller.writeUint16(0x20030000, 0xe7fe);
    controller.core.PC = 0x20030000;
  },
  noise: (out, into) => ([flipOut, flipIn] = [out / 1e6, into / 1e6]),
  unplug: () => {
    begun = time();
    powered = false;
  },
  plug: () => powered || boot(POWER),
  hear: (hex) => toBoard.push(...Buffer.from(hex, 'hex')),
  run: (ms) => run(Number(ms)),
  time: () => {},
};

boot(POWER);
console.log('ok 0.000');
for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...words] = line.trim().split(/\s+/);
  if (command in edges) {
    console.log(['ok', time().toFixed(3), ...edges[command].splice(0)].join(' '));
  } else if (command in COMMANDS) {
    COMMANDS[command](...words);
    console.log(`ok ${time().toFixed(3)}`);
  } else {
    console.log(`error ${command} is not a command`);
  }
}
