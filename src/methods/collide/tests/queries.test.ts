// SPDX-License-Identifier: MIT
// Every query against brute force over all triangles, whose vertices the deformer computed.
import { describe, expect, it } from 'vitest';
import { transformPoints } from '../../../core/math/mat4.ts';
import { makeRandom, type Random } from '../../../core/math/random.ts';
import { InputError } from '../../../core/model/errors.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeLooseSkeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeDeformer } from '../../../deformers/playback/make-deformer.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { type Collider, makeCollider } from '../collider.ts';
import type { CollisionModel } from '../collision-tree.ts';
import { distance } from '../distance.ts';
import { listContacts } from '../list-contacts.ts';
import { makeCollisionTree } from '../make-collision-tree.ts';
import { overlap } from '../overlap.ts';
import { randomPlace, randomPose } from '../random-pose.ts';
import { raycast } from '../raycast.ts';
import { intersectTriangles } from '../triangles/intersect-triangles.ts';
import { TriangleDistance } from '../triangles/triangle-distance.ts';

/** Two models: one with soft weights, one with corrections. */
function makeModels(resolution: number): [CollisionModel, CollisionModel] {
  const [one, other] = ['creature-soft', 'quadruped'].map((name) => makeSample(name, { resolution, frames: 1 }));
  // three smooth displacements
  const { positions } = other.clip.mesh;
  const basis = Float32Array.from(
    [2, 3, 5].flatMap((k) => Array.from(positions, (x, c) => 0.05 * Math.sin(k * x + (c % 3)))),
  );
  return [
    { kind: 'skin', mesh: one.clip.mesh, skeleton: one.skeleton!, skin: one.skin! },
    {
      ...{ kind: 'corrected-skin', mesh: other.clip.mesh, skeleton: other.skeleton!, skin: other.skin! },
      correction: { rank: 3, basis, normalRank: 0, tracks: [] },
    },
  ];
}

interface Posed {
  collider: Collider;
  positions: Float64Array;
  corners: Uint32Array;
}

function poseAnimal(collider: Collider, random: Random, reach: number, stretch: number): Posed {
  const { model } = collider.tree;
  const pose = randomPose(model, random, { turn: 0.4, stretch });
  const world = randomPlace(random, reach);
  collider.pose(pose, world);
  const shape = new Float32Array(model.mesh.positions.length);
  makeDeformer(model).deformInto(pose, shape);
  const positions = new Float64Array(shape.length);
  transformPoints(world, shape, positions);
  return { collider, positions, corners: model.mesh.triangles.map((i) => 3 * i) };
}

/** Brute force: boxes of all pairs of triangles, then the triangles. */
function listPairs(a: Posed, b: Posed): string[] {
  const pairs: string[] = [];
  const [boxesA, boxesB] = [listBoxes(a), listBoxes(b)];
  for (let s = 0; s < boxesA.length; s += 6) {
    for (let t = 0; t < boxesB.length; t += 6) {
      if (boxesA[s] > boxesB[t + 3] || boxesB[t] > boxesA[s + 3]) continue;
      if (boxesA[s + 1] > boxesB[t + 4] || boxesB[t + 1] > boxesA[s + 4]) continue;
      if (boxesA[s + 2] > boxesB[t + 5] || boxesB[t + 2] > boxesA[s + 5]) continue;
      const [i, j] = [a.corners.subarray(s / 2), b.corners.subarray(t / 2)];
      if (intersectTriangles(a.positions, i, b.positions, j)) pairs.push(`${s / 6} ${t / 6}`);
    }
  }
  return pairs.sort();
}

/** triangleCount x 6: minimum and maximum x y z */
function listBoxes({ positions, corners }: Posed): Float64Array {
  return Float64Array.from({ length: 2 * corners.length }, (_, n) => {
    const t = 3 * Math.floor(n / 6);
    const values = [0, 1, 2].map((c) => positions[corners[t + c] + (n % 3)]);
    return n % 6 < 3 ? Math.min(...values) : Math.max(...values);
  });
}

/** A box of one bone, from −half to half along each axis. */
function makeBox(half: readonly number[]): CollisionModel {
  const corners = Array.from({ length: 8 }, (_, n) => [0, 1, 2].map((c) => ((n >> c) & 1 ? half[c] : -half[c])));
  const quads = [...[0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4], ...[2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6]];
  const triangles: number[] = [];
  for (let n = 0; n < quads.length; n += 4) {
    const [p, q, r, s] = quads.slice(n, n + 4);
    triangles.push(p, q, r, p, r, s);
  }
  const mesh = makeMesh(Float32Array.from(corners.flat()), Uint32Array.from(triangles));
  return {
    kind: 'skin',
    mesh,
    skeleton: makeLooseSkeleton(1),
    skin: makeSkin(new Uint8Array(8), new Uint8Array(8).fill(1), 1),
  };
}

