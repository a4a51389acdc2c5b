// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { type Clip, makeTimes } from '../../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { nystromClusters } from '../nystrom-clusters.ts';

const PER_PART = 120;

/** Clouds of points side by side, each turning about its own middle at its own rate. */
function makeClouds(parts: number, frames: number): Clip {
  const random = makeRandom(1);
  const rest: number[] = [];
  for (let p = 0; p < parts; p++)
    for (let n = 0; n < PER_PART; n++) rest.push(2 * p + random.next(), random.next(), random.next());
  const positions: number[] = [];
  for (let k = 0; k < frames; k++) {
    for (let i = 0; i < parts * PER_PART; i++) {
      const part = Math.floor(i / PER_PART);
      const angle = 0.3 * k * (part + 1);
      const [x, y, z] = [rest[3 * i] - 2 * part - 0.5, rest[3 * i + 1] - 0.5, rest[3 * i + 2]];
      positions.push(
        2 * part + Math.cos(angle) * x - Math.sin(angle) * y,
        Math.sin(angle) * x + Math.cos(angle) * y,
        z,
      );
    }
  }
  return {
    kind: 'clip',
    name: 'clouds',
    mesh: makeMesh(Float32Array.from(rest), new Uint32Array(0)),
    positions: Float32Array.from(positions),
    times: makeTimes(frames, 24),
  };
}

describe('nystromClusters', () => {
  let compute: Compute;
  beforeAll(async () => {
    compute = await makeCompute({ kind: 'typescript' });
  });
  const cluster = (clip: Clip, count: number, landmarks?: number) => {
    const { trajectories, weld } = normalizeClip(compute, clip);
    const labels = nystromClusters(trajectories, count, makeRandom(0), { landmarks });
    return Array.from(weld.pointOfVertex, (i) => labels[i]);
  };

  it.each([40, 120, 360])('separates rigid parts with %i landmarks', (landmarks) => {
    const labels = cluster(makeClouds(3, 8), 3, landmarks);
    for (let p = 0; p < 3; p++)
      expect(new Set(labels.slice(p * PER_PART, (p + 1) * PER_PART)).size, `part ${p}`).toBe(1);
    expect(new Set(labels).size).toBe(3);
  });

  it('gives nearly the same result with some landmarks as with all points', () => {
    const clip = makeClouds(3, 6);
    const exact = cluster(clip, 6, 360);
    const fast = cluster(clip, 6, 150);
    // pairs of points that one of them puts together and the other does not
    let differ = 0;
    for (let i = 0; i < exact.length; i++)
      for (let l = 0; l < i; l++) if ((exact[i] === exact[l]) !== (fast[i] === fast[l])) differ++;
    expect(differ).toBeLessThan(0.15 * ((exact.length * (exact.length - 1)) / 2));
  });

  it('accepts a single frame, coincident points, and more clusters than points', () => {
    expect(new Set(cluster(makeClouds(2, 1), 4)).size).toBeLessThanOrEqual(4);
    const clip = makeClouds(1, 3);
    expect(new Set(cluster(clip, 1000)).size).toBe(PER_PART);
    expect(
      new Set(cluster({ ...clip, positions: new Float32Array(clip.positions.length) }, 5)).size,
    ).toBeLessThanOrEqual(5);
  });
});
