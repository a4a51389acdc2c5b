// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../math/mat4.ts';
import type { Asset } from '../model/asset.ts';
import { makeTimes } from '../model/clip.ts';
import { makeMesh } from '../model/mesh.ts';
import { makeSkin } from '../model/skin.ts';
import { inspect } from './inspect.ts';

// Two squares that share an edge, the second with its own copies of the shared corners (a seam):
//
//   1---3 5---7
//   | / | | / |      plus a triangle without area (0 1 1) and a vertex that no triangle names (8)
//   0---2 4---6
const positions = Float32Array.from([0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 2, 0, 0, 2, 1, 0, 9, 0, 0]);
const triangles = Uint32Array.from([0, 2, 3, 0, 3, 1, 4, 6, 7, 4, 7, 5, 0, 1, 1]);

function makeAsset(extra: Partial<Asset> = {}): Asset {
  return {
    name: 'squares',
    mesh: makeMesh(positions, triangles),
    nodes: {
      names: [],
      parents: new Int32Array(0),
      translations: new Float64Array(0),
      rotations: new Float64Array(0),
      scales: new Float64Array(0),
    },
    animations: [],
    clips: [],
    up: 'y',
    byteLength: 123,
    ...extra,
  };
}

function makeStretched(factor: number) {
  const mesh = makeMesh(positions, triangles);
  const frames = Float32Array.from({ length: positions.length * 2 }, (_, c) => positions[c % positions.length]);
  for (let c = positions.length; c < frames.length; c++) frames[c] *= factor;
  return { kind: 'clip' as const, name: 'stretch', mesh, positions: frames, times: makeTimes(2, 25) };
}

describe('inspect', () => {
  it('counts vertices, welded points, parts and what is wrong with a mesh', () => {
    const { mesh, size, kind, skinnable } = inspect(makeAsset());
    expect(mesh).toMatchObject({
      vertices: 9,
      weldedVertices: 7,
      triangles: 5,
      connectedParts: 1,
      degenerateTriangles: 1,
      unreferencedVertices: 1,
      hasNormals: false,
    });
    expect(size).toMatchObject({ min: [0, 0, 0], max: [9, 1, 0], height: 1, up: 'y' });
    expect(size.ballRadius).toBeCloseTo(Math.hypot(9, 1) / 2, 5);
    expect(kind).toBe('static');
    expect(skinnable).toMatch(/Nothing moves/);
  });

  it('measures the height along the up axis', () => {
    expect(inspect(makeAsset({ up: 'x' })).size.height).toBe(9);
  });

  it('calls a clip skinnable when most edges keep their length, and says when they do not', () => {
    const rigid = inspect(makeAsset({ clips: [makeStretched(1.04)] }));
    expect(rigid.rigidEdgeRatio).toBe(1);
    expect(rigid.skinnable).toMatch(/looks skinnable: 100 %/);
    const stretched = inspect(makeAsset({ clips: [makeStretched(1.04), makeStretched(3)] }));
    expect(stretched.rigidEdgeRatio).toBe(0.5);
    expect(stretched.clips[1]).toMatchObject({ frames: 2, fps: 25 });
    expect(inspect(makeAsset({ clips: [makeStretched(0)] })).rigidEdgeRatio).toBe(0.5);
  });

  it('tells joints that carry weight from those that do not, and from bones that are no joints', () => {
    const bones = Array.from({ length: 9 }, (_, i) => [i < 4 ? 0 : 1, i < 2 ? 2 : 1]).flat();
    const weights = Array.from({ length: 9 }, () => [0.75, 0.25]).flat();
    const rig = {
      skeleton: { names: ['a', 'b', 'c', 'd'], parents: Int32Array.of(-1, 0, 1, 2), bindMatrices: makeIdentities(4) },
      skin: makeSkin(bones, weights, 2),
      nodeOfBone: Int32Array.of(0, 1, 2, 3),
      isJoint: Uint8Array.of(1, 1, 0, 1),
    };
    const facts = inspect(makeAsset({ rig }));
    expect(facts.rig).toMatchObject({ bones: 4, joints: 3, weightedJoints: 2, maxInfluences: 2 });
    expect(facts.kind).toBe('skinned');
    expect(facts.skinnable).toMatch(/skinned already \(4 bones, without an animation\)/);
  });
});