const shift = (x: number, y: number, z: number) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];

describe('overlap', () => {
  it('finds the pairs of brute force in 300 random pairs of poses, with few tests', { timeout: 120_000 }, () => {
    const [a, b] = makeModels(300).map((model) => makeCollider(makeCollisionTree(model)));
    const random = makeRandom(1);
    let touching = 0;
    let tests = 0;
    let pairs = 0;
    for (let n = 0; n < 300; n++) {
      const stretch = n % 4 === 0 ? 0.3 : 0;
      const [one, other] = [a, b].map((collider) => poseAnimal(collider, random, 0.6, stretch));
      const found: string[] = [];
      const { sphereTests } = overlap(a, b, (s, t) => {
        found.push(`${s} ${t}`);
      });
      expect(found.sort(), `pair ${n}`).toEqual(listPairs(one, other));
      if (n % 20 === 0) expect(overlap(a, b).pairCount).toBe(Math.min(1, found.length));
      touching += found.length > 0 ? 1 : 0;
      tests += sphereTests;
      pairs += (one.corners.length / 3) * (other.corners.length / 3);
    }
    expect(touching).toBeGreaterThan(60);
    expect(touching).toBeLessThan(240);
    expect(tests / pairs).toBeLessThan(0.05);
  });

  it('stops when the callback returns true', () => {
    const tree = makeCollisionTree(makeBox([1, 1, 1]));
    const [a, b] = [makeCollider(tree), makeCollider(tree)];
    let calls = 0;
    overlap(a, b, () => ++calls === 3);
    expect(calls).toBe(3);
  });
});

describe('distance', () => {
  it('is that of brute force', () => {
    const [a, b] = makeModels(110).map((model) => makeCollider(makeCollisionTree(model)));
    const random = makeRandom(2);
    for (let n = 0; n < 20; n++) {
      const [one, other] = [a, b].map((collider) => poseAnimal(collider, random, 1.2, 0));
      let square = Number.POSITIVE_INFINITY;
      for (let s = 0; s < one.corners.length; s += 3)
        for (let t = 0; t < other.corners.length; t += 3) {
          const [i, j] = [one.corners.subarray(s, s + 3), other.corners.subarray(t, t + 3)];
          square = Math.min(
            square,
            new TriangleDistance().measure(one.positions, i, other.positions, j, square, new Float64Array(6)),
          );
        }
      const found = distance(a, b)!;
      expect(found.distance).toBe(Math.sqrt(square));
      expect(Math.hypot(...found.pointA.map((x, c) => x - found.pointB[c]))).toBeCloseTo(found.distance, 9);
      expect(distance(a, b, { maxDistance: found.distance * 1.001 + 1e-9 })).toEqual(found);
      if (found.distance > 0) expect(distance(a, b, { maxDistance: found.distance * 0.999 })).toBeUndefined();
      expect(found.distance === 0).toBe(overlap(a, b).pairCount > 0);
    }
  });

  it('has a triangle of each surface at its points', () => {
    const tree = makeCollisionTree(makeBox([1, 1, 1]));
    const [a, b] = [makeCollider(tree), makeCollider(tree)];
    b.pose({ bones: Float64Array.from(shift(5, 0.25, 0)) });
    const { distance: length, pointA, pointB } = distance(a, b)!;
    expect(length).toBe(3);
    expect([pointA[0], pointB[0]]).toEqual([1, 4]);
    expect(() => distance(a, b, { maxDistance: -1 })).toThrow('maxDistance must be above 0');
  });
});

