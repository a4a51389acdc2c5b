// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../core/model/asset.ts';
import { makeAsset } from '../../core/model/make-asset.ts';
import { makeMesh } from '../../core/model/mesh/mesh.ts';
import { makeLooseSkeleton } from '../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import { measureSurfaces } from '../measure-surfaces.ts';

/** A triangle that rises to some height from half a second on, and is back within the last twentieth. */
function jumpTo(height: number): Asset {
  const mesh = makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 0, 1), Uint32Array.of(0, 1, 2));
  const still = { kind: 'clip', name: 'jump', mesh, positions: mesh.positions, times: Float64Array.of(0) } as const;
  const values = Float32Array.of(0, 0, 0, 0, 0, 0, 0, height, 0, 0, 0, 0);
  const track = {
    ...({ node: 0, path: 'translation', interpolation: 'LINEAR' } as const),
    ...{ times: Float32Array.of(0, 0.5, 0.95, 1), values },
  };
  return {
    ...makeAsset(still, { name: 'jump' }),
    nodes: {
      names: ['node'],
      parents: Int32Array.of(-1),
      translations: new Float64Array(3),
      rotations: Float64Array.of(0, 0, 0, 1),
      scales: Float64Array.of(1, 1, 1),
    },
    rig: {
      skeleton: makeLooseSkeleton(1),
      skin: makeSkin([0, 0, 0], [1, 1, 1], 1),
      nodeOfBone: Int32Array.of(0),
      isJoint: Uint8Array.of(1),
    },
    clips: [],
    animations: [{ name: 'jump', duration: 1, tracks: [track] }],
  };
}

describe('measureSurfaces', () => {
  it('finds a distance between its poses if it searches', () => {
    const sides = [jumpTo(1), jumpTo(0)] as const;
    expect(measureSurfaces(...sides, 11).max).toBeLessThan(0.9);
    expect(measureSurfaces(...sides, 11, { isSearched: true }).max).toBeGreaterThan(0.99);
  });
});
