// SPDX-License-Identifier: MIT
// Screen-space ambient occlusion: the fraction of the sky above a surface point that nearby depth values hide.
// Samples are on a spiral that is rotated from pixel to pixel in a 4 x 4 pattern; a 4 x 4 mean then removes the pattern.

/** The surface seen through each pixel. */
export interface SurfaceBuffer {
  width: number;
  height: number;
  /** height x width x 6: position and unit normal in view axes (right, up, toward the viewer), file units; first number NaN for none */
  surface: Float32Array;
}

const SAMPLE_COUNT = 10;
// Rotations by the golden angle and by a sixteenth of a circle, as complex constants: identical on every machine.
const GOLDEN = [-0.7373688780783197, 0.6754902942615237] as const;
const SIXTEENTH = [0.9238795325112867, 0.3826834323650898] as const;
/** Order in which the 4 x 4 pattern turns: neighbours far apart. */
const PATTERN = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5] as const;
/** Lifts samples off curved surfaces, as a share of the radius. */
const BIAS = 0.03;
const STRENGTH = 2.8;

/**
 * Light that reaches each pixel's surface from all around: height x width, 1 open to 0 hidden. Pixels without surface have the mean of
 * their neighbours, for partly covered pixels.
 * @param radius maximum distance of occluders, file units
 * @param pixelsPerUnit scale of the picture
 */
export function ambientOcclusion(buffer: SurfaceBuffer, radius: number, pixelsPerUnit: number): Float32Array {
  const { width, height, surface } = buffer;
  const raw = new Float32Array(width * height).fill(1);
  const reach = Math.min(0.25 * Math.max(width, height), Math.max(3, radius * pixelsPerUnit));
  const turns = listTurns();
  const spiral = listSpiral();
  const inverseSquare = 1 / (radius * radius);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const o = (y * width + x) * 6;
      const px = surface[o];
      if (Number.isNaN(px)) continue;
      const py = surface[o + 1];
      const pz = surface[o + 2];
      const nx = surface[o + 3];
      const ny = surface[o + 4];
      const nz = surface[o + 5];
      const t = 2 * PATTERN[(y & 3) * 4 + (x & 3)];
      const cosine = turns[t] * reach;
      const sine = turns[t + 1] * reach;
      let hidden = 0;
      for (let s = 0; s < 2 * SAMPLE_COUNT; s += 2) {
        const qx = Math.round(x + spiral[s] * cosine - spiral[s + 1] * sine);
        const qy = Math.round(y + spiral[s] * sine + spiral[s + 1] * cosine);
        if (qx < 0 || qy < 0 || qx >= width || qy >= height) continue;
        const q = (qy * width + qx) * 6;
        const vx = surface[q] - px;
        if (Number.isNaN(vx)) continue;
        const vy = surface[q + 1] - py;
        const vz = surface[q + 2] - pz;
        const square = vx * vx + vy * vy + vz * vz;
        const lift = vx * nx + vy * ny + vz * nz - BIAS * radius;
        const falloff = 1 - square * inverseSquare;
        if (lift <= 0 || falloff <= 0) continue;
        hidden += (falloff * lift) / Math.sqrt(square);
      }
      raw[y * width + x] = Math.max(0, 1 - (STRENGTH * hidden) / SAMPLE_COUNT);
    }
  }
  return smooth(buffer, raw, 0.25 * radius);
}

/** 4 x 4 mean over pixels at a similar depth. */
function smooth(buffer: SurfaceBuffer, raw: Float32Array, depthRange: number): Float32Array {
  const { width, height, surface } = buffer;
  const out = new Float32Array(raw.length).fill(1);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const o = y * width + x;
      const isSurface = !Number.isNaN(surface[o * 6]);
      const depth = surface[o * 6 + 2];
      let sum = 0;
      let count = 0;
      for (let qy = Math.max(0, y - 2); qy < Math.min(height, y + 2); qy++) {
        for (let qx = Math.max(0, x - 2); qx < Math.min(width, x + 2); qx++) {
          const q = qy * width + qx;
          if (Number.isNaN(surface[q * 6])) continue;
          if (isSurface && Math.abs(surface[q * 6 + 2] - depth) > depthRange) continue;
          sum += raw[q];
          count++;
        }
      }
      if (count > 0) out[o] = sum / count;
    }
  }
  return out;
}

/** 16 turns: cosine, sine. */
function listTurns(): Float64Array {
  const turns = new Float64Array(32);
  turns[0] = 1;
  for (let n = 1; n < 16; n++) multiplyInto(turns, n, SIXTEENTH);
  return turns;
}

/** SAMPLE_COUNT points within the unit circle, x and y, from the middle outwards. */
function listSpiral(): Float64Array {
  const spiral = new Float64Array(2 * SAMPLE_COUNT);
  spiral[0] = 1;
  for (let n = 1; n < SAMPLE_COUNT; n++) multiplyInto(spiral, n, GOLDEN);
  for (let n = 0; n < SAMPLE_COUNT; n++) {
    const length = (n + 0.7) / SAMPLE_COUNT;
    spiral[2 * n] *= length;
    spiral[2 * n + 1] *= length;
  }
  return spiral;
}

/** numbers[n] = numbers[n - 1] times the factor, as complex numbers. */
function multiplyInto(numbers: Float64Array, n: number, factor: readonly [number, number]): void {
  const re = numbers[2 * n - 2];
  const im = numbers[2 * n - 1];
  numbers[2 * n] = re * factor[0] - im * factor[1];
  numbers[2 * n + 1] = re * factor[1] + im * factor[0];
}
