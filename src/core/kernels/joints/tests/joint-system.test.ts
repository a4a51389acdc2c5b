// SPDX-License-Identifier: MIT
// Moments, joints and bones of a tree against plain loops over points, and the kernels against their references.
import { describe, expect, it } from 'vitest';
import { eigenSymmetric } from '../../../algebra/eigen-symmetric.ts';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { nearestRotationInto } from '../../../math/rotation.ts';
import { callPlaceBones } from '../../bones/place-bones.ts';
import { reserveSkinMoments, skinMomentsInto } from '../../bones/skin-moments.ts';
import { type Compute, uploadFloat64, uploadUint32 } from '../../compute.ts';
import { callJointSystem, callSubtreeMoments, isNoHinge, reserveJointSystem } from '../joint-system.ts';
import { callTreeMoments, NO_PARENT, reserveTreeMoments, treeMeansInto } from '../tree-moments.ts';

const BONES = 7;
const FRAMES = 5;
const ROWS = 3 * FRAMES;
const POINTS = 60;
const INFLUENCES = 3;
/** Bone 3 is the root; children are before and behind their parents. */
const ONE_ROOT = [3, 0, 4, NO_PARENT, 3, 2, 2];
/** Bones 4 and 6 have moved away from their parents. */
const THREE_ROOTS = [3, 0, 4, NO_PARENT, NO_PARENT, 2, NO_PARENT];
const ORDER = [3, 0, 4, 1, 2, 5, 6];

function makeProblem() {
  const random = makeRandom(11);
  const rest = Float64Array.from({ length: 3 * POINTS }, () => random.normal());
  const posed = Float64Array.from({ length: ROWS * POINTS }, () => random.normal());
  const ids = Uint32Array.from(
    { length: INFLUENCES * POINTS },
    (_, e) => (Math.floor(e / INFLUENCES) + (e % 3)) % BONES,
  );
  const weights = Float64Array.from(ids, () => random.next());
  for (let o = 0; o < weights.length; o += INFLUENCES) {
    const sum = weights[o] + weights[o + 1] + weights[o + 2];
    for (let e = o; e < o + INFLUENCES; e++) weights[e] /= sum;
  }
  const joints = Float64Array.from({ length: 3 * BONES }, (_, e) => (Math.floor(e / 3) === 3 ? 0 : random.normal()));
  const rotations = new Float64Array(ROWS * 3 * BONES);
  const m = new Float64Array(9);
  for (let k = 0; k < FRAMES; k++) {
    for (let b = 0; b < BONES; b++) {
      for (let c = 0; c < 9; c++) m[c] = random.normal();
      // bone 5 turns about z against its parent, which makes its joint a hinge
      if (b === 5) m.set([Math.cos(k), Math.sin(k), 0, -Math.sin(k), Math.cos(k), 0, 0, 0, 1]);
      if (b === 2) m.set([1, 0, 0, 0, 1, 0, 0, 0, 1]);
      nearestRotationInto(m, m);
      for (let r = 0; r < 3; r++)
        for (let c = 0; c < 3; c++) rotations[(3 * k + r) * 3 * BONES + 3 * b + c] = m[3 * c + r];
    }
  }
  return { rest, posed, ids, weights, joints, rotations };
}
const problem = makeProblem();

/** Everything that the kernels compute from the problem. */
async function run(
  kind: 'wasm' | 'typescript',
  springs: { relative: number; stiff: number; hinges: boolean },
  threads = 1,
  parents: readonly number[] = ONE_ROOT,
) {
  const compute = await makeCompute({ kind, threads });
  const made = await solve(compute, springs, parents);
  compute.dispose();
  return made;
}

