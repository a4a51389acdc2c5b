// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeDdm } from '../../../deformers/direct-delta-mush/make-ddm.ts';
import { type DdmOptions, V1_EDGES } from '../ddm-options.ts';
import { lambdaOfReach } from '../lambda-of-reach.ts';
import { precomputeDdm } from '../precompute-ddm.ts';

/** A sheet of 4 x 1, with some edges per unit. */
function makeSheet(edges: number): Mesh {
  const [wide, high] = [4 * edges + 1, edges + 1];
  const positions = Float32Array.from({ length: 3 * wide * high }, (_, c) => {
    const i = Math.floor(c / 3);
    return c % 3 === 0 ? (i % wide) / edges - 2 : c % 3 === 1 ? Math.floor(i / wide) / edges : 0;
  });
  const triangles: number[] = [];
  for (let y = 0; y + 1 < high; y++)
    for (let x = 0; x + 1 < wide; x++) {
      const a = y * wide + x;
      triangles.push(a, a + 1, a + wide + 1, a, a + wide + 1, a + wide);
    }
  return makeMesh(positions, Uint32Array.from(triangles));
}

/** The positions of a sheet that two bones fold by a right angle in the middle, by x and y in quarters of a unit. */
async function fold(edges: number, options: { lambda?: number }): Promise<Map<string, number[]>> {
  const mesh = makeSheet(edges);
  const { positions } = mesh;
  const bones = Array.from({ length: positions.length / 3 }, (_, i) => (positions[3 * i] < 0.001 ? 0 : 1));
  const skin = makeSkin(bones, new Array(bones.length).fill(1), 1);
  const skeleton = { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices: makeIdentities(2) };
  const model = await precomputeDdm(mesh, skeleton, skin, { map: 'none', threshold: 0, ...options });
  const pose = makeIdentities(2);
  pose.set([0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 1], 16);
  const out = new Float64Array(positions.length);
  makeDdm(model).deformInto({ bones: pose }, out);
  const found = new Map<string, number[]>();
  for (let c = 0; c < out.length; c += 3) {
    const [x, y] = [4 * positions[c], 4 * positions[c + 1]];
    if (Number.isInteger(x) && Number.isInteger(y)) found.set(`${x} ${y}`, [...out.subarray(c, c + 3)]);
  }
  return found;
}

const apart = (a: Map<string, number[]>, b: Map<string, number[]>): number => {
  const squares = [...a].map(([key, p]) => p.reduce((sum, x, c) => sum + (x - b.get(key)![c]) ** 2, 0));
  return Math.sqrt(squares.reduce((sum, x) => sum + x, 0) / squares.length);
};

describe('lambdaOfReach', () => {
  it('is the square of the number of edges in the length, divided by the steps', () => {
    const { lambda, kappa } = lambdaOfReach(makeSheet(8), 1, 20);
    const inside = 3 * 33 + 16;
    expect(lambda[inside]).toBeCloseTo(64 / 20, 4);
    expect(kappa[inside]).toBeCloseTo(64 / 400, 4);
    expect(lambdaOfReach(makeSheet(8), 2, 20).lambda[inside]).toBeCloseTo((4 * 64) / 20, 4);
  });

  it('makes meshes of any resolution deform alike', async () => {
    const [coarse, fine] = [await fold(8, {}), await fold(16, {})];
    expect(coarse.size).toBe(fine.size);
    expect(apart(coarse, fine)).toBeLessThan(0.02);
    expect(apart(await fold(8, { lambda: 20 }), await fold(16, { lambda: 20 }))).toBeGreaterThan(0.06);
  });
});

describe('variant 1', () => {
  it('spans at least one and a half edges, however short the reach is', async () => {
    const mesh = makeSheet(4);
    const bones = Array.from({ length: mesh.positions.length / 3 }, (_, i) => Number(mesh.positions[3 * i] > 0.001));
    const skin = makeSkin(bones, new Array(bones.length).fill(1), 1);
    const skeleton = { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices: makeIdentities(2) };
    const spreadOf = async (options: DdmOptions): Promise<number> => {
      const { multiWeights } = await precomputeDdm(mesh, skeleton, skin, { map: 'none', reach: 0.01, ...options });
      return multiWeights.boneIndices.length;
    };
    const few = await spreadOf({ variant: 0 });
    expect(await spreadOf({ variant: 1 })).toBeGreaterThan(few);
    expect(await spreadOf({ variant: 0, minEdges: V1_EDGES })).toBe(await spreadOf({ variant: 1 }));
    await expect(spreadOf({ minEdges: -1 })).rejects.toThrow('minEdges must be at least 0');
  });
});
