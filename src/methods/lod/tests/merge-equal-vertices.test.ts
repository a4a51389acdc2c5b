// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { weldClip } from '../../../core/mesh/topology/weld.ts';
import { makeAsset } from '../../../core/model/make-asset.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { mergeEqualVertices } from '../merge-equal-vertices.ts';

/** A square of two triangles without a common vertex. */
function makeSquare(u: readonly number[]) {
  const corners = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [0, 0, 0],
    [1, 1, 0],
    [0, 1, 0],
  ];
  const plain = makeMesh(Float32Array.from(corners.flat()), Uint32Array.of(0, 1, 2, 3, 4, 5));
  const mesh = { ...plain, attributes: [{ name: 'TEXCOORD_0', size: 1, values: Float32Array.from(u) }] };
  const clip = { kind: 'clip', name: '', mesh, positions: mesh.positions, times: Float64Array.of(0) } as const;
  return { asset: { ...makeAsset(clip, { name: '' }), clips: [] }, weld: weldClip(clip) };
}

describe('mergeEqualVertices', () => {
  it('joins triangles without common vertices', () => {
    const { asset, weld } = makeSquare([0, 0, 0, 0, 0, 0]);
    expect([...mergeEqualVertices(asset, weld, true).triangles]).toEqual([0, 1, 2, 0, 2, 5]);
  });

  it('joins vertices with other normals on request only', () => {
    const { asset, weld } = makeSquare([0, 0, 0, 0, 0, 0]);
    const normals = Float32Array.from([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0]);
    const flat = { ...asset, mesh: { ...asset.mesh, normals } };
    expect([...mergeEqualVertices(flat, weld, true).triangles]).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...mergeEqualVertices(flat, weld, false).triangles]).toEqual([0, 1, 2, 0, 2, 5]);
  });

  it('keeps vertices apart whose data differ', () => {
    const { asset, weld } = makeSquare([0, 0, 0, 0, 0.5, 0]);
    expect([...mergeEqualVertices(asset, weld, true).triangles]).toEqual([0, 1, 2, 0, 4, 5]);
  });
});
