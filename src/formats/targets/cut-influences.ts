// SPDX-License-Identifier: MIT
import type { Skin } from '../../core/model/skin/skin.ts';
import type { Scene } from '../gltf/index.ts';

/**
 * Keeps the largest influences of every vertex, scaled to a sum of one.
 * @param most influences of a vertex
 */
export function cutInfluences(scene: Scene, most: number, log?: (message: string) => void): Scene {
  let vertexCount = 0;
  let largest = 0;
  const shapes = scene.shapes.map((shape) => {
    if (!shape.skin) return shape;
    const cut = cutSkin(shape.skin.weights, most);
    if (!cut) return shape;
    vertexCount += cut.vertexCount;
    largest = Math.max(largest, cut.largest);
    return { ...shape, skin: { ...shape.skin, weights: cut.skin } };
  });
  if (vertexCount === 0) return scene;
  log?.(
    `${vertexCount === 1 ? 'a vertex' : `${vertexCount} vertices`} had more than ${most} influences and kept the largest, at most ${(100 * largest).toPrecision(2)} % of the weight was dropped; reduce --influences ${most} chooses them by the motion`,
  );
  return { ...scene, shapes };
}

/** The skin with its largest weights, how many vertices lost some and the largest sum that was dropped; undefined if none did. */
export function cutSkin(
  { rowStart, boneIndices, weights }: Skin,
  most: number,
): { skin: Skin; vertexCount: number; largest: number } | undefined {
  const count = rowStart.length - 1;
  const starts = new Uint32Array(count + 1);
  let vertexCount = 0;
  for (let i = 0; i < count; i++) {
    const own = rowStart[i + 1] - rowStart[i];
    if (own > most) vertexCount++;
    starts[i + 1] = starts[i] + Math.min(own, most);
  }
  if (vertexCount === 0) return undefined;
  const skin = {
    rowStart: starts,
    boneIndices: new Uint32Array(starts[count]),
    weights: new Float32Array(starts[count]),
  };
  let largest = 0;
  for (let i = 0; i < count; i++) {
    const kept = starts[i + 1] - starts[i];
    let sum = 0;
    for (let e = 0; e < kept; e++) sum += weights[rowStart[i] + e];
    if (kept < rowStart[i + 1] - rowStart[i]) largest = Math.max(largest, 1 - sum);
    const isWhole = kept === rowStart[i + 1] - rowStart[i] || sum <= 0;
    for (let e = 0; e < kept; e++) {
      skin.boneIndices[starts[i] + e] = boneIndices[rowStart[i] + e];
      skin.weights[starts[i] + e] = isWhole ? weights[rowStart[i] + e] : weights[rowStart[i] + e] / sum;
    }
  }
  return { skin, vertexCount, largest };
}
