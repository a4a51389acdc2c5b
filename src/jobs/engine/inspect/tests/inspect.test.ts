// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../../core/math/mat4.ts';
import type { Asset } from '../../../../core/model/asset.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { inspect } from '../inspect.ts';

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

  it('estimates eta: parts that turn are skinnable, waves all over a sheet are not', () => {
    const { clip: parts } = makeSample('quadruped', { resolution: 400, frames: 12 });
    const facts = inspect(makeAsset({ mesh: parts.mesh, clips: [parts] }));
    expect(facts.eta).toBeGreaterThan(0.5);
    expect(facts.skinnable).toMatch(/looks skinnable: about \d+ % of its triangles/);
    const { clip: waves } = makeSample('sheet', { resolution: 600, frames: 30 });
    const poor = inspect(makeAsset({ mesh: waves.mesh, clips: [parts, waves] }));
    expect(poor.eta).toBeLessThan(0.5);
    expect(poor.skinnable).toMatch(/poor candidate/);
    expect(poor.clips[1]).toMatchObject({ frames: 30 });
  });

  it('counts a morph target of two parts once, and calls a morphing file so if its node moves as well', () => {
    const target = (weight: number, vertexStart: number) => ({
      ...{ name: 'smile', node: 0, weight, vertexStart, vertexCount: 4 },
      positions: Float32Array.from({ length: 12 }, (_, c) => c / 9),
    });
    const morphs = {
      targets: [target(0, 0), target(1, 0), target(2, 0), target(0, 4), target(1, 4), target(2, 4)],
      restWeights: [{ node: 0, weights: new Float32Array(3) }],
    };
    const track = (path: 'weights' | 'translation', values: number[]) => ({
      ...{ node: 0, path, interpolation: 'LINEAR' as const, times: Float32Array.of(0, 1) },
      values: Float32Array.from(values),
    });
    const nodes = {
      names: ['face'],
      parents: Int32Array.of(-1),
      translations: new Float64Array(3),
      rotations: Float64Array.of(0, 0, 0, 1),
      scales: Float64Array.of(1, 1, 1),
    };
    const rig = {
      skeleton: { names: ['face'], parents: Int32Array.of(-1), bindMatrices: makeIdentities(1) },
      skin: makeSkin(new Array(9).fill(0), new Array(9).fill(1), 1),
      nodeOfBone: Int32Array.of(0),
      isJoint: Uint8Array.of(0),
    };
    const moves = [track('translation', [0, 0, 0, 1, 0, 0])];
    const animation = { name: 'talk', duration: 1, tracks: [...moves, track('weights', [0, 0, 0, 1, 0, 0])] };
    const facts = inspect(makeAsset({ nodes, rig, morphs, animations: [animation] }));
    expect(facts).toMatchObject({ kind: 'morphing', morphTargets: 3 });
    expect(facts.eta).toBeDefined();
    const still = inspect(makeAsset({ nodes, rig, morphs, animations: [{ ...animation, tracks: moves }] }));
    expect(still.kind).toBe('skinned');
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
