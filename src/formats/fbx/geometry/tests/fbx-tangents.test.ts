// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Mesh } from '../../../../core/model/mesh/mesh.ts';
import { moveFbxTangents } from '../fbx-tangents.ts';

const mesh = (values: number[]): Mesh => ({
  ...{ name: 'm', positions: new Float32Array(9), triangles: new Uint32Array([0, 1, 2]), parts: [] },
  attributes: [{ name: 'TANGENT', size: 4, values: new Float32Array(values) }],
});

describe('moveFbxTangents', () => {
  it('turns tangents with their mesh, and changes the side of binormals in a mirror', () => {
    const quarter = Float64Array.of(0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 5, 5, 5, 1);
    expect([...moveFbxTangents(mesh([1, 0, 0, -1]), quarter)[0].values]).toEqual([0, 1, 0, -1]);
    const mirror = Float64Array.of(-3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    expect([...moveFbxTangents(mesh([1, 0, 0, -1]), mirror)[0].values]).toEqual([-1, 0, 0, 1]);
  });
});
