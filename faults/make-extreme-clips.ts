// SPDX-License-Identifier: MIT
// Clips at the edges of what a clip can be, as OBJ and PC2 text and bytes.

export interface ExtremeClip {
  name: string;
  /** vertexCount x 3 */
  rest: Float32Array;
  triangles: number[];
  /** frameCount of vertexCount x 3 */
  frames: Float32Array[];
}

type Shape = Pick<ExtremeClip, 'rest' | 'triangles'>;
type Motion = (x: number, y: number, z: number, k: number) => [number, number, number];

/** Frames per second at which the clips are read. */
export const FPS = 30;

const turn: Motion = (x, y, z, k) => {
  // a bar that bends and is carried along
  const angle = 0.15 * k * Math.min(Math.max(x, 0), 1);
  return [x * Math.cos(angle) - z * Math.sin(angle) + 0.1 * k, y, x * Math.sin(angle) + z * Math.cos(angle)];
};

export function makeExtremeClips(isLarge = false): ExtremeClip[] {
  const strip = makeStrip(9, 3);
  const [frames, rest] = [6, strip.rest];
  const scaled = (factor: number, offset = 0) => ({
    rest: rest.map((value) => value * factor + offset),
    triangles: strip.triangles,
  });
  const moved =
    (factor: number, offset = 0): Motion =>
    (x, y, z, k) => {
      const place = turn((x - offset) / factor, (y - offset) / factor, (z - offset) / factor, k);
      return [place[0] * factor + offset, place[1] * factor + offset, place[2] * factor + offset];
    };
  const bad = animate('not a number in one frame', strip, frames, turn);
  bad.frames[3][7] = Number.NaN;
  return [
    animate('one vertex', { rest: Float32Array.of(1, 2, 3), triangles: [] }, 4, turn),
    animate('one triangle', { rest: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), triangles: [0, 1, 2] }, 4, turn),
    animate('size zero', { rest: new Float32Array(9), triangles: [0, 1, 2] }, 4, () => [0, 0, 0]),
    animate('size zero, moving', { rest: new Float32Array(9), triangles: [0, 1, 2] }, 4, (x, y, z, k) => [x + k, y, z]),
    animate('one frame', strip, 1, turn),
    animate('identical frames', strip, frames, (x, y, z) => [x, y, z]),
    animate('planar', strip, frames, (x, y, _z, k) => [x + 0.1 * k * y, y * (1 + 0.1 * k), 0]),
    animate('500 parts', makeParts(500), 3, (x, y, z, k) => [x + 0.05 * k * Math.sin(37 * x), y + 0.02 * k * z, z]),
    animate('scale 1e-9', scaled(1e-9), frames, moved(1e-9)),
    animate('scale 1e9', scaled(1e9), frames, moved(1e9)),
    animate('coordinates of 9e17', scaled(4e17), frames, moved(4e17)),
    animate(
      'triangles without area',
      { rest: strip.rest, triangles: strip.triangles.map((_, c) => strip.triangles[c - (c % 3)]) },
      frames,
      turn,
    ),
    animate('offset 1e7', scaled(50, 1e7), frames, moved(50, 1e7)),
    bad,
    ...(isLarge
      ? [
          animate('100,000 x 10', makeStrip(1000, 100), 10, turn),
          animate('2,000 x 5,000', makeStrip(100, 20), 5000, turn),
        ]
      : []),
  ];
}

function animate(name: string, shape: Shape, frameCount: number, motion: Motion): ExtremeClip {
  const frames = Array.from({ length: frameCount }, (_, k) => {
    const frame = new Float32Array(shape.rest.length);
    for (let i = 0; i < frame.length; i += 3)
      frame.set(motion(shape.rest[i], shape.rest[i + 1], shape.rest[i + 2], k), i);
    return frame;
  });
  return { name, ...shape, frames };
}

/** A curved grid. */
function makeStrip(columns: number, rows: number): Shape {
  const rest = new Float32Array(columns * rows * 3);
  const triangles: number[] = [];
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const [u, v] = [(2 * x) / (columns - 1), y / (rows - 1)];
      rest.set([u, v, 0.3 * Math.sin(2 * u) + 0.2 * v], 3 * (y * columns + x));
      if (x + 1 === columns || y + 1 === rows) continue;
      const a = y * columns + x;
      triangles.push(a, a + 1, a + columns, a + 1, a + columns + 1, a + columns);
    }
  return { rest, triangles };
}

/** Triangles that do not touch. */
function makeParts(count: number): Shape {
  const rest = new Float32Array(9 * count);
  for (let n = 0; n < count; n++) {
    const [x, y] = [n % 25, Math.floor(n / 25)];
    rest.set([x, y, 0, x + 0.5, y, 0.1, x, y + 0.5, 0.2], 9 * n);
  }
  return { rest, triangles: Array.from({ length: 3 * count }, (_, n) => n) };
}

export function writeObj({ rest, triangles }: ExtremeClip): string {
  const lines: string[] = [];
  for (let i = 0; i < rest.length; i += 3) lines.push(`v ${rest[i]} ${rest[i + 1]} ${rest[i + 2]}`);
  for (let f = 0; f < triangles.length; f += 3)
    lines.push(`f ${triangles[f] + 1} ${triangles[f + 1] + 1} ${triangles[f + 2] + 1}`);
  return `${lines.join('\n')}\n`;
}

export function writePc2({ rest, frames }: ExtremeClip): Uint8Array {
  const bytes = new Uint8Array(32 + frames.length * rest.length * 4);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('POINTCACHE2\0'));
  view.setInt32(12, 1, true);
  view.setInt32(16, rest.length / 3, true);
  view.setFloat32(20, 0, true);
  view.setFloat32(24, 1, true);
  view.setInt32(28, frames.length, true);
  frames.forEach((frame, k) => {
    for (let c = 0; c < frame.length; c++) view.setFloat32(32 + (k * frame.length + c) * 4, frame[c], true);
  });
  return bytes;
}
