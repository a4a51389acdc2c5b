// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { type Motion, poseOf } from '../../../core/model/clip/motion.ts';
import type { DirectDeltaMush } from '../../../core/model/deformed/direct-delta-mush.ts';
import { measureTwoLayerBytes } from '../../../core/model/deformed/two-layer.ts';
import { makeDdm } from '../../../deformers/direct-delta-mush/make-ddm.ts';
import { sampleAnimation } from '../../../deformers/playback/sample-animation.ts';
import { makeTwoLayer } from '../../../deformers/two-layer/make-two-layer.ts';
import { makeTwoLayerCentered } from '../../../deformers/two-layer/two-layer-centered.ts';
import { createTwoLayerRuntime } from '../../../deformers/two-layer/two-layer-runtime.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { precomputeDdm } from '../../mush/precompute-ddm.ts';
import { compressDdm } from '../compress-ddm.ts';
import type { CompressResult } from '../compressor.ts';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');
const NINJA = join(resolve(ROOT, process.env.OSSIFY_DATA ?? '../shared'), 'rigs/ninja.glb');

describe.skipIf(!existsSync(NINJA))('compressing a person (needs the data folder)', () => {
  let compute: Compute;
  let ddm: DirectDeltaMush;
  let motion: Motion;
  let result: CompressResult;

  beforeAll(async () => {
    const asset = await readAsset([{ name: 'ninja.glb', bytes: new Uint8Array(readFileSync(NINJA)) }]);
    const { skeleton, skin } = asset.rig!;
    compute = await makeCompute({ threads: 1 });
    ddm = await precomputeDdm(asset.mesh, skeleton, skin, { compute, lambda: 20 });
    result = await compressDdm(ddm, { virtualBones: 100, iterations: 2, poses: 8, compute });
    const animation = asset.animations[0];
    const times = [0.2, 0.5, 0.8].map((t) => t * animation.duration);
    motion = sampleAnimation(asset, animation, times).motion;
  }, 90_000);
  afterAll(() => compute?.dispose());

  it('with 100 virtual bones and few iterations stays under 0.1 % RMS on its own animation', () => {
    const count = ddm.mesh.positions.length;
    const [a, b] = [new Float64Array(count), new Float64Array(count)];
    let sum = 0;
    let max = 0;
    for (let k = 0; k < 3; k++) {
      const pose = { bones: poseOf(motion, k) };
      makeDdm(ddm).deformInto(pose, a);
      makeTwoLayer(result.model).deformInto(pose, b);
      for (let c = 0; c < count; c += 3) {
        const square = (a[c] - b[c]) ** 2 + (a[c + 1] - b[c + 1]) ** 2 + (a[c + 2] - b[c + 2]) ** 2;
        sum += square / count;
        max = Math.max(max, square);
      }
    }
    expect(Math.sqrt(sum)).toBeLessThan(0.001 * result.size);
    expect(Math.sqrt(max)).toBeLessThan(0.01 * result.size);
    expect(result.rmseFit).toBeLessThan(0.00232 * result.size);
    expect(measureTwoLayerBytes(result.model).total).toBeLessThan(670 * 1024);
  });

  it('plays 10 m and 10 km from the origin in single precision', async () => {
    const bones = poseOf(motion, 1);
    const count = ddm.mesh.positions.length;
    const near = new Float64Array(count);
    makeTwoLayer(result.model).deformInto({ bones }, near);
    const carried = (far: number) => ({ bones: Float64Array.from(bones, (v, c) => (c % 16 === 12 ? v + far : v)) });
    const farthest = (out: ArrayLike<number>, shift: ArrayLike<number>): number => {
      let max = 0;
      for (let c = 0; c < count; c++) max = Math.max(max, Math.abs(out[c] - shift[c % 3] - near[c]));
      return max;
    };
    const runtime = await createTwoLayerRuntime(result.model, { compute });
    expect(farthest((await runtime.deform(carried(10))).positions, [10, 0, 0])).toBeLessThan(1e-4 * result.size);
    // two spacings of single precision at 10 km
    expect(farthest((await runtime.deform(carried(1e4))).positions, [1e4, 0, 0])).toBeLessThan(2 * 2 ** -10);
    runtime.dispose();
    const relative = makeTwoLayerCentered(result.model, { root: 0 });
    const out = new Float32Array(count);
    relative.deformInto(carried(1e4), out);
    const shift = relative.shiftOf(carried(1e4));
    const back = Float64Array.from(out, (v, c) => v + shift[c % 3]);
    expect(farthest(back, [1e4, 0, 0])).toBeLessThan(1e-4 * result.size);
  });
});
