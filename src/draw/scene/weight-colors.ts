// SPDX-License-Identifier: MIT
import type { Skin } from '../../core/model/skin/skin.ts';
import type { Rgb } from '../image/color.ts';
import { sampleColorMapInto } from '../image/color-maps.ts';
import { paletteColor } from '../image/palette.ts';

/** Options of weightColors. */
export interface WeightColorOptions {
  /** Shows the weight of this bone alone, from low to high; by default every bone has a colour and weights blend them. */
  bone?: number;
  /** Colours by bone, in place of the palette. */
  boneColors?: readonly Rgb[];
}

/**
 * Colours of a skin: vertexCount x 3, 0 to 1. Colours are mixed as light (by squares), so that a vertex shared by two
 * bones is not darker than either.
 * @example
 * ```ts
 * import { renderView, weightColors } from 'ossify/draw';
 *
 * const colors = weightColors(skin, { bone: skeleton.names.indexOf('Hand') });
 * const image = renderView({ positions: mesh.positions, triangles: mesh.triangles, colors });
 * ```
 */
export function weightColors(skin: Skin, options: WeightColorOptions = {}): Float32Array {
  const vertexCount = skin.rowStart.length - 1;
  const colors = new Float32Array(vertexCount * 3);
  const { bone, boneColors } = options;
  for (let i = 0; i < vertexCount; i++) {
    if (bone !== undefined) {
      let weight = 0;
      for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
        if (skin.boneIndices[e] === bone) weight += skin.weights[e];
      }
      sampleColorMapInto('ember', weight, colors, i * 3);
      continue;
    }
    let r = 0;
    let g = 0;
    let b = 0;
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const color = boneColors?.[skin.boneIndices[e]] ?? paletteColor(skin.boneIndices[e]);
      const weight = skin.weights[e];
      r += weight * color[0] * color[0];
      g += weight * color[1] * color[1];
      b += weight * color[2] * color[2];
    }
    colors[i * 3] = Math.sqrt(Math.max(0, r));
    colors[i * 3 + 1] = Math.sqrt(Math.max(0, g));
    colors[i * 3 + 2] = Math.sqrt(Math.max(0, b));
  }
  return colors;
}

/**
 * One colour per label (cluster, part, bone): vertexCount x 3.
 * @example
 * ```ts
 * import { labelColors, renderView } from 'ossify/draw';
 *
 * // one colour per bone with the largest weight, which is the first of a row
 * const strongest = Array.from(skin.rowStart.subarray(0, -1), (first) => skin.boneIndices[first]);
 * const image = renderView({ positions: mesh.positions, triangles: mesh.triangles, colors: labelColors(strongest) });
 * ```
 */
export function labelColors(labels: ArrayLike<number>): Float32Array {
  const colors = new Float32Array(labels.length * 3);
  for (let i = 0; i < labels.length; i++) colors.set(paletteColor(labels[i]), i * 3);
  return colors;
}
