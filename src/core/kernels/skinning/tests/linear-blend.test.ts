// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { type Compute, uploadFloat32, uploadUint32 } from '../../compute.ts';
import { linearBlendKernel } from '../linear-blend.ts';

/** A skin of ragged rows over five bones: turns, scales and one half turn. */
function makeProblem(vertexCount: number) {
  const random = makeRandom(1);
  const bones = new Float32Array(5 * 16);
  for (let j = 0; j < 5; j++) {
    const angle = j === 2 ? Math.PI : random.next() * 6;
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    const k = 0.5 + random.next();
    bones.set(
      [c, s, 0, 0, -s * k, c * k, 0, 0, 0, 0, 1.5, 0, random.normal(), random.normal(), random.normal(), 1],
      16 * j,
    );
  }
  const rowStart = new Uint32Array(vertexCount + 1);
  const indices: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < vertexCount; i++) {
    const n = 1 + random.below(5);
    for (let e = 0; e < n; e++) {
      indices.push((i + e) % 5);
      weights.push(1 / n);
    }
    rowStart[i + 1] = indices.length;
  }
  const points = Float32Array.from({ length: vertexCount * 3 }, () => random.normal());
  return { bones, rowStart, indices, weights, points };
}

async function blend(
  compute: Compute,
  vertexCount: number,
  withNormals: boolean,
): Promise<{ positions: Float32Array; normals: Float32Array }> {
  const p = makeProblem(vertexCount);
  const rest = uploadFloat32(compute, p.points);
  const positions = compute.float32(3 * vertexCount);
  const normals = compute.float32(3 * vertexCount);
  const args = {
    bones: uploadFloat32(compute, p.bones),
    rowStart: uploadUint32(compute, p.rowStart),
    boneIndices: uploadUint32(compute, p.indices),
    weights: uploadFloat32(compute, p.weights),
    rest,
    restNormals: withNormals ? rest : undefined,
    positions,
    normals,
    vertexCount,
    chunkSize: 64,
  };
  await compute.run(linearBlendKernel, args, Math.ceil(vertexCount / 64));
  return { positions: positions.view().slice(), normals: normals.view().slice() };
}

describe('the linear blend kernel', () => {
  it.each([1, 63, 1001])('agrees with its reference on %i vertices', async (vertexCount) => {
    const wasm = await makeCompute({ kind: 'wasm', threads: 2 });
    const reference = await makeCompute({ kind: 'typescript' });
    const fast = await blend(wasm, vertexCount, true);
    const slow = await blend(reference, vertexCount, true);
    for (let c = 0; c < 3 * vertexCount; c++) {
      expect(Math.abs(fast.positions[c] - slow.positions[c])).toBeLessThan(2e-5);
      expect(Math.abs(fast.normals[c] - slow.normals[c])).toBeLessThan(1e-3);
    }
    wasm.dispose();
  });

  it('does not write normals when none are given', async () => {
    const wasm = await makeCompute({ kind: 'wasm', threads: 1 });
    expect((await blend(wasm, 10, false)).normals.every((x) => x === 0)).toBe(true);
  });
});
