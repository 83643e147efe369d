// Runs where the browser makes sound. Turns what the microphone gives, at any rate, into blocks of 40 ms
// of 16 kHz, mono, 16 bits, each with the time of its end in ms.

const RATE = 16000;
const BLOCK = 640; // samples
const STEPS = 256; // of the filter, between two samples
const CROSSINGS = 16; // of zero, on each side of the filter

class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.ratio = sampleRate / RATE;
    const slower = Math.max(1, this.ratio);
    const cutoff = 0.92 / slower; // of half the rate that comes
    this.reach = Math.ceil(CROSSINGS * slower);
    this.filter = new Float32Array(this.reach * STEPS + 2);
    for (let at = 0; at < this.filter.length; at += 1) {
      const t = at / STEPS;
      const x = Math.PI * cutoff * t;
      const window = t < this.reach ? 0.5 + 0.5 * Math.cos((Math.PI * t) / this.reach) : 0;
      this.filter[at] = cutoff * window * (x === 0 ? 1 : Math.sin(x) / x);
    }
    this.heard = new Float32Array(2 * this.reach + 4096);
    this.length = this.reach; // silence before the beginning
    this.place = this.reach; // of the next sample that is made
    this.block = new Int16Array(BLOCK);
    this.made = 0;
  }

  process([input]) {
    if (!input?.length) return true;
    for (let at = 0; at < input[0].length; at += 1) {
      let sum = 0;
      for (const channel of input) sum += channel[at];
      this.heard[this.length] = sum / input.length;
      this.length += 1;
    }
    while (this.place + this.reach < this.length) {
      this.put(this.sample());
      this.place += this.ratio;
    }
    const done = Math.floor(this.place) - this.reach;
    if (done > 2048) {
      this.heard.copyWithin(0, done, this.length);
      this.length -= done;
      this.place -= done;
    }
    return true;
  }

  sample() {
    let sum = 0;
    for (let at = Math.ceil(this.place - this.reach); at < this.place + this.reach; at += 1) {
      sum += this.heard[at] * this.filter[Math.round(Math.abs(at - this.place) * STEPS)];
    }
    return sum;
  }

  put(sample) {
    this.block[this.made] = Math.max(-32768, Math.min(32767, Math.round(sample * 32768)));
    this.made += 1;
    if (this.made < BLOCK) return;
    this.port.postMessage({ block: this.block, at: Date.now() });
    this.block = new Int16Array(BLOCK);
    this.made = 0;
  }
}

registerProcessor("recorder", Recorder);
