// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { type Clip, frameOf } from '../../../core/model/clip/clip.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { stiffenClip } from '../stiffen-clip.ts';

const FRAMES = 3;
let compute: Compute;
const { clip: bent } = makeSample('bar-bend', { resolution: 200, frames: 240 });
const stride = bent.mesh.positions.length;
/** The first frame, turned a little in each frame. */
const turned = Float32Array.from({ length: FRAMES * stride }, (_, c) => {
  const [k, i] = [Math.floor(c / stride), Math.floor((c % stride) / 3) * 3];
  const [x, y, z] = bent.positions.subarray(i, i + 3);
  return [x * Math.cos(k / 9) - y * Math.sin(k / 9), x * Math.sin(k / 9) + y * Math.cos(k / 9), z][c % 3];
});
const clipOf = (positions: Float32Array): Clip => ({ ...bent, positions, times: bent.times.slice(0, FRAMES) });
const scansOf = (clip: Clip) => [0, 1, 2].map((k) => ({ ...clip.mesh, positions: frameOf(clip, k).slice() }));

beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => compute.dispose());

describe('stiffenClip', () => {
  it('replaces the errors of tracking by one rigid motion if the body does not bend', async () => {
    const random = makeRandom(1);
    const tracked = clipOf(turned.map((x) => x + 1e-5 * random.normal()));
    const still = (await stiffenClip(compute, scansOf(clipOf(turned)), tracked))!;
    const off = still.positions.map((x, c) => Math.abs(x - turned[c]));
    expect(Math.max(...off)).toBeLessThan(1e-5);
  });

  it('leaves a slow bend', async () => {
    const slow = clipOf(bent.positions.slice(0, FRAMES * stride));
    expect(await stiffenClip(compute, scansOf(slow), slow)).toBeUndefined();
  });
});