describe('raycast', () => {
  it('hits what brute force hits first', () => {
    const collider = makeCollider(makeCollisionTree(makeModels(300)[1]));
    const random = makeRandom(3);
    let hits = 0;
    for (let n = 0; n < 200; n++) {
      const { positions, corners } = poseAnimal(collider, random, 0.5, 0.2);
      const [origin, target] = [4, 0.6].map((reach) => [0, 1, 2].map(() => reach * (2 * random.next() - 1)));
      const ray = { origin, direction: target.map((x, c) => x - origin[c]) };
      const hit = raycast(collider, ray);
      // a thin needle from the origin through the target is a ray too
      const length = Math.hypot(...ray.direction);
      const reach = (d: number) => ray.direction.map((x, c) => origin[c] + (d * x) / length);
      const isClear = (d: number) => {
        const needle = Float64Array.from([...origin, ...reach(d), ...reach(d / 2)]);
        for (let s = 0; s < corners.length; s += 3)
          if (intersectTriangles(positions, corners.subarray(s, s + 3), needle, [0, 3, 6])) return false;
        return true;
      };
      if (hit) {
        hits++;
        expect(isClear(hit.distance * (1 - 1e-6))).toBe(true);
        expect(isClear(hit.distance * (1 + 1e-6))).toBe(false);
        expect(raycast(collider, { ...ray, maxDistance: hit.distance * 0.99 })).toBeUndefined();
      } else expect(isClear(20)).toBe(true);
    }
    expect(hits).toBeGreaterThan(40);
  });

  it('passes between no two triangles that share an edge', () => {
    const box = makeCollider(makeCollisionTree(makeBox([1, 1, 1])));
    const random = makeRandom(4);
    for (let n = 0; n < 2000; n++) {
      // towards points on the diagonals of faces and on the edges between them
      const t = 2 * random.next() - 1;
      const target = n % 2 === 0 ? [t, t, 1] : [1, t, 1];
      // from where both triangles of the edge are seen
      const origin = [1 + 3 * random.next(), 6 * random.next() - 3, 5];
      const direction = target.map((x, c) => 1.5 * x - 1.5 * origin[c]);
      expect(raycast(box, { origin, direction }), `${origin} ${target}`).toBeDefined();
    }
  });

  it('has the normal of the triangle, and refuses a ray without direction', () => {
    const box = makeCollider(makeCollisionTree(makeBox([1, 2, 3])));
    const hit = raycast(box, { origin: [0.1, 0.2, 9], direction: [0, 0, -2] })!;
    expect([hit.distance, hit.point, hit.normal]).toEqual([6, [0.1, 0.2, 3], [0, 0, 1]]);
    expect(raycast(box, { origin: [0.1, 0.2, 0], direction: [0, 0, 1] })!.distance).toBe(3);
    expect(raycast(box, { origin: [0, 0, 9], direction: [0, 0, 1] })).toBeUndefined();
    expect(() => raycast(box, { origin: [0, 0, 9], direction: [0, 0, 0] })).toThrow(InputError);
  });
});

describe('listContacts', () => {
  it('has one contact, with its direction and depth, where a corner enters a face', () => {
    const [floor, box] = [
      [4, 1, 4],
      [1, 1, 1],
    ].map((half) => makeCollider(makeCollisionTree(makeBox(half))));
    // a box on its corner, 0.1 below the top of the floor
    const [s, c] = [Math.sqrt(1 / 3), Math.sqrt(2 / 3)];
    const h = Math.SQRT1_2;
    const turned = [
      h,
      s,
      -h * s * Math.SQRT2 * h,
      0,
      0,
      s,
      c,
      0,
      -h,
      s,
      -c / 2,
      0,
      0.3,
      1 + Math.sqrt(3) - 0.1,
      0.2,
      1,
    ];
    box.pose({ bones: Float64Array.from(turned) });
    const contacts = listContacts(floor, box);
    expect(contacts).toHaveLength(1);
    const [{ point, normal, depth }] = contacts;
    expect(normal[1]).toBeGreaterThan(0.99);
    expect(depth).toBeCloseTo(0.1, 2);
    expect(point[0]).toBeCloseTo(0.3, 1);
    expect(point[1]).toBeCloseTo(1, 6);
  });

  it('separates places that are apart, and swaps its direction with its arguments', () => {
    const [table, floor] = [
      [0.2, 1, 0.2],
      [9, 1, 9],
    ].map((half) => makeCollisionTree(makeBox(half)));
    const legs = makeCollider(makeCollisionTree(joinBoxes(table.model, shift(2, 0, 0), shift(-2, 0, 0))));
    const ground = makeCollider(floor);
    ground.pose({ bones: Float64Array.from(shift(0, -1.95, 0)) });
    const contacts = listContacts(legs, ground);
    expect(contacts.map(({ point }) => Math.round(point[0])).sort()).toEqual([-2, 2]);
    for (const { normal, depth } of contacts) {
      expect(normal[1]).toBeCloseTo(-1, 6);
      expect(depth).toBeCloseTo(0.05, 6);
    }
    expect(listContacts(ground, legs).every(({ normal }) => normal[1] > 0.99)).toBe(true);
    ground.pose({ bones: Float64Array.from(shift(0, -3, 0)) });
    expect(listContacts(legs, ground)).toEqual([]);
  });
});

/** Two copies of a shape in one mesh. */
function joinBoxes(model: CollisionModel, first: number[], second: number[]): CollisionModel {
  const { positions, triangles } = model.mesh;
  const joined = new Float32Array(2 * positions.length);
  transformPoints(first, positions, joined);
  transformPoints(second, positions, joined, 0, positions.length);
  const count = positions.length / 3;
  const mesh = makeMesh(joined, Uint32Array.from([...triangles, ...triangles.map((i) => i + count)]));
  return {
    kind: 'skin',
    mesh,
    skeleton: makeLooseSkeleton(1),
    skin: makeSkin(new Uint8Array(2 * count), new Uint8Array(2 * count).fill(1), 1),
  };
}
