// SPDX-License-Identifier: MIT
// OpenEXR, scan lines without compression: magic, version 2, attributes, a table of offsets, then per line its number, its length and its channels in the order A, B, G, R.
const MAGIC = 20000630;
/** Channels in the order of the file, and their place in a texel. */
const CHANNELS = [
  ['A', 3],
  ['B', 2],
  ['G', 1],
  ['R', 0],
] as const;
const FLOAT = 2;

/**
 * Bytes of an OpenEXR file with 32-bit channels. Half floats would have 11 bits, fewer than the 16 of a PNG.
 * @param values width x height x 4
 */
export function writeExr(width: number, height: number, values: Float32Array): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  const int = (value: number): void => {
    for (let n = 0; n < 4; n++) out.push((value >>> (8 * n)) & 255);
  };
  const text = (value: string): void => {
    for (const letter of value) out.push(letter.charCodeAt(0));
    out.push(0);
  };
  const attribute = (name: string, type: string, size: number, write: () => void): void => {
    text(name);
    text(type);
    int(size);
    write();
  };
  const box = (): void => [0, 0, width - 1, height - 1].forEach(int);
  const floatOne = (): void => int(0x3f800000);
  int(MAGIC);
  int(2);
  attribute('channels', 'chlist', CHANNELS.length * 18 + 1, () => {
    for (const [name] of CHANNELS) {
      text(name);
      for (const value of [FLOAT, 0, 1, 1]) int(value);
    }
    out.push(0);
  });
  attribute('compression', 'compression', 1, () => out.push(0));
  attribute('dataWindow', 'box2i', 16, box);
  attribute('displayWindow', 'box2i', 16, box);
  attribute('lineOrder', 'lineOrder', 1, () => out.push(0));
  attribute('pixelAspectRatio', 'float', 4, floatOne);
  attribute('screenWindowCenter', 'v2f', 8, () => [0, 0].forEach(int));
  attribute('screenWindowWidth', 'float', 4, floatOne);
  out.push(0);

  const lineBytes = width * CHANNELS.length * 4;
  const start = out.length + 8 * height;
  const file = new Uint8Array(start + height * (8 + lineBytes));
  const view = new DataView(file.buffer);
  file.set(out);
  for (let y = 0; y < height; y++) {
    const offset = start + y * (8 + lineBytes);
    view.setBigUint64(out.length + 8 * y, BigInt(offset), true);
    view.setInt32(offset, y, true);
    view.setInt32(offset + 4, lineBytes, true);
    CHANNELS.forEach(([, channel], n) => {
      for (let x = 0; x < width; x++)
        view.setFloat32(offset + 8 + (n * width + x) * 4, values[4 * (y * width + x) + channel], true);
    });
  }
  return file;
}
