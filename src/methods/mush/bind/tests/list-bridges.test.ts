// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../../core/math/mat4.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { makeDdm } from '../../../../deformers/direct-delta-mush/make-ddm.ts';
import { precomputeDdm } from '../../precompute-ddm.ts';
import { listBridges } from '../list-bridges.ts';

describe('bridges', () => {
  it('connect each point to the nearest point of another part with the same bone, once', () => {
    // part 0: points 0 1; part 1: points 2 3 4, of which 4 has another bone
    const positions = Float64Array.of(0, 0, 0, 5, 0, 0, 0.1, 0, 0, 0.2, 0, 0, 5.01, 0, 0);
    const bridges = listBridges(positions, Uint32Array.of(0, 0, 1, 1, 1), Uint32Array.of(7, 7, 7, 7, 8), 0.5);
    expect([...bridges]).toEqual([0, 2, 0, 3]);
    expect(listBridges(positions, new Uint32Array(5), new Uint32Array(5), 0.5)).toHaveLength(0);
    expect(listBridges(positions, Uint32Array.of(0, 0, 1, 1, 1), new Uint32Array(5), 0)).toHaveLength(0);
  });

  it('keep two touching tubes without shared vertices together', async () => {
    // two open tubes along x, 0 to 4 and 4.01 to 8; bone 1 from 3 on, so that smoothing reaches over the gap
    const ring = 12;
    const rows = [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.01, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8];
    const rest: number[] = [];
    const bones: number[] = [];
    for (const x of rows) {
      for (let n = 0; n < ring; n++) {
        const angle = (2 * Math.PI * n) / ring;
        rest.push(x, Math.cos(angle), Math.sin(angle));
        bones.push(x < 3 ? 0 : 1);
      }
    }
    const triangles: number[] = [];
    for (let r = 0; r + 1 < rows.length; r++) {
      if (r === 8) continue;
      for (let n = 0; n < ring; n++) {
        const a = r * ring + n;
        const b = r * ring + ((n + 1) % ring);
        triangles.push(a, b, a + ring, b, b + ring, a + ring);
      }
    }
    const mesh = makeMesh(Float32Array.from(rest), Uint32Array.from(triangles));
    const bindMatrices = makeIdentities(2);
    bindMatrices[28] = 3;
    const skeleton = { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices };
    const skin = makeSkin(
      bones,
      bones.map(() => 1),
      1,
    );
    // bone 1 turns by a right angle about the z axis through (3, 0, 0)
    const pose = Float64Array.from([...makeIdentities(1), 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 3, -3, 0, 1]);
    const gapOf = async (bridge: number): Promise<number> => {
      const model = await precomputeDdm(mesh, skeleton, skin, { bridge, map: 'none', lambda: 20 });
      const positions = new Float64Array(rest.length);
      makeDdm(model).deformInto({ bones: pose }, positions);
      let gap = 0;
      for (let n = 0; n < ring; n++) {
        const a = 3 * (8 * ring + n);
        const b = 3 * (9 * ring + n);
        gap = Math.max(
          gap,
          Math.hypot(
            positions[a] - positions[b],
            positions[a + 1] - positions[b + 1],
            positions[a + 2] - positions[b + 2],
          ),
        );
      }
      return gap;
    };
    const torn = await gapOf(0);
    const tied = await gapOf(0.002);
    expect(torn).toBeGreaterThan(0.3);
    expect(tied).toBeLessThan(0.05);
  });
});
