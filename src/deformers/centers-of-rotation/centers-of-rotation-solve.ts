// SPDX-License-Identifier: MIT
// B. H. Le and J. K. Hodgins 2016 (see centers-of-rotation.ts): the centers. With w the weights at a vertex and w(t) those at the centroid of a triangle,
//   p = Σ_t s(w, w(t)) aₜ mₜ / Σ_t s(w, w(t)) aₜ,   a the area and m the centroid of the triangle,
//   s(w, v) = Σ_{j≠k} wⱼ wₖ vⱼ vₖ exp(−(wⱼvₖ − wₖvⱼ)² / σ²).
//
// Evaluated directly, every vertex needs every triangle. But s is a sum over pairs of bones, and for a pair a triangle is only a point (vⱼ, vₖ) of the unit
// square with a mass: triangles in one cell of a grid over that square are replaced by one with their mean weights, total area and centroid. Their number is
// bounded by the grid and by the pairs of bones that share triangles, and the work is linear in the vertices. With the default cell, a tenth of σ, centers move
// by less than 1e-3 of the size (checked in the test); cell 0 does not group triangles and is exact.

import { measureTriangleAreas } from '../../core/mesh/geometry/triangle-areas.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { checkFits } from '../linear-blend/index.ts';

/** Options of solveCentersOfRotation. */
export interface CentersOptions {
  /** Width σ of the similarity kernel, in weights. Default 0.1. */
  sigma?: number;
  /** Side of the cells in which triangles of similar weights are grouped, in weights; 0: no grouping. Default 0.01. */
  cell?: number;
}

/** Defaults of CentersOptions. */
export const CENTERS_DEFAULTS: Required<CentersOptions> = { sigma: 0.1, cell: 0.01 };

/** Beyond this exponent the kernel is below 1e-16 of its maximum. */
const FARTHEST_EXPONENT = 37;

/** Triangles of similar weights of two bones: sums of area, area x weights, area x centroid. */
type Cluster = Float64Array;

/**
 * Computes the centers of rotation of a skin, vertexCount x 3, file units. A vertex without similar triangles (one bone only, or unique weights) has no center;
 * its position is used, which for one bone gives the same result as any other point.
 * @example
 * ```ts
 * import { makeDeformer, solveCentersOfRotation } from 'ossify/deform';
 *
 * const centers = solveCentersOfRotation(mesh, skin);
 * const smooth = makeDeformer({ kind: 'centers-of-rotation', mesh, skeleton, skin, centers });
 * ```
 */
export function solveCentersOfRotation(mesh: Mesh, skin: Skin, options: CentersOptions = {}): Float64Array {
  const sigma = options.sigma ?? CENTERS_DEFAULTS.sigma;
  const cell = options.cell ?? CENTERS_DEFAULTS.cell;
  if (!(sigma > 0)) throw new UsageError('centers of rotation', `sigma must be above 0, got ${sigma}`);
  if (!(cell >= 0)) throw new UsageError('centers of rotation', `cell must be at least 0, got ${cell}`);
  const vertexCount = mesh.positions.length / 3;
  let boneCount = 0;
  for (const bone of skin.boneIndices) boneCount = Math.max(boneCount, bone + 1);
  checkFits('centers of rotation', skin, vertexCount, boneCount);
  const clusters = gatherClusters(mesh, skin, boneCount, cell);
  const centers = Float64Array.from(mesh.positions);
  const sums = new Float64Array(4);
  for (let i = 0; i < vertexCount; i++) {
    sums.fill(0);
    for (let a = skin.rowStart[i]; a < skin.rowStart[i + 1]; a++) {
      for (let b = a + 1; b < skin.rowStart[i + 1]; b++) {
        const isRising = skin.boneIndices[a] < skin.boneIndices[b];
        const low = isRising ? a : b;
        const high = isRising ? b : a;
        const list = clusters.get(skin.boneIndices[low] * boneCount + skin.boneIndices[high]);
        if (list) addSimilar(list, skin.weights[low], skin.weights[high], sigma, sums);
      }
    }
    if (!(sums[3] > 0)) continue;
    for (let c = 0; c < 3; c++) centers[3 * i + c] = sums[c] / sums[3];
  }
  return centers;
}

function addSimilar(list: Cluster[], wj: number, wk: number, sigma: number, sums: Float64Array): void {
  for (const cluster of list) {
    const area = cluster[0];
    const vj = cluster[1] / area,
      vk = cluster[2] / area;
    const apart = (wj * vk - wk * vj) / sigma;
    if (!(apart * apart < FARTHEST_EXPONENT)) continue;
    const s = wj * wk * vj * vk * Math.exp(-apart * apart);
    sums[0] += s * cluster[3];
    sums[1] += s * cluster[4];
    sums[2] += s * cluster[5];
    sums[3] += s * area;
  }
}

/** Clusters per pair of bones, keyed low x boneCount + high. */
function gatherClusters(mesh: Mesh, skin: Skin, boneCount: number, cell: number): Map<number, Cluster[]> {
  const { positions, triangles } = mesh;
  const areas = measureTriangleAreas(positions, triangles);
  const clusters = new Map<number, Cluster[]>();
  const places = new Map<string, Cluster>();
  const row = new Map<number, number>();
  for (let f = 0; f < areas.length; f++) {
    const area = areas[f];
    if (!(area > 0)) continue;
    row.clear();
    const middle = [0, 0, 0];
    for (let corner = 3 * f; corner < 3 * f + 3; corner++) {
      const i = triangles[corner];
      for (let c = 0; c < 3; c++) middle[c] += positions[3 * i + c] / 3;
      for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
        const bone = skin.boneIndices[e];
        row.set(bone, (row.get(bone) ?? 0) + skin.weights[e] / 3);
      }
    }
    const bones = [...row].sort((a, b) => a[0] - b[0]);
    for (let a = 0; a < bones.length; a++) {
      for (let b = a + 1; b < bones.length; b++) {
        const [j, vj] = bones[a];
        const [k, vk] = bones[b];
        const pair = j * boneCount + k;
        const place = cell > 0 ? `${pair},${Math.floor(vj / cell)},${Math.floor(vk / cell)}` : `${pair},${f}`;
        let cluster = places.get(place);
        if (!cluster) {
          cluster = new Float64Array(6);
          places.set(place, cluster);
          const list = clusters.get(pair);
          if (list) list.push(cluster);
          else clusters.set(pair, [cluster]);
        }
        cluster[0] += area;
        cluster[1] += area * vj;
        cluster[2] += area * vk;
        for (let c = 0; c < 3; c++) cluster[3 + c] += area * middle[c];
      }
    }
  }
  return clusters;
}
