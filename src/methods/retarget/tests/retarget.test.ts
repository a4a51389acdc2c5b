// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { NodeMotion } from '../../../core/keyframes/node-motion.ts';
import { multiply } from '../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import type { Animation } from '../../../core/model/clip/animation.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import { labelJoints, shapeOfNodes } from '../../../fit/anatomy/index.ts';
import { bendLimb } from '../bend-limb.ts';
import { findPlants } from '../find-plants.ts';
import { type RetargetRig, retarget } from '../index.ts';

type Row = readonly [name: string, parent: string, x: number, y: number, z: number];

const BODY: readonly Row[] = [
  ['Hips', '', 0, 1, 0],
  ['Spine', 'Hips', 0, 1.2, 0],
  ['Head', 'Spine', 0, 1.6, 0],
  ['LeftArm', 'Spine', 0.2, 1.4, 0],
  ['LeftForeArm', 'LeftArm', 0.5, 1.4, 0],
  ['LeftHand', 'LeftForeArm', 0.75, 1.4, 0],
  ['RightArm', 'Spine', -0.2, 1.4, 0],
  ['RightForeArm', 'RightArm', -0.5, 1.4, 0],
  ['RightHand', 'RightForeArm', -0.75, 1.4, 0],
  ['LeftUpLeg', 'Hips', 0.1, 0.95, 0],
  ['LeftLeg', 'LeftUpLeg', 0.1, 0.5, 0.02],
  ['LeftFoot', 'LeftLeg', 0.1, 0.08, 0],
  ['RightUpLeg', 'Hips', -0.1, 0.95, 0],
  ['RightLeg', 'RightUpLeg', -0.1, 0.5, 0.02],
  ['RightFoot', 'RightLeg', -0.1, 0.08, 0],
];

/** A rig whose joints are at places that a function moves, each turned in a way of its own. */
function makeRig(move: (row: Row) => readonly [number, number, number], twist = 0): RetargetRig {
  const names = BODY.map(([name]) => name);
  const parents = Int32Array.from(BODY, ([, parent]) => names.indexOf(parent));
  const worlds = BODY.map((row, n) => {
    const q = [0, 0, 0, 1];
    quaternionFromAxisAngle([1, 0.3 * n, 0.5], twist * (n + 1), q);
    return { q, at: move(row) };
  });
  const nodes: NodeTree = {
    ...{
      names,
      parents,
      translations: new Float64Array(3 * names.length),
      rotations: new Float64Array(4 * names.length),
    },
    scales: new Float64Array(3 * names.length).fill(1),
  };
  worlds.forEach(({ q, at }, n) => {
    const above = parents[n] < 0 ? { q: [0, 0, 0, 1], at: [0, 0, 0] } : worlds[parents[n]];
    const back = [-above.q[0], -above.q[1], -above.q[2], above.q[3]];
    nodes.translations.set(
      rotate(
        back,
        at.map((x, c) => x - above.at[c]),
      ),
      3 * n,
    );
    nodes.rotations.set(times(back, q), 4 * n);
  });
  const { labels, front } = labelJoints(shapeOfNodes(nodes));
  return { nodes, labels, front, ground: 0 };
}

const times = (a: readonly number[], b: readonly number[]): number[] => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
  a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];
function rotate(q: readonly number[], v: readonly number[]): number[] {
  return times(times(q, [...v, 0]), [-q[0], -q[1], -q[2], q[3]]).slice(0, 3);
}

/** Places of all joints at a time. */
function placesAt({ nodes }: RetargetRig, animation: Animation, time: number): Map<string, number[]> {
  const motion = new NodeMotion(nodes, animation);
  const worlds = new Float64Array(16 * nodes.names.length);
  return new Map(
    nodes.names.map((name, n) => {
      motion.localInto(n, time, worlds, 16 * n);
      if (nodes.parents[n] >= 0) multiply(worlds, worlds, worlds, 16 * nodes.parents[n], 16 * n, 16 * n);
      return [name, [...worlds.subarray(16 * n + 12, 16 * n + 15)]];
    }),
  );
}

const directionOf = (places: Map<string, number[]>, from: string, to: string): number[] => {
  const [a, b] = [places.get(from) ?? [], places.get(to) ?? []];
  const way = b.map((x, c) => x - a[c]);
  const length = Math.hypot(...way);
  return way.map((x) => x / length);
};

const BONES = [
  ['LeftArm', 'LeftForeArm'],
  ['LeftForeArm', 'LeftHand'],
  ['RightUpLeg', 'RightLeg'],
  ['RightLeg', 'RightFoot'],
] as const;

