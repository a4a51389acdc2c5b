// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { checkSkin } from '../../skin/skin.ts';
import { cutLevel } from '../cut-level.ts';
import { checkMesh, makeMesh } from '../mesh.ts';

describe('cutLevel', () => {
  it('keeps the attributes and weights of the vertices of a level, part by part', () => {
    const positions = Float32Array.from({ length: 24 }, (_, c) => c);
    const whole = makeMesh(positions, Uint32Array.of(0, 1, 2, 1, 2, 3, 4, 5, 6, 5, 6, 7));
    const [part] = whole.parts;
    const mesh = {
      ...whole,
      normals: positions,
      attributes: [{ name: 'TEXCOORD_0', size: 2, values: Float32Array.from({ length: 16 }, (_, c) => c / 16) }],
      parts: [
        { ...part, vertexCount: 4, triangleCount: 2 },
        { ...part, name: 'second', vertexStart: 4, vertexCount: 4, triangleStart: 2, triangleCount: 2 },
      ],
    };
    const skin = {
      rowStart: Uint32Array.from({ length: 9 }, (_, i) => 2 * i),
      boneIndices: Uint32Array.from({ length: 16 }, (_, e) => e % 3),
      weights: new Float32Array(16).fill(0.5),
    };
    const vertices = Uint32Array.of(0, 2, 3, 4, 6, 7);
    const level = {
      vertices,
      positions: new Float32Array(18).fill(9),
      triangles: Uint32Array.of(0, 1, 2, 3, 4, 5),
      boneMap: Uint32Array.of(0, 1, 1),
    };
    const cut = cutLevel(mesh, skin, level);
    checkMesh(cut.mesh);
    checkSkin(cut.skin, 2);
    expect(cut.mesh.parts).toMatchObject([
      { vertexStart: 0, vertexCount: 3, triangleStart: 0, triangleCount: 1 },
      { name: 'second', vertexStart: 3, vertexCount: 3, triangleStart: 1, triangleCount: 1 },
    ]);
    expect(cut.mesh.positions).toBe(level.positions);
    expect([...cut.mesh.normals!.subarray(3, 6)]).toEqual([6, 7, 8]);
    expect([...cut.mesh.attributes[0].values.subarray(2, 4)]).toEqual([4 / 16, 5 / 16]);
    expect([...cut.skin.boneIndices.subarray(0, 6)]).toEqual([0, 1, 1, 1, 0, 1]);
  });
});
