// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { fitTriangleBvh, makeTriangleBvh } from '../../../mesh/geometry/triangle-bvh.ts';
import { type Compute, uploadFloat64, uploadUint32 } from '../../compute.ts';
import { listFitCalls, listLevels } from '../fit-bvh.ts';

const random = makeRandom(3);
/** More nodes than a chunk has. */
const TRIANGLES = 4000;
const triangles = Uint32Array.from({ length: 3 * TRIANGLES }, (_, c) => c);
const makeSoup = (): Float64Array => {
  const soup = new Float64Array(9 * TRIANGLES);
  for (let f = 0; f < TRIANGLES; f++) {
    const center = [random.normal(), random.normal(), random.normal()];
    for (let c = 0; c < 9; c++) soup[9 * f + c] = center[c % 3] + 0.02 * random.normal();
  }
  return soup;
};
const positions = makeSoup();
const bvh = makeTriangleBvh(Float32Array.from(makeSoup()), triangles, 1);

async function fitOn(compute: Compute) {
  const corners = compute.float32(9 * TRIANGLES + 1);
  const normals = compute.float32(3 * TRIANGLES);
  const boxes = compute.float32(bvh.boxes.length);
  const points = Uint32Array.from({ length: 3 * TRIANGLES }, (_, c) => 3 * bvh.order[Math.floor(c / 3)] + (c % 3));
  const calls = listFitCalls({
    ...{ positions: uploadFloat64(compute, positions), points: uploadUint32(compute, points) },
    ...{ children: uploadUint32(compute, bvh.children), corners, normals, boxes, levels: listLevels(bvh.children) },
  });
  expect(calls.length).toBeGreaterThan(2);
  await compute.runAll(calls);
  return {
    corners: corners.view().slice(0, 9 * TRIANGLES),
    normals: normals.view().slice(),
    boxes: boxes.view().slice(),
  };
}

describe('listFitCalls', () => {
  it('fits as fitTriangleBvh does, with unit normals', async () => {
    const { corners, normals, boxes } = await fitOn(await makeCompute({ kind: 'typescript' }));
    fitTriangleBvh(bvh, Float32Array.from(positions), triangles);
    expect(corners).toEqual(bvh.corners);
    expect(boxes).toEqual(bvh.boxes);
    for (let f = 0; f < TRIANGLES; f += 100) {
      const normal = normals.subarray(3 * f, 3 * f + 3);
      const across = [3, 6].map((o) =>
        [0, 1, 2].reduce((sum, a) => sum + normal[a] * (corners[9 * f + o + a] - corners[9 * f + a]), 0),
      );
      expect(Math.hypot(...normal)).toBeCloseTo(1, 6);
      for (const x of across) expect(x).toBeCloseTo(0, 6);
    }
  });

  it('gives the same bits in TypeScript, in WebAssembly and on threads', async () => {
    const expected = await fitOn(await makeCompute({ kind: 'typescript' }));
    for (const threads of [1, 2]) {
      const compute = await makeCompute({ kind: 'wasm', threads });
      try {
        expect(await fitOn(compute)).toEqual(expected);
      } finally {
        compute.dispose();
      }
    }
  });
});
