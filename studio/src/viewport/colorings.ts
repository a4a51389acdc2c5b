// SPDX-License-Identifier: MIT
// Colours of surfaces, in linear light, as the renderer expects.
import { heatColors, labelColors, weightColors } from '../../../src/entry/draw.ts';
import type { Skin } from '../../../src/entry/index.ts';

/** Clay: warmer for the result and cooler for the reference, to distinguish them. */
export const CLAY = { reference: [0.31, 0.4, 0.52], result: [0.56, 0.47, 0.37] } as const;

export function plainColorsInto(color: readonly number[], out: Float32Array): Float32Array {
  for (let c = 0; c < out.length; c++) out[c] = color[c % 3];
  return out;
}

/** Converts sRGB colours to linear light, in place. */
export function toLinear(colors: Float32Array): Float32Array {
  for (let c = 0; c < colors.length; c++) {
    const x = colors[c];
    colors[c] = x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  }
  return colors;
}

/** Bone colours mixed by weight, or the weight of one bone from pale to dark. */
export function skinColors(skin: Skin, bone: number): Float32Array {
  return toLinear(weightColors(skin, bone >= 0 ? { bone } : {}));
}

/** The colour of the bone with the largest weight of each vertex. */
export function clusterColors(skin: Skin): Float32Array {
  return toLinear(labelColors(strongestBones(skin)));
}

export function strongestBones({ rowStart, boneIndices }: Skin): Uint32Array {
  return Uint32Array.from({ length: rowStart.length - 1 }, (_, i) => boneIndices[rowStart[i]]);
}

/** Distances between two shapes per vertex, and the vertex with the largest. */
export function distancesInto(a: Float32Array, b: Float32Array, out: Float32Array): { worst: number; max: number } {
  let worst = 0;
  let max = -1;
  for (let i = 0; i < out.length; i++) {
    const x = a[3 * i] - b[3 * i],
      y = a[3 * i + 1] - b[3 * i + 1],
      z = a[3 * i + 2] - b[3 * i + 2];
    out[i] = Math.sqrt(x * x + y * y + z * z);
    if (out[i] > max) {
      max = out[i];
      worst = i;
    }
  }
  return { worst, max: Math.max(0, max) };
}

const HEAT_STEPS = 1024;
let heatTable: Float32Array | undefined;

/** Heat map colours of distances, with one maximum for all frames. From a table, since it runs for every frame. */
export function heatOf(distances: Float32Array, top: number): Float32Array {
  heatTable ??= makeHeatTable();
  const colors = new Float32Array(3 * distances.length);
  const scale = top > 0 ? (HEAT_STEPS - 1) / top : 0;
  for (let i = 0; i < distances.length; i++) {
    const n = 3 * Math.min(HEAT_STEPS - 1, Math.round(distances[i] * scale));
    colors[3 * i] = heatTable[n];
    colors[3 * i + 1] = heatTable[n + 1];
    colors[3 * i + 2] = heatTable[n + 2];
  }
  return colors;
}

function makeHeatTable(): Float32Array {
  const ratios = Float32Array.from({ length: HEAT_STEPS }, (_, n) => n / (HEAT_STEPS - 1));
  return toLinear(heatColors(ratios, { max: 1 }).colors);
}

/** The same colours for CSS, from the lowest to the highest. */
export function heatStops(): string[] {
  const steps = 12;
  const values = Float32Array.from({ length: steps + 1 }, (_, n) => n / steps);
  const { colors } = heatColors(values, { max: 1 });
  return Array.from(values, (_, n) => cssOf(colors, n));
}

/** The colours of the weights of one bone for CSS, from 0 to 1. */
export function weightStops(): string[] {
  const steps = 12;
  const weights = Float32Array.from(
    { length: 2 * (steps + 1) },
    (_, e) => (e % 2 === 0 ? e / 2 : steps - (e - 1) / 2) / steps,
  );
  const boneIndices = Uint32Array.from({ length: weights.length }, (_, e) => e % 2);
  const rowStart = Uint32Array.from({ length: steps + 2 }, (_, i) => 2 * i);
  const colors = weightColors({ rowStart, boneIndices, weights }, { bone: 0 });
  return Array.from({ length: steps + 1 }, (_, n) => cssOf(colors, n));
}

/** A gradient of colours from bottom to top. */
export function gradientOf(stops: readonly string[]): string {
  return `linear-gradient(to top, ${stops.join(', ')})`;
}

function cssOf(colors: Float32Array, n: number): string {
  return `rgb(${[0, 1, 2].map((c) => Math.round(255 * colors[3 * n + c])).join(' ')})`;
}
