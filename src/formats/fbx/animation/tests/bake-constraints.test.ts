// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { NodeMotion } from '../../../../core/keyframes/node-motion.ts';
import { invertAffine, multiply } from '../../../../core/math/mat4.ts';
import type { Animation } from '../../../../core/model/clip/animation.ts';
import type { NodeTree } from '../../../../core/model/skin/node-tree.ts';
import { bakeConstraints, type NodeConstraint } from '../bake-constraints.ts';

const HALF = Math.SQRT1_2;
const ALL = [true, true, true] as const;
/** A turned and scaled arm with a hand below it, and a target beside them. */
const [ARM, HAND, TARGET] = [0, 1, 2];
const NODES: NodeTree = {
  names: ['arm', 'hand', 'target'],
  parents: Int32Array.of(-1, ARM, -1),
  translations: Float64Array.of(1, 2, 3, 0.5, 0, 0, 4, 0, 1),
  rotations: Float64Array.of(0, HALF, 0, HALF, 0, 0, HALF, HALF, 0, 0, 0, 1),
  scales: Float64Array.of(2, 2, 2, 1, 1, 1, 1, 1, 1),
};
const TIMES = Float32Array.of(0, 1, 2);
/** The target moves, turns about x and grows; the arm moves as well. */
const MOTION: Animation = {
  name: 'wave',
  duration: 2,
  tracks: [
    {
      node: TARGET,
      path: 'translation',
      interpolation: 'LINEAR',
      times: TIMES,
      values: Float32Array.of(4, 0, 1, 4, 3, 1, -2, 3, 5),
    },
    {
      node: TARGET,
      path: 'rotation',
      interpolation: 'LINEAR',
      times: TIMES,
      values: Float32Array.of(0, 0, 0, 1, HALF, 0, 0, HALF, 1, 0, 0, 0),
    },
    {
      node: TARGET,
      path: 'scale',
      interpolation: 'LINEAR',
      times: TIMES,
      values: Float32Array.of(1, 1, 1, 2, 2, 2, 3, 3, 3),
    },
    {
      node: ARM,
      path: 'translation',
      interpolation: 'LINEAR',
      times: TIMES,
      values: Float32Array.of(1, 2, 3, 0, 2, 3, 0, 0, 3),
    },
  ],
};

const constraint = (kind: NodeConstraint['kind'], more: Partial<NodeConstraint> = {}): NodeConstraint => ({
  ...{ kind, node: HAND, sources: [{ node: TARGET, weight: 1 }], translates: ALL, scales: ALL },
  ...more,
});

function worldsOf(animation: Animation, node: number, nodes = NODES): Float64Array[] {
  const motion = new NodeMotion(nodes, animation);
  return [...TIMES].map((time) => {
    const out = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    const local = new Float64Array(16);
    for (let n = node; n >= 0; n = nodes.parents[n]) {
      motion.localInto(n, time, local);
      multiply(local, out, out);
    }
    return out;
  });
}

const bake = (own: NodeConstraint): Animation => bakeConstraints({ nodes: NODES, top: -1 }, [MOTION], [own])[0];
const near = (a: ArrayLike<number>, b: ArrayLike<number>): void => {
  for (let c = 0; c < a.length; c++) expect(a[c]).toBeCloseTo(b[c], 5);
};
const place = (m: Float64Array): Float64Array => m.slice(12, 15);

describe('bakeConstraints', () => {
  it('moves a node as a point constraint does: by as much as its source, in the world', () => {
    const moved = worldsOf(bake(constraint('position')), HAND).map(place);
    const target = worldsOf(MOTION, TARGET).map(place);
    for (const k of [0, 1, 2])
      near(
        moved[k].map((x, c) => x - moved[0][c]),
        target[k].map((x, c) => x - target[0][c]),
      );
  });

  it('keeps the place of a child below the source of a parent constraint', () => {
    const moved = worldsOf(bake(constraint('parent')), HAND);
    const target = worldsOf({ ...MOTION, tracks: MOTION.tracks.filter(({ path }) => path !== 'scale') }, TARGET);
    const inside = moved.map((world, k) => {
      const inverse = new Float64Array(16);
      invertAffine(target[k], inverse);
      const out = new Float64Array(16);
      multiply(inverse, world, out);
      return out;
    });
    for (const k of [1, 2]) near(place(inside[k]), place(inside[0]));
  });

  it('points the aim axis at the target, and the up axis to the half plane of the world', () => {
    const aim = {
      direction: Float64Array.of(1, 0, 0),
      up: Float64Array.of(0, 1, 0),
      upKind: 'scene' as const,
      world: Float64Array.of(0, 1, 0),
    };
    const first = bake(constraint('aim', { aim }));
    const turns = worldsOf(first, HAND);
    const still = worldsOf({ ...MOTION, tracks: [] }, HAND)[0];
    const offset = worldsOf({ ...MOTION, tracks: [] }, TARGET)[0];
    // what pointed at the target at rest does so at all times
    const inverse = new Float64Array(16);
    invertAffine(still, inverse);
    const local = [0, 1, 2].map((r) =>
      [0, 1, 2].reduce((sum, c) => sum + inverse[4 * c + r] * (offset[12 + c] - still[12 + c]), 0),
    );
    const targets = worldsOf(MOTION, TARGET);
    for (const k of [0, 1, 2]) {
      const shown = [0, 1, 2].map((r) => [0, 1, 2].reduce((sum, c) => sum + turns[k][4 * c + r] * local[c], 0));
      const goal = [0, 1, 2].map((c) => targets[k][12 + c] - turns[k][12 + c]);
      const [a, b] = [Math.hypot(...shown), Math.hypot(...goal)];
      near(
        shown.map((x) => x / a),
        goal.map((x) => x / b),
      );
    }
  });

  it('turns and scales with its sources', () => {
    const turned = worldsOf(bake(constraint('rotation')), HAND);
    const grown = worldsOf(bake(constraint('scale')), HAND);
    const length = (m: Float64Array): number => Math.hypot(m[0], m[1], m[2]);
    expect(length(grown[2]) / length(grown[0])).toBeCloseTo(3, 5);
    const target = worldsOf(MOTION, TARGET);
    const rotation = (m: Float64Array): number[] => [...m.subarray(0, 11)].map((x) => x / length(m));
    const relative = (k: number): number[] =>
      [0, 1, 2].flatMap((r) =>
        [0, 1, 2].map((c) =>
          [0, 1, 2].reduce((sum, i) => sum + rotation(target[k])[4 * r + i] * rotation(turned[k])[4 * c + i], 0),
        ),
      );
    for (const k of [1, 2]) near(relative(k), relative(0));
  });

  it('leaves nodes that have keys, and files without motion of the sources', () => {
    const own = {
      node: HAND,
      path: 'rotation' as const,
      interpolation: 'LINEAR' as const,
      times: TIMES,
      values: new Float32Array(12).fill(0.5),
    };
    const baked = bakeConstraints(
      { nodes: NODES, top: -1 },
      [{ ...MOTION, tracks: [...MOTION.tracks, own] }],
      [constraint('rotation')],
    );
    expect(baked[0].tracks).toHaveLength(MOTION.tracks.length + 1);
    const still = bakeConstraints({ nodes: NODES, top: -1 }, [{ ...MOTION, tracks: [] }], [constraint('parent')]);
    expect(still[0].tracks).toEqual([]);
  });
});
