// A block of 16-bit sound in 4 bits a sample: IMA ADPCM, as a block in a WAV file. It begins with its
// first sample, the lowest byte first, and the index of its step; each byte has two samples, the first
// one in its low half.

const STEPS = [
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118,
  130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166,
  1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845,
  8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
];
const CHANGES = [-1, -1, -1, -1, 2, 4, 6, 8]; // of the index, after each difference
const HEAD_BYTES = 4;

let index = 0; // as it was at the end of the block before

export function packed(block) {
  const data = new Uint8Array(HEAD_BYTES + block.length / 2);
  new DataView(data.buffer).setInt16(0, block[0], true);
  data[2] = index;
  let known = block[0]; // the sample before, as it will be unpacked
  for (let at = 1; at <= block.length; at += 1) {
    const step = STEPS[index];
    let left = (at < block.length ? block[at] : known) - known;
    let code = left < 0 ? 8 : 0;
    left = Math.abs(left);
    let difference = step >> 3;
    for (const [bit, part] of [[4, step], [2, step >> 1], [1, step >> 2]]) {
      if (left < part) continue;
      code |= bit;
      left -= part;
      difference += part;
    }
    known = Math.max(-32768, Math.min(32767, known + (code & 8 ? -difference : difference)));
    index = Math.max(0, Math.min(STEPS.length - 1, index + CHANGES[code & 7]));
    data[HEAD_BYTES + ((at - 1) >> 1)] |= at % 2 ? code : code << 4;
  }
  return data;
}
