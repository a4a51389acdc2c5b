// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IDENTITY, transformPoints } from '../../../core/math/mat4.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { svd3Into } from '../../../core/math/svd3.ts';
import { InputError } from '../../../core/model/errors.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeLooseSkeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeDeformer } from '../../../deformers/playback/make-deformer.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { type Collider, makeCollider } from '../collider.ts';
import type { CollisionModel } from '../collision-tree.ts';
import { largestStretch } from '../largest-stretch.ts';
import { makeCollisionTree } from '../make-collision-tree.ts';
import { randomPlace, randomPose } from '../random-pose.ts';

/** A generated animal, with random corrections if rank is above 0. */
function makeAnimal(resolution: number, rank = 0): CollisionModel {
  const { clip, skeleton, skin } = makeSample('creature-soft', { resolution, frames: 1 });
  const plain = { mesh: clip.mesh, skeleton: skeleton!, skin: skin! };
  if (rank === 0) return { kind: 'skin', ...plain };
  const random = makeRandom(3);
  const basis = Float32Array.from({ length: rank * clip.mesh.positions.length }, () => 0.05 * random.normal());
  return { kind: 'corrected-skin', ...plain, correction: { rank, basis, normalRank: 0, tracks: [] } };
}

/** Vertices below each node, by node. */
function listNodeVertices({ tree }: Collider): Set<number>[] {
  const { children, triangles, model } = tree;
  const sets: Set<number>[] = [];
  const visit = (node: number): Set<number> => {
    const first = children[2 * node];
    const own = new Set<number>();
    if (first < 0) {
      for (const t of triangles.subarray(-1 - first, -1 - first + children[2 * node + 1]))
        for (const i of model.mesh.triangles.subarray(3 * t, 3 * t + 3)) own.add(i);
    } else for (const child of children.subarray(2 * node, 2 * node + 2)) for (const i of visit(child)) own.add(i);
    sets[node] = own;
    return own;
  };
  visit(0);
  return sets;
}

