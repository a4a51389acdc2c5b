// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeAsset } from '../../../core/model/make-asset.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { editRest } from '../edit-rest.ts';

const { clip, skeleton, skin, motion } = makeSample('bar-bend', { frames: 3 });
const asset = makeAsset({ kind: 'skin', mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] });

describe('editRest', () => {
  it('keeps normals away from the edit, and turns those at the edit to unit length', () => {
    const { positions, triangles } = asset.mesh;
    const normals = new Float32Array(positions.length);
    for (let c = 0; c < normals.length; c += 3) normals[c + 1] = 1;
    const tangents = Float32Array.from({ length: (4 * positions.length) / 3 }, (_, c) => [1, 0, 0, -1][c % 4]);
    const shaded = {
      ...asset,
      mesh: { ...asset.mesh, normals, attributes: [{ name: 'TANGENT', size: 4, values: tangents }] },
    };
    const edited = positions.slice();
    edited[3 * triangles[0] + 2] += 0.3;
    const { mesh } = editRest(shaded, edited);
    const near = new Set<number>();
    for (let t = 0; t < triangles.length; t += 3) {
      const corners = triangles.subarray(t, t + 3);
      if (corners.includes(triangles[0])) for (const i of corners) near.add(i);
    }
    const [{ values }] = mesh.attributes;
    for (let i = 0; i < positions.length / 3; i++) {
      const [x, y, z] = mesh.normals!.subarray(3 * i, 3 * i + 3);
      const [tx, ty, tz, hand] = values.subarray(4 * i, 4 * i + 4);
      expect(Math.hypot(x, y, z)).toBeCloseTo(1, 5);
      expect(tx * x + ty * y + tz * z).toBeCloseTo(0, 5);
      expect(hand).toBe(-1);
      if (!near.has(i)) expect([x, y, z]).toEqual([0, 1, 0]);
    }
    expect([...near].some((i) => mesh.normals![3 * i + 1] < 0.999)).toBe(true);
  });

  it('refuses shapes with other vertices or without finite numbers, and assets without bones', () => {
    const { positions } = asset.mesh;
    expect(() => editRest(asset, positions.slice(3))).toThrow(/has \d+ vertices, the skin has \d+/);
    expect(() =>
      editRest(
        asset,
        positions.map((x, c) => (c === 4 ? Number.NaN : x)),
      ),
    ).toThrow(/vertex 1 .* not finite/);
    expect(() =>
      editRest(
        asset,
        positions.map((x, c) => (c === 4 ? 1e30 : x)),
      ),
    ).toThrow(/vertex 1 .* larger than/);
    expect(() => editRest({ ...asset, rig: undefined }, positions)).toThrow(/has no skin/);
  });
});