async function solve(
  compute: Compute,
  springs: { relative: number; stiff: number; hinges: boolean },
  parents: readonly number[],
) {
  const rootCount = parents.filter((p) => p === NO_PARENT).length;
  const posed = uploadFloat64(compute, problem.posed);
  const squares = compute.float64(POINTS);
  const trajectories = {
    vertexCount: POINTS,
    frameCount: FRAMES,
    rest: uploadFloat64(compute, problem.rest),
    posed,
    squares,
  };
  const skin = reserveSkinMoments(compute, BONES, FRAMES);
  const [ids, weights] = [uploadUint32(compute, problem.ids), uploadFloat64(compute, problem.weights)];
  await skinMomentsInto(compute, trajectories, ids, weights, BONES, skin);
  const tree = {
    boneCount: BONES,
    rootCount,
    parents: uploadUint32(compute, Uint32Array.from(parents)),
    order: uploadUint32(compute, Uint32Array.from(ORDER)),
    joints: uploadFloat64(compute, problem.joints),
  };
  const rotations = uploadFloat64(compute, problem.rotations);
  const moments = reserveTreeMoments(compute, BONES, FRAMES, rootCount);
  const bones = compute.float64(12 * FRAMES * BONES);
  await compute.runAll([callTreeMoments(skin, POINTS, tree, moments), callPlaceBones(rotations, tree, moments, bones)]);
  const { gram, targets, means, centers } = moments;
  const all = [gram, targets, means, centers, bones].map((array) => array.view().slice());
  treeMeansInto(skin, POINTS, tree, moments);
  const onlyMeans = means.view().slice();
  const system = reserveJointSystem(compute, BONES, FRAMES);
  system.factors.view().fill(1);
  system.anchors.view().set(problem.joints.map((x) => x + 0.1));
  await compute.runAll([
    callSubtreeMoments(skin, POINTS, tree, system),
    ...callJointSystem(rotations, tree, system, { ...springs, least: 1e-12 }),
  ]);
  const joints = tree.joints.view().slice();
  await compute.runAll([callTreeMoments(skin, POINTS, tree, moments), callPlaceBones(rotations, tree, moments, bones)]);
  return {
    ...{
      gram: all[0],
      targets: all[1],
      means: all[2],
      centers: all[3],
      bones: all[4],
      onlyMeans,
    },
    ...{ joints, blocks: system.blocks.view().slice(), solvedBones: bones.view().slice() },
  };
}

const isBelow = (parents: readonly number[], j: number, a: number): boolean =>
  j === a || (parents[j] !== NO_PARENT && isBelow(parents, parents[j], a));

/** POINTS x 3 BONES: what each rotation acts on. */
function listArms(joints: Float64Array, parents: readonly number[] = ONE_ROOT): Float64Array {
  const arms = new Float64Array(POINTS * 3 * BONES);
  for (let i = 0; i < POINTS; i++) {
    for (let e = i * INFLUENCES; e < (i + 1) * INFLUENCES; e++) {
      for (let r = 0; r < 3; r++)
        arms[(i * BONES + problem.ids[e]) * 3 + r] += problem.weights[e] * problem.rest[3 * i + r];
      for (let a = 0; a < BONES; a++) {
        if (parents[a] === NO_PARENT || !isBelow(parents, problem.ids[e], a)) continue;
        for (let r = 0; r < 3; r++) {
          arms[(i * BONES + a) * 3 + r] -= problem.weights[e] * joints[3 * a + r];
          arms[(i * BONES + parents[a]) * 3 + r] += problem.weights[e] * joints[3 * a + r];
        }
      }
    }
  }
  return arms;
}

/** The squared error with the best translation of every frame. */
function measureError(joints: Float64Array): number {
  const arms = listArms(joints);
  let error = 0;
  for (let row = 0; row < ROWS; row++) {
    let [sum, squares] = [0, 0];
    for (let i = 0; i < POINTS; i++) {
      let v = -problem.posed[i * ROWS + row];
      for (let e = 0; e < 3 * BONES; e++) v += problem.rotations[row * 3 * BONES + e] * arms[i * 3 * BONES + e];
      sum += v;
      squares += v * v;
    }
    error += squares - (sum * sum) / POINTS;
  }
  return error;
}