describe('Collider', () => {
  it.each([0, 4])('bounds every vertex of every node in any pose, with %i corrections', (rank) => {
    const model = makeAnimal(200, rank);
    const collider = makeCollider(makeCollisionTree(model));
    const deformer = makeDeformer(model);
    const sets = listNodeVertices(collider);
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0, 0.3, 3), fc.constantFrom(0, 0.5, 2), (seed, turn, stretch) => {
        const random = makeRandom(seed);
        const pose = randomPose(model, random, { turn, stretch });
        const world = randomPlace(random, 10);
        collider.pose(pose, world);
        const shape = new Float32Array(model.mesh.positions.length);
        deformer.deformInto(pose, shape);
        const posed = new Float64Array(shape.length);
        transformPoints(world, shape, posed);
        for (const [node, vertices] of sets.entries()) {
          const o = collider.computeSphere(node);
          const [x, y, z, radius] = collider.spheres.subarray(o, o + 4);
          let farthest = 0;
          for (const i of vertices)
            farthest = Math.max(farthest, Math.hypot(posed[3 * i] - x, posed[3 * i + 1] - y, posed[3 * i + 2] - z));
          expect(farthest, `node ${node}`).toBeLessThanOrEqual(radius);
          const { boundEnd } = collider.tree;
          if (node < boundEnd) continue;
          const box = collider.boxes.subarray(6 * (node - boundEnd), 6 * (node - boundEnd + 1));
          const isInside = (i: number) =>
            [0, 1, 2].every((c) => box[c] <= posed[3 * i + c] && posed[3 * i + c] <= box[3 + c]);
          expect([...vertices].every(isInside), `box of node ${node}`).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([0, 4])('computes the vertices of the deformer, bit for bit, with %i corrections', (rank) => {
    const model = makeAnimal(200, rank);
    const collider = makeCollider(makeCollisionTree(model));
    const pose = randomPose(model, makeRandom(5), { turn: 1, stretch: 0.3 });
    const shape = new Float32Array(model.mesh.positions.length);
    makeDeformer(model).deformInto(pose, shape);
    collider.pose(pose);
    for (let t = 0; t < model.mesh.triangles.length / 3; t++) collider.computeTriangle(t);
    expect(collider.positions).toEqual(Float64Array.from(shape));
  });

  it('has spheres as small as at rest where a rigid bone moves them', () => {
    const { clip, skeleton, skin } = makeSample('parts', { resolution: 600, frames: 1 });
    const model: CollisionModel = { kind: 'skin', mesh: clip.mesh, skeleton: skeleton!, skin: skin! };
    const collider = makeCollider(makeCollisionTree(model));
    collider.pose(randomPose(model, makeRandom(1), { turn: 2, stretch: 0 }));
    const { topCount, radii } = collider.tree;
    for (let n = 0; n < radii.length; n++) {
      const radius = collider.spheres[collider.computeSphere(topCount + n) + 3];
      expect(radius).toBeLessThan(radii[n] * 1.0001 + 1e-4);
    }
  });

  it('keeps the spheres of soft joints near those of their vertices', () => {
    const model = makeAnimal(2000);
    const collider = makeCollider(makeCollisionTree(model));
    const sets = listNodeVertices(collider);
    collider.pose(randomPose(model, makeRandom(1), { turn: 0.4, stretch: 0 }));
    for (let t = 0; t < model.mesh.triangles.length / 3; t++) collider.computeTriangle(t);
    let sum = 0;
    let count = 0;
    for (let node = collider.tree.topCount; node < sets.length; node++) {
      const o = collider.computeSphere(node);
      let farthest = 0;
      for (const i of sets[node])
        farthest = Math.max(
          farthest,
          Math.hypot(...[0, 1, 2].map((c) => collider.positions[3 * i + c] - collider.spheres[o + c])),
        );
      sum += collider.spheres[o + 3] / farthest;
      count++;
    }
    expect(sum / count).toBeLessThan(1.3);
  });

  it('refuses a pose that does not fit, in one sentence', () => {
    const collider = makeCollider(makeCollisionTree(makeAnimal(200, 2)));
    const bones = new Float64Array(collider.tree.model.skeleton.names.length * 16).fill(1);
    expect(() => collider.pose({ bones: bones.subarray(16) })).toThrow(InputError);
    expect(() => collider.pose({ bones, corrections: new Float32Array(3) })).toThrow('3 coefficients, expected 2');
    expect(() => collider.pose({ bones }, [1, 2])).toThrow('2 numbers, expected 16');
    expect(() => collider.pose({ bones: bones.map(() => Number.NaN) })).toThrow('not finite');
  });
});

describe('makeCollisionTree', () => {
  const mesh = makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), Uint32Array.of(0, 1, 2));
  const skeleton = makeLooseSkeleton(2);
  const skin = makeSkin([0, 0, 0], [1, 1, 1], 1);

  it('refuses a skin without triangles, and one that does not fit its mesh', () => {
    const points = makeMesh(mesh.positions, new Uint32Array(0));
    expect(() => makeCollisionTree({ kind: 'skin', mesh: points, skeleton, skin })).toThrow(
      'the mesh has no triangles',
    );
    const other = makeSkin([0, 0], [1, 1], 1);
    expect(() => makeCollisionTree({ kind: 'skin', mesh, skeleton, skin: other })).toThrow('2 rows for 3 vertices');
    expect(() => makeCollisionTree({ kind: 'skin', mesh, skeleton, skin }, { leafTriangles: 0 })).toThrow(
      'leafTriangles',
    );
  });

  it.each(['direct-delta-mush', 'two-layer', 'linear-two-layer', 'dual-quaternion'])(
    'refuses models of kind %s in one sentence',
    (kind) => {
      const model = { kind, mesh, skeleton, skin } as unknown as CollisionModel;
      expect(() => makeCollisionTree(model)).toThrow(
        `models of kind ${kind} are not supported, since they are not linear in their bones; use the plain skin of the file`,
      );
    },
  );

  it('gives triangles to their strongest bone', () => {
    const soft = makeSkin([0, 1, 0, 1, 0, 1], [0.5, 0.5, 0.9, 0.1, 0.3, 0.7], 2);
    expect([...makeCollisionTree({ kind: 'skin', mesh, skeleton, skin: soft }).triangleBones]).toEqual([0]);
  });

  it('has every triangle in one leaf, of one bone', () => {
    const tree = makeCollisionTree(makeAnimal(500));
    expect([...tree.triangles].sort((a, b) => a - b)).toEqual([...tree.triangles.keys()]);
    const seen = new Uint8Array(tree.children.length / 2);
    for (let n = 0; n < seen.length; n++) {
      const [first, count] = tree.children.subarray(2 * n, 2 * n + 2);
      if (first < 0) {
        const bones = [...tree.triangles.subarray(-1 - first, -1 - first + count)].map((t) => tree.triangleBones[t]);
        expect(new Set(bones).size).toBe(1);
      } else for (const child of [first, count]) seen[child]++;
    }
    expect([...seen]).toEqual([0, ...new Array(seen.length - 1).fill(1)]);
  });

  it('accepts a shape with one triangle and triangles that coincide', () => {
    const same = makeMesh(mesh.positions, Uint32Array.of(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 0));
    for (const shape of [mesh, same]) {
      const collider = makeCollider(makeCollisionTree({ kind: 'skin', mesh: shape, skeleton, skin }));
      const sphere = new Float64Array(4);
      collider.boundInto(sphere);
      expect(sphere[3]).toBeCloseTo(Math.SQRT1_2, 4);
    }
  });
});

describe('largestStretch', () => {
  it('is the largest singular value, never less', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ min: -10, max: 10, noNaN: true })), {
          minLength: 9,
          maxLength: 9,
        }),
        (m) => {
          const s = new Float64Array(3);
          svd3Into(m, new Float64Array(9), s, new Float64Array(9));
          const matrix = [...m.slice(0, 3), 0, ...m.slice(3, 6), 0, ...m.slice(6), 0, 0, 0, 0, 1];
          expect(largestStretch(matrix)).toBeGreaterThanOrEqual(s[0]);
          expect(largestStretch(matrix)).toBeLessThanOrEqual(s[0] * (1 + 1e-6));
        },
      ),
    );
    expect(largestStretch(IDENTITY)).toBeCloseTo(1, 6);
  });
});
