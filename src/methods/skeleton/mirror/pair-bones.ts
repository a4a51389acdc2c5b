// SPDX-License-Identifier: MIT
// Which bones of a fit are images of each other in a plane. π(i) is the point nearest to the image of point i, and two bones overlap by
//   I(a, b) = Σᵢ min(w_ia, w_π(i)b) / Σᵢ max(w_ia, w_π(i)b).
// Pairs are taken in descending order of the overlap; a bone in the middle overlaps with itself. A bone without a partner is alone.

import { type MirrorPlane, reflectInto } from '../../../core/mesh/geometry/find-mirror-plane.ts';
import { PointGrid } from '../../../core/mesh/geometry/point-grid.ts';
import type { SkinFit } from '../../../fit/skin/index.ts';

/** Minimum overlap of a pair. Chosen on Fox, fox, bird, CesiumMan and Michelle. */
const MIN_OVERLAP = 0.2;

export interface BonePairs {
  plane: MirrorPlane;
  /** pointCount: the point nearest to the image of each */
  images: Uint32Array;
  /** boneCount: the image of each bone, itself for a bone in the middle, or -1 */
  partners: Int32Array;
  /** Part of the weights that bones without a partner have. */
  lonePart: number;
}

/** Pairs the bones of a fit. */
export function pairBones(fit: SkinFit, plane: MirrorPlane): BonePairs {
  const { boneCount, trajectories } = fit;
  const images = listImages(trajectories.rest.view(), plane);
  const overlaps = measureOverlaps(fit, images);
  const partners = new Int32Array(boneCount).fill(-1);
  const choices: { a: number; b: number; overlap: number }[] = [];
  for (let a = 0; a < boneCount; a++) {
    for (let b = a; b < boneCount; b++) {
      const overlap = overlaps[a * boneCount + b];
      if (overlap > MIN_OVERLAP) choices.push({ a, b, overlap });
    }
  }
  for (const { a, b } of choices.sort((p, q) => q.overlap - p.overlap || p.a - q.a || p.b - q.b)) {
    if (partners[a] >= 0 || partners[b] >= 0) continue;
    partners[a] = b;
    partners[b] = a;
  }
  const [ids, values] = [fit.weights.bones.view(), fit.weights.weights.view()];
  let lone = 0;
  for (let e = 0; e < values.length; e++) if (partners[ids[e]] < 0) lone += values[e];
  return { plane, images, partners, lonePart: lone / trajectories.vertexCount };
}

function listImages(rest: Float64Array, plane: MirrorPlane): Uint32Array {
  const grid = new PointGrid(Float32Array.from(rest));
  const image = new Float64Array(3);
  return Uint32Array.from({ length: rest.length / 3 }, (_, i) => {
    reflectInto(plane, rest, 3 * i, image);
    return grid.findNearest(image[0], image[1], image[2]);
  });
}

/** boneCount x boneCount: the mean of I(a, b) and I(b, a), which differ where π is not its own inverse */
function measureOverlaps({ weights, boneCount }: SkinFit, images: Uint32Array): Float64Array {
  const [ids, values, influences] = [weights.bones.view(), weights.weights.view(), weights.influences];
  const common = new Float64Array(boneCount * boneCount);
  const own = new Float64Array(boneCount);
  const imaged = new Float64Array(boneCount);
  for (let i = 0; i < images.length; i++) {
    for (let e = i * influences; e < (i + 1) * influences; e++) {
      own[ids[e]] += values[e];
      const o = images[i] * influences;
      for (let f = o; f < o + influences; f++) common[ids[e] * boneCount + ids[f]] += Math.min(values[e], values[f]);
    }
    for (let f = images[i] * influences; f < (images[i] + 1) * influences; f++) imaged[ids[f]] += values[f];
  }
  const overlaps = new Float64Array(boneCount * boneCount);
  for (let a = 0; a < boneCount; a++) {
    for (let b = 0; b < boneCount; b++) {
      const [there, back] = [common[a * boneCount + b], common[b * boneCount + a]];
      // Σ max = Σ w_a + Σ w_b − Σ min
      const all = own[a] + imaged[b] - there;
      const others = own[b] + imaged[a] - back;
      if (all > 0 && others > 0) overlaps[a * boneCount + b] = (there / all + back / others) / 2;
    }
  }
  return overlaps;
}