describe('moments of a tree', () => {
  it('are those of the points about their means', async () => {
    const { gram, targets, means, centers, onlyMeans } = await run('wasm', { relative: 0, stiff: 0, hinges: false });
    const arms = listArms(problem.joints);
    const size = 3 * BONES;
    const mean = Float64Array.from({ length: size }, (_, e) => {
      let sum = 0;
      for (let i = 0; i < POINTS; i++) sum += arms[i * size + e];
      return sum / POINTS;
    });
    for (let e = 0; e < size; e++) {
      expect(means[e]).toBeCloseTo(mean[e], 12);
      expect(onlyMeans[e]).toBeCloseTo(mean[e], 12);
      for (let f = 0; f < size; f++) {
        let sum = 0;
        for (let i = 0; i < POINTS; i++) sum += (arms[i * size + e] - mean[e]) * (arms[i * size + f] - mean[f]);
        expect(gram[e * size + f]).toBeCloseTo(sum, 10);
      }
      for (let row = 0; row < ROWS; row++) {
        let [sum, center] = [0, 0];
        for (let i = 0; i < POINTS; i++) {
          center += problem.posed[i * ROWS + row] / POINTS;
          sum += problem.posed[i * ROWS + row] * (arms[i * size + e] - mean[e]);
        }
        expect(centers[row]).toBeCloseTo(center, 12);
        expect(targets[row * size + e]).toBeCloseTo(sum, 10);
      }
    }
  });

  it('place bones that are connected at their joints', async () => {
    const { solvedBones, joints } = await run('wasm', { relative: 0, stiff: 0, hinges: false });
    for (let row = 0; row < ROWS; row++) {
      for (let a = 0; a < BONES; a++) {
        if (ONE_ROOT[a] === NO_PARENT) continue;
        const [p, q] = [ONE_ROOT[a], a].map((j) => {
          const o = (row * BONES + j) * 4;
          return [0, 1, 2].reduce((sum, c) => sum + solvedBones[o + c] * joints[3 * a + c], solvedBones[o + 3]);
        });
        expect(p).toBeCloseTo(q, 12);
      }
    }
  });
});

describe('a tree with several roots', () => {
  const springs = { relative: 0, stiff: 0, hinges: false };

  /** The squared error of bones with the given rotations. */
  const errorOf = (bones: Float64Array): number => {
    let error = 0;
    for (let i = 0; i < POINTS; i++) {
      for (let row = 0; row < ROWS; row++) {
        let v = -problem.posed[i * ROWS + row];
        for (let e = i * INFLUENCES; e < (i + 1) * INFLUENCES; e++) {
          const o = 4 * (row * BONES + problem.ids[e]);
          let x = bones[o + 3];
          for (let c = 0; c < 3; c++) x += bones[o + c] * problem.rest[3 * i + c];
          v += problem.weights[e] * x;
        }
        error += v * v;
      }
    }
    return error;
  };

  it('places every component where the error is lowest', async () => {
    const { bones, means, onlyMeans } = await run('wasm', springs, 1, THREE_ROOTS);
    const best = errorOf(bones);
    for (let root = 0; root < BONES; root++) {
      if (THREE_ROOTS[root] !== NO_PARENT) continue;
      for (const step of [1e-3, -1e-3]) {
        const moved = bones.slice();
        for (let j = 0; j < BONES; j++)
          if (isBelow(THREE_ROOTS, j, root))
            for (let row = 0; row < ROWS; row++) moved[4 * (row * BONES + j) + 3] += step;
        expect(errorOf(moved)).toBeGreaterThan(best);
      }
    }
    for (let e = 0; e < means.length; e++) expect(onlyMeans[e]).toBeCloseTo(means[e], 10);
  });

  it('has moments whose error is that of the placed bones', async () => {
    const { gram, targets, bones } = await run('wasm', springs, 1, THREE_ROOTS);
    // E(X) = tr(X G Xᵀ) − 2 tr(X Dᵀ) + const: two sets of rotations have the same constant
    const size = 3 * BONES;
    const measure = (x: Float64Array): number => {
      let sum = 0;
      for (let row = 0; row < ROWS; row++)
        for (let e = 0; e < size; e++) {
          sum -= 2 * x[row * size + e] * targets[row * size + e];
          for (let f = 0; f < size; f++) sum += x[row * size + e] * gram[e * size + f] * x[row * size + f];
        }
      return sum;
    };
    const zero = new Float64Array(problem.rotations.length);
    const other = errorOf(await placeWith(zero));
    expect(errorOf(bones) - other).toBeCloseTo(measure(problem.rotations) - measure(zero), 8);
  });

  it('has joints with the least error', async () => {
    const { joints, solvedBones } = await run('wasm', springs, 1, THREE_ROOTS);
    const best = errorOf(solvedBones);
    for (const a of [0, 1, 2, 5]) {
      for (const step of [0.01, -0.01]) {
        const moved = joints.slice();
        moved[3 * a + 1] += step;
        expect(errorOf(await placeWith(problem.rotations, moved))).toBeGreaterThan(best - 1e-9);
      }
    }
  });

  it('equals its reference, on any number of threads', async () => {
    const strong = { relative: 1e-4, stiff: 0.3, hinges: true };
    const fast = await run('wasm', strong, 1, THREE_ROOTS);
    expect(await run('wasm', strong, 2, THREE_ROOTS)).toEqual(fast);
    const slow = await run('typescript', strong, 1, THREE_ROOTS);
    for (const [name, values] of Object.entries(fast)) {
      const expected = slow[name as keyof typeof slow];
      for (let e = 0; e < values.length; e++) expect(values[e], name).toBeCloseTo(expected[e], 8);
    }
  });

  /** Bones with these rotations and joints, and the best translation of every component. */
  async function placeWith(rotations: Float64Array, joints = problem.joints): Promise<Float64Array> {
    const own = { rotations: problem.rotations, joints: problem.joints };
    Object.assign(problem, { rotations, joints });
    const { bones } = await run('typescript', springs, 1, THREE_ROOTS);
    Object.assign(problem, own);
    return bones;
  }
});

