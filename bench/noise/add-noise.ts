// SPDX-License-Identifier: MIT
import { makeRandom } from '../../src/core/math/random.ts';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import { weldClip } from '../../src/core/mesh/topology/weld.ts';
import { type Clip, frameCountOf, frameOf } from '../../src/core/model/clip/clip.ts';

/** Options of addNoise. */
export interface NoiseOptions {
  /** Standard deviation per coordinate, relative to the box diagonal of the rest pose. */
  ratio?: number;
  /** Probability that a vertex jumps in a frame, by 20 standard deviations on average. */
  jumps?: number;
  /** Keeps the rest pose. Otherwise it is the first frame, noise included, as in a sequence of scans. */
  keepRest?: boolean;
  /** Random seed. */
  seed?: number;
}

/** Defaults of NoiseOptions. */
export const NOISE_DEFAULTS: Required<NoiseOptions> = { ratio: 0.005, jumps: 0, keepRest: false, seed: 0 };

/** Size of a jump in standard deviations. */
const JUMP = 20;

/** Adds independent noise to every vertex of every frame, the same to vertices that coincide. */
export function addNoise(clip: Clip, options: NoiseOptions = {}): Clip {
  const { ratio, jumps, keepRest, seed } = { ...NOISE_DEFAULTS, ...options };
  const random = makeRandom(seed);
  const { pointCount, pointOfVertex } = weldClip(clip);
  const sigma = ratio * measureBounds(clip.mesh.positions).diagonal;
  const positions = clip.positions.slice();
  const stride = clip.mesh.positions.length;
  const offsets = new Float64Array(3 * pointCount);
  for (let k = 0; k < frameCountOf(clip); k++) {
    for (let i = 0; i < pointCount; i++) {
      const size = jumps > 0 && random.next() < jumps ? JUMP * sigma : sigma;
      for (let r = 0; r < 3; r++) offsets[3 * i + r] = size * random.normal();
    }
    pointOfVertex.forEach((i, v) => {
      for (let r = 0; r < 3; r++) positions[k * stride + 3 * v + r] += offsets[3 * i + r];
    });
  }
  const noisy = { ...clip, positions };
  if (keepRest || frameCountOf(clip) === 0) return noisy;
  return { ...noisy, mesh: { ...clip.mesh, positions: frameOf(noisy, 0).slice(), normals: undefined } };
}
