// SPDX-License-Identifier: MIT
// The collide suite: sphere trees of skins against brute force in random pairs of poses, and against refitting a bounding volume hierarchy (three-mesh-bvh) where
// two shapes just touch. src/methods/collide/README.md has the table.

import { makeRandom, type Random } from '../../src/core/math/random.ts';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import type { Pose } from '../../src/core/model/deformed/deformer.ts';
import {
  type Collider,
  distance,
  listContacts,
  makeCollider,
  makeCollisionTree,
  overlap,
  raycast,
} from '../../src/entry/collide.ts';
import { makeDeformer } from '../../src/entry/deform.ts';
import { randomPlace } from '../../src/methods/collide/index.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { type Timing, timeVariants, type Variant } from '../shared/time-variants.ts';
import { bruteOverlap, sortTriangles } from './brute-overlap.ts';
import { type CollideCase, makeCapturedCase, makeGeneratedCase } from './collide-cases.ts';
import { type CollidePeer, makeCollidePeer } from './collide-peer.ts';

/** Vertices of generated animals: brute force over all pairs of poses, and the 40,000 triangles that are compared with the peer. */
const SMALL = 2000;
const LARGE = 20_000;
const QUICK = 400;
/** Brute force compares at most this number of triangles. */
const MAX_BRUTE = 20_000;
const POSE_PAIRS = 1000;
const SCENES = 20;
/** Halvings of the distance at which two shapes just touch. */
const HALVINGS = 16;
/** Centers of random pairs are at most this far apart along each axis, relative to the model. About half of the pairs touch. */
const REACH = 0.3;

export const collideSuite: BenchSuite = {
  name: 'collide',
  description:
    'collisions of skins: compared with brute force in random poses, and with refitting a bounding volume hierarchy where shapes just touch',
  async run(context) {
    const { quick } = context;
    const sizes = quick ? [QUICK] : [SMALL, LARGE];
    const rows: BenchRow[] = [];
    const add = async (one: CollideCase): Promise<void> => {
      context.signal.throwIfAborted();
      context.onProgress({ phase: one.name, fraction: rows.length / 12 });
      const bench = new CollideBench(one, context);
      const triangleCount = one.model.mesh.triangles.length / 3;
      if (triangleCount <= MAX_BRUTE) rows.push(bench.compareWithBruteForce(quick ? 50 : POSE_PAIRS));
      rows.push(...(await bench.compareWithPeer(quick ? 3 : SCENES)));
    };
    for (const name of quick ? ['quadruped'] : ['quadruped', 'creature-soft'])
      for (const size of sizes) await add(makeGeneratedCase(name, size));
    const captured = quick ? undefined : await makeCapturedCase(context);
    if (captured) await add(captured);
    else if (!quick) context.note('no captured motion: set OSSIFY_DATA to the folder that holds datasets/');
    return rows;
  },
};

/** Two posed instances. */
interface Scene {
  poses: [Pose, Pose];
  worlds: [Float64Array, Float64Array];
}

class CollideBench {
  readonly #case: CollideCase;
  readonly #context: BenchContext;
  readonly #random: Random;
  readonly #a: Collider;
  readonly #b: Collider;
  readonly #buildMilliseconds: number;
  readonly #triangleCount: number;
  readonly #size: number;

  constructor(one: CollideCase, context: BenchContext) {
    this.#case = one;
    this.#context = context;
    this.#random = makeRandom(context.seed + 1);
    const start = performance.now();
    const tree = makeCollisionTree(one.model);
    this.#buildMilliseconds = performance.now() - start;
    this.#a = makeCollider(tree);
    this.#b = makeCollider(tree);
    this.#triangleCount = one.model.mesh.triangles.length / 3;
    this.#size = measureBounds(one.model.mesh.positions).diagonal;
  }