/** An arm that waves and a body that turns and walks on, on a rig without turned axes. */
function wave({ nodes }: RetargetRig): Animation {
  const keys = Float32Array.from({ length: 31 }, (_, k) => k / 30);
  const turn = (name: string, axis: readonly number[], angle: (t: number) => number) => ({
    ...{ node: nodes.names.indexOf(name), path: 'rotation' as const, interpolation: 'LINEAR' as const, times: keys },
    values: Float32Array.from(
      [...keys].flatMap((t) => {
        const q = [0, 0, 0, 1];
        quaternionFromAxisAngle([...axis], angle(t), q);
        return q;
      }),
    ),
  });
  const way = {
    ...{
      node: nodes.names.indexOf('Hips'),
      path: 'translation' as const,
      interpolation: 'LINEAR' as const,
      times: keys,
    },
    values: Float32Array.from([...keys].flatMap((t) => [0, 1, 2 * t])),
  };
  return {
    name: 'wave',
    duration: 1,
    tracks: [
      turn('LeftArm', [0, 0, 1], (t) => -t),
      turn('LeftForeArm', [0, 1, 0], (t) => -t),
      turn('RightUpLeg', [1, 0, 0], (t) => -0.6 * t),
      turn('Hips', [0, 1, 0], (t) => 0.3 * t),
      way,
    ],
  };
}

const PLAIN = makeRig(([, , x, y, z]) => [x, y, z]);

describe('retarget', () => {
  it('gives the same pose to a rig with other axes, twice the size', () => {
    const target = makeRig(([, , x, y, z]) => [2 * x, 2 * y, 2 * z], 0.7);
    const source = wave(PLAIN);
    const { animations, scale } = retarget(PLAIN, [source], target, { holdFeet: false });
    expect(scale).toBeCloseTo(2, 6);
    for (const time of [0, 0.5, 1]) {
      const [a, b] = [placesAt(PLAIN, source, time), placesAt(target, animations[0], time)];
      for (const [name, place] of a)
        (b.get(name) ?? []).forEach((x, c) => {
          expect(x, `${name} at ${time}`).toBeCloseTo(2 * place[c], 5);
        });
    }
  });

  it('makes an A-pose alike: bones point where those of the source point', () => {
    const drop = (row: Row): [number, number, number] => {
      const [name, , x, y, z] = row;
      const out = Math.abs(x) - 0.2;
      return /Arm|Hand/.test(name) && out > 0 ? [Math.sign(x) * (0.2 + 0.7 * out), y - 0.7 * out, z] : [x, y, z];
    };
    const target = makeRig(drop, 0.4);
    const source = wave(PLAIN);
    const { animations } = retarget(PLAIN, [source], target, { holdFeet: false });
    for (const time of [0, 0.7, 1]) {
      const [a, b] = [placesAt(PLAIN, source, time), placesAt(target, animations[0], time)];
      for (const [from, to] of BONES)
        directionOf(b, from, to).forEach((x, c) => {
          expect(x, `${from} at ${time}`).toBeCloseTo(directionOf(a, from, to)[c], 5);
        });
    }
  });

  it('turns the way of a character that faces the other way', () => {
    const target = makeRig(([, , x, y, z]) => [-x, y, -z]);
    expect(target.front[2]).toBeCloseTo(-1, 6);
    const { animations } = retarget(PLAIN, [wave(PLAIN)], target, { holdFeet: false });
    const hips = placesAt(target, animations[0], 1).get('Hips') ?? [];
    expect(hips[2]).toBeCloseTo(-2, 5);
  });

  it('holds feet that stand in place, on a character with long arms and short legs', () => {
    // the hips move to and fro above feet that stand: thighs and shins follow by inverse kinematics of the source
    const keys = Float32Array.from({ length: 31 }, (_, k) => k / 30);
    const source = PLAIN;
    const chibi = makeRig(([, , x, y, z]) => [1.4 * x, y < 1 ? 0.5 * y : y - 0.5, z]);
    const sway = (t: number): number => 0.1 * Math.sin(6 * t);
    const tracks = ['Left', 'Right'].flatMap((side) => {
      const index = (name: string) => source.nodes.names.indexOf(side + name);
      const rows = [...keys].map((t) => {
        const x = side === 'Left' ? 0.1 : -0.1;
        const shift = [0, 0, sway(t)];
        const [a, b, c] = [
          [x, 0.93, 0],
          [x, 0.48, 0.02],
          [x, 0.06, 0],
        ] as [number, number, number][];
        const goal: [number, number, number] = [x, 0.08, 0];
        const move = (p: [number, number, number]): [number, number, number] => [p[0], p[1], p[2] + shift[2]];
        const bend = bendLimb(move(a), move(b), move(c), goal, [0, 0, 1]);
        if (!bend) throw new Error('the leg does not bend');
        const inverse = [-bend.upper[0], -bend.upper[1], -bend.upper[2], bend.upper[3]];
        const shin = times(inverse, [...bend.middle]);
        return {
          upper: [...bend.upper],
          shin,
          foot: times([-bend.middle[0], -bend.middle[1], -bend.middle[2], bend.middle[3]], [0, 0, 0, 1]),
        };
      });
      const make = (name: string, list: number[][]) => ({
        ...{ node: index(name), path: 'rotation' as const, interpolation: 'LINEAR' as const, times: keys },
        values: Float32Array.from(list.flat()),
      });
      return [
        make(
          'UpLeg',
          rows.map(({ upper }) => upper),
        ),
        make(
          'Leg',
          rows.map(({ shin }) => shin),
        ),
        make(
          'Foot',
          rows.map(({ foot }) => foot),
        ),
      ];
    });
    const way = {
      ...{ node: 0, path: 'translation' as const, interpolation: 'LINEAR' as const, times: keys },
      values: Float32Array.from([...keys].flatMap((t) => [0, 0.98, sway(t)])),
    };
    const animation: Animation = { name: 'sway', duration: 1, tracks: [...tracks, way] };
    const stood = placesAt(source, animation, 0.4).get('LeftFoot') ?? [];
    expect(stood[2]).toBeCloseTo(0, 5);
    const held = retarget(source, [animation], chibi);
    expect(held.plantCount).toBe(2);
    expect(held.slide).toBeLessThan(0.001);
    const free = retarget(source, [animation], chibi, { holdFeet: false });
    expect(free.slide).toBeGreaterThan(held.slide);
    const feet = [0, 0.3, 0.8].map((t) => placesAt(chibi, held.animations[0], t).get('LeftFoot') ?? []);
    for (const [x, y, z] of feet) {
      expect(x).toBeCloseTo(feet[0][0], 4);
      expect(y).toBeCloseTo(0.04, 4);
      expect(z).toBeCloseTo(feet[0][2], 4);
    }
  });

  it('keeps hands out of a wider body', () => {
    const down = wave(PLAIN).tracks.filter(({ node }) => PLAIN.nodes.names[node] === 'LeftArm');
    const lower = down.map((track) => ({
      ...track,
      values: track.values.map((_, v) => [0, 0, -Math.SQRT1_2, Math.SQRT1_2][v % 4]),
    }));
    const animation: Animation = { name: 'down', duration: 1, tracks: lower };
    const radiiOf = (radius: number) => new Map([0, 1].map((node) => [node, radius]));
    const slim = { ...PLAIN, radii: radiiOf(0.1) };
    const awayOf = (radius: number): number => {
      const { animations } = retarget(slim, [animation], { ...PLAIN, radii: radiiOf(radius) });
      const [x, y, z] = placesAt(PLAIN, animations[0], 0.5).get('LeftHand') ?? [0, 0, 0];
      // from the axis between hips and spine
      return Math.hypot(x, y - Math.min(1.2, Math.max(1, y)), z);
    };
    expect(awayOf(0.1)).toBeCloseTo(0.25, 2);
    // outside of the radius by less than a tenth of the arm: an arm that is straight reaches no farther
    expect(awayOf(0.25)).toBeGreaterThan(0.25 + 0.03);
  });

  it('refuses rigs that have nothing in common', () => {
    const bare: RetargetRig = { ...PLAIN, labels: PLAIN.labels.map(() => undefined) };
    expect(() => retarget(bare, [wave(PLAIN)], PLAIN)).toThrow(/0 joints of a body in common/);
  });
});