describe('the system of joints', () => {
  it('has the least error over all joints', async () => {
    const { joints } = await run('wasm', { relative: 0, stiff: 0, hinges: false });
    const best = measureError(joints);
    expect(best).toBeLessThan(measureError(problem.joints));
    for (let e = 0; e < joints.length; e++) {
      for (const step of [0.01, -0.01]) {
        const moved = joints.slice();
        moved[e] += step;
        expect(measureError(moved)).toBeGreaterThan(best - 1e-9);
      }
    }
  });

  it('keeps a hinge near its anchor along its axis', async () => {
    const [free, held] = [
      await run('wasm', { relative: 0, stiff: 1e-9, hinges: false }),
      await run('wasm', { relative: 0, stiff: 1e-9, hinges: true }),
    ];
    const anchor = problem.joints[17] + 0.1;
    expect(Math.abs(held.joints[17] - anchor)).toBeLessThan(1e-6);
    for (const e of [15, 16]) expect(held.joints[e]).toBeCloseTo(free.joints[e], 6);
  });

  it.each([
    { relative: 0, stiff: 0, hinges: false },
    { relative: 1e-4, stiff: 0.3, hinges: true },
  ])('and all moments equal their references, on any number of threads (%o)', async (springs) => {
    const [fast, slow, threads] = [
      await run('wasm', springs),
      await run('typescript', springs),
      await run('wasm', springs, 2),
    ];
    expect(threads).toEqual(fast);
    for (const [name, values] of Object.entries(fast)) {
      const expected = slow[name as keyof typeof slow];
      for (let e = 0; e < values.length; e++) expect(values[e], name).toBeCloseTo(expected[e], 8);
    }
  });

  it('takes no hinge for none by its determinant', () => {
    const random = makeRandom(3);
    let rejected = 0;
    for (let n = 0; n < 2000; n++) {
      // eigenvalues of all sizes, in random directions
      const sizes = [0, 1, 2].map(() => 10 ** (-4 * random.next()));
      const block = new Float64Array(9);
      for (const size of sizes) {
        const v = [0, 1, 2].map(() => random.normal());
        for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) block[3 * r + c] += size * v[r] * v[c];
      }
      if (!isNoHinge(block)) continue;
      rejected++;
      const { values } = eigenSymmetric(block, 3);
      expect(values[2]).toBeGreaterThanOrEqual(0.01 * values[1]);
    }
    expect(rejected).toBeGreaterThan(200);
  });
});