  /** Pairs of triangles in random poses, and those that one of both does not find. */
  compareWithBruteForce(count: number): BenchRow {
    const { model } = this.#case;
    const deformer = makeDeformer(model);
    const sums = {
      touching: 0,
      trianglePairs: 0,
      falseNegatives: 0,
      falsePositives: 0,
      sphereTests: 0,
      milliseconds: 0,
    };
    for (let n = 0; n < count; n++) {
      this.#context.signal.throwIfAborted();
      const scene = this.#drawScene(REACH * this.#size);
      const found: number[] = [];
      const start = performance.now();
      this.#pose(scene);
      const { sphereTests } = overlap(this.#a, this.#b, (s, t) => {
        found.push(s * this.#triangleCount + t);
      });
      sums.milliseconds += performance.now() - start;
      const [a, b] = scene.poses.map((pose, side) => sortTriangles(model, deformer, pose, scene.worlds[side]));
      const all = bruteOverlap(a, b);
      const common = found.filter((pair) => all.has(pair)).length;
      sums.touching += found.length > 0 ? 1 : 0;
      sums.trianglePairs += found.length / count;
      sums.falseNegatives += all.size - common;
      sums.falsePositives += found.length - common;
      sums.sphereTests += sphereTests / count;
    }
    const { milliseconds, ...figures } = sums;
    return {
      case: `${this.#name()}, random poses`,
      timings: { overlap: timingOf(milliseconds / count) },
      figures: { posePairs: count, ...figures, sphereTestRatio: sums.sphereTests / this.#triangleCount ** 2 },
    };
  }

  /** Shapes that just touch: overlap without deforming, against deforming, refitting and comparing. And the other queries. */
  async compareWithPeer(count: number): Promise<BenchRow[]> {
    const scenes = Array.from({ length: count }, () => this.#drawTouching());
    const peer = await makeCollidePeer(this.#case.model);
    if (!peer) this.#context.note('three-mesh-bvh is not installed: its times are left out');
    let trianglePairs = 0;
    let sphereTests = 0;
    let peerPairs = 0;
    for (const scene of scenes) {
      this.#pose(scene);
      const found = overlap(this.#a, this.#b, () => {});
      trianglePairs += found.pairCount / count;
      sphereTests += found.sphereTests / count;
      peer?.deform(...scene.poses);
      peer?.refit();
      peerPairs += (peer?.countPairs(...scene.worlds) ?? 0) / count;
    }
    const each = (run: (scene: Scene) => void): Variant => ({ run: () => scenes.forEach(run) });
    const ours = each((scene) => {
      this.#pose(scene);
      overlap(this.#a, this.#b, () => {});
    });
    const timed = await timeVariants(
      { overlap: ours, ...(peer ? this.#peerVariants(peer, each) : {}) },
      { budget: 4000 },
    );
    const timings = scale(timed, count);
    const peerFigures = peer ? { peerPairs, ...ratiosOf(timings) } : {};
    const touching: BenchRow = {
      case: `${this.#name()}, just touching`,
      timings,
      figures: { trianglePairs, sphereTests, sphereTestRatio: sphereTests / this.#triangleCount ** 2, ...peerFigures },
    };
    return [touching, await this.#timeQueries(scenes)];
  }

  #peerVariants(peer: CollidePeer, each: (run: (scene: Scene) => void) => Variant): Record<string, Variant> {
    return {
      refit: each(() => peer.refit()),
      refitAndCompare: each(({ worlds }) => {
        peer.refit();
        peer.countPairs(...worlds);
      }),
      deformRefitAndCompare: each(({ poses, worlds }) => {
        peer.deform(...poses);
        peer.refit();
        peer.countPairs(...worlds);
      }),
    };
  }

  async #timeQueries(scenes: readonly Scene[]): Promise<BenchRow> {
    const each = (run: () => void): Variant => ({
      run: () => {
        for (const scene of scenes) {
          this.#pose(scene);
          run();
        }
      },
    });
    const origin = [3 * this.#size, this.#size, 2 * this.#size];
    const timings = await timeVariants(
      {
        contacts: each(() => void listContacts(this.#a, this.#b)),
        distance: each(() => void distance(this.#a, this.#b)),
        raycast: each(() => void raycast(this.#a, { origin, direction: origin.map((x) => -x) })),
      },
      { budget: 1500 },
    );
    const { children } = this.#a.tree;
    return {
      case: `${this.#name()}, queries`,
      timings: { build: timingOf(this.#buildMilliseconds), ...scale(timings, scenes.length) },
      figures: { triangles: this.#triangleCount, nodes: children.length / 2 },
    };
  }

  #name(): string {
    return `${this.#case.name}, ${this.#triangleCount} triangles`;
  }

  #pose({ poses, worlds }: Scene): void {
    this.#a.pose(poses[0], worlds[0]);
    this.#b.pose(poses[1], worlds[1]);
  }

  #drawScene(reach: number): Scene {
    return {
      poses: [this.#case.drawPose(this.#random), this.#case.drawPose(this.#random)],
      worlds: [randomPlace(this.#random, reach), randomPlace(this.#random, reach)],
    };
  }

  /** Moves the second instance away from the first until both just touch. */
  #drawTouching(): Scene {
    const scene = this.#drawScene(0.01 * this.#size);
    const direction = [0, 1, 2].map(() => this.#random.normal());
    const length = Math.hypot(...direction);
    const start = scene.worlds[1].slice();
    let [near, far] = [0, 3 * this.#size];
    const moveTo = (along: number): void => {
      for (let c = 0; c < 3; c++) scene.worlds[1][12 + c] = start[12 + c] + (along * direction[c]) / length;
      this.#pose(scene);
    };
    for (let n = 0; n < HALVINGS; n++) {
      const middle = (near + far) / 2;
      moveTo(middle);
      if (overlap(this.#a, this.#b).pairCount > 0) near = middle;
      else far = middle;
    }
    moveTo(near);
    return scene;
  }
}

function ratiosOf({ overlap: ours, ...peers }: Record<string, Timing>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(peers).map(([name, { least }]) => [
      `ratio${name[0].toUpperCase()}${name.slice(1)}`,
      least / ours.least,
    ]),
  );
}

/** Milliseconds of one scene, from those of all. */
function scale(timings: Record<string, Timing>, count: number): Record<string, Timing> {
  return Object.fromEntries(
    Object.entries(timings).map(([name, { least, mean, deviation, runs }]) => [
      name,
      { least: least / count, mean: mean / count, deviation: deviation / count, runs },
    ]),
  );
}

function timingOf(milliseconds: number): Timing {
  return { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 };
}