describe('bendLimb', () => {
  it('reaches goals at random, keeps lengths, and turns both bones to where they are', () => {
    let seed = 1;
    const random = (): number => {
      seed = (seed * 16807) % 2147483647;
      return seed / 2147483647 - 0.5;
    };
    for (let n = 0; n < 200; n++) {
      const point = (): [number, number, number] => [random(), random(), random()];
      const [a, b, c] = [point(), point(), point()];
      const [l, m] = [Math.hypot(...a.map((x, r) => b[r] - x)), Math.hypot(...b.map((x, r) => c[r] - x))];
      const way = point();
      const length = Math.hypot(...way);
      const d = Math.abs(l - m) + (0.1 + 0.8 * (random() + 0.5)) * (l + m - Math.abs(l - m));
      const goal = a.map((x, r) => x + (way[r] / length) * d) as [number, number, number];
      const bend = bendLimb(a, b, c, goal, [0, 0, 1]);
      if (!bend) continue;
      const middle = rotate(
        [...bend.upper],
        b.map((x, r) => x - a[r]),
      ).map((x, r) => x + a[r]);
      const end = rotate(
        [...bend.middle],
        c.map((x, r) => x - b[r]),
      ).map((x, r) => x + middle[r]);
      end.forEach((x, r) => {
        expect(x).toBeCloseTo(goal[r], 9);
      });
    }
  });
});

describe('findPlants', () => {
  it('finds where a point is slow and low', () => {
    const times = Array.from({ length: 60 }, (_, k) => k / 30);
    // stands for 20 frames, swings for 20, stands again
    const point = Float64Array.from(
      times.flatMap((_, k) => {
        const t = Math.min(1, Math.max(0, (k - 20) / 20));
        return [0, 0.2 * Math.sin(Math.PI * t), t];
      }),
    );
    const plants = findPlants(point, times, 1);
    expect(plants).toHaveLength(2);
    expect(plants[0].first).toBe(0);
    expect(plants[0].last).toBeGreaterThan(16);
    expect(plants[1].last).toBe(59);
  });
});
