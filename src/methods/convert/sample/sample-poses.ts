// SPDX-License-Identifier: MIT
// T. Mukai, I3D 2018, §4.2–4.4: one joint at a time takes every rotation of a grid within its range; then the M most important rotations are kept.
//
// symbol     here                      shape
// R_j        rotations of a joint      count x 4
// Υ_i(r_j)   shapes                    count x vertexCount x 3
// disp_i     |Υ − v|                                            Eq. 7
// dep_i      (Υ − v)·(Υ̃ − v) / |Υ̃ − v|², Υ̃ = A_j v            Eq. 8, 9
//
// Choices that the paper leaves open: ε is relative to the size of the region that the joint moves (its box diagonal), so that a finger has its own scale. Vertices that
// move rigidly with a joint have the dependency 1 in every pose, so almost all rotations tie. Of rotations within TIE of each other, the next one is the farthest from all
// chosen ones (the rest pose, and those of the largest displacement, which are chosen first), then the one of the smallest index. Large
// displacements are concentrated at the ends of the range, so the weight of a pose is the number of grid rotations that are nearest to it.

import type { Resident } from '../../../core/kernels/compute.ts';
import { makeRandom, type Random } from '../../../core/math/random.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { PoseSettings } from '../helper-input.ts';
import { makeRandomPoses } from './random-poses.ts';
import { ShapeSet, type TrainingSet } from './shape-set.ts';
import type { SourceProbe } from './source-probe.ts';

/** The number and choice of poses: samples is M, epsilon is ε. */
export interface SamplePosesOptions extends PoseSettings {
  /** Called before every joint and every few poses with the fraction that is done; return true to stop. */
  onJoint?: (part: number) => Promise<boolean>;
}

/** Minimum displacement of a vertex in the region of a joint, relative to the model's size. */
const NOISE = 1e-6;
/** Seed and weight of poses that rotate several joints. */
const COMBINED_SEED = 0xc0;
const COMBINED_WEIGHT = 1;
/** Maximum number of single-joint rotations of an enlarged set: shapes are kept in memory, and the cost of fits grows with them. */
const MAX_ENLARGED = 2000;
/** Minimum number of rotations that a kept rotation represents. */
const MIN_SHARE = 0.5;
/** Poses between progress calls. */
const TICK = 16;
/** Dependencies that differ by less are equal. Chosen by hand. */
const TIE = 0.01;

/**
 * Samples poses of a source, joint by joint.
 * @param rotationsOf by joint, count x 4: candidate rotations; none for fixed joints
 */
export async function samplePoses(
  probe: SourceProbe,
  rotationsOf: readonly Float64Array[],
  options: SamplePosesOptions,
): Promise<TrainingSet> {
  return probe.memory.scope(async (memory) => {
    const stride = probe.source.mesh.positions.length;
    const { sampling, samples } = options;
    const random = makeRandom(options.seed);
    const counts = rotationsOf.map((list) => list.length / 4);
    const shapes = memory.float32(stride * largestOf(counts, sampling === 'random' ? samples : undefined));
    const set = new ShapeSet(
      probe,
      counts.reduce((sum, count) => sum + Math.min(samples, count), 0),
    );
    const idle: number[] = [];
    const total = counts.reduce((sum, count) => sum + count, 0);
    let done = 0;
    for (let j = 0; j < probe.jointCount; j++) {
      const list = rotationsOf[j];
      if (list.length === 0) continue;
      if (await options.onJoint?.(done / total)) break;
      const all = sampling === 'random' ? drawRotations(list, samples, random) : Array.from(indices(counts[j]));
      // for slow sources, report progress within a joint
      const tell = async (n: number) => options.onJoint?.((done + (counts[j] * n) / all.length) / total);
      const rotations = turnJoint(probe, j, list, all);
      if (!(await evaluateShapes(probe, rotations, shapes, tell))) break;
      done += counts[j];
      const posed = shapes.view();
      const kept = sampling === 'random' ? keepAll(probe, posed, all.length) : choose(probe, j, list, posed, options);
      if (kept.length === 0) idle.push(j);
      const turned = kept.map((n) => all[n]);
      const shares = shareRotations(list, turned, sampling === 'importance');
      for (const [place, n] of kept.entries()) {
        const width = 4 * probe.jointCount;
        set
          .add(j, rotations.subarray(n * width, (n + 1) * width), shares[place])
          .set(posed.subarray(n * stride, (n + 1) * stride));
      }
    }
    return set.finish(idle);
  });
}

/** The most shapes of a joint. */
function largestOf(counts: readonly number[], samples = Number.POSITIVE_INFINITY): number {
  return counts.reduce((most, count) => Math.max(most, Math.min(count, samples)), 0);
}

/** Poses in which one joint takes some rotations of a list: rotations x jointCount x 4. */
function turnJoint(probe: SourceProbe, j: number, list: Float64Array, places: readonly number[]): Float64Array {
  const rest = probe.makeRest();
  const out = new Float64Array(places.length * rest.length);
  for (const [n, place] of places.entries()) {
    out.set(rest, n * rest.length);
    out.set(list.subarray(4 * place, 4 * place + 4), n * rest.length + 4 * j);
  }
  return out;
}

/** Fills shapes of poses; slow sources can be stopped, which returns false. @param tell called with the number of poses done; true stops */
async function evaluateShapes(
  probe: SourceProbe,
  rotations: Float64Array,
  shapes: Resident<Float32Array>,
  tell: (n: number) => Promise<boolean | undefined>,
): Promise<boolean> {
  if (probe.isFast) {
    await probe.evaluateAllInto(rotations, probe.placeBones(rotations), shapes);
    return true;
  }
  const width = 4 * probe.jointCount;
  const stride = probe.source.mesh.positions.length;
  for (let n = 0; n < rotations.length / width; n++) {
    if (n % TICK === 0 && n > 0 && (await tell(n))) return false;
    const own = rotations.subarray(n * width, (n + 1) * width);
    probe.evaluateInto(own, shapes.view().subarray(n * stride, (n + 1) * stride));
  }
  return true;
}

/**
 * The same poses with all rotations of some joints instead of the kept ones, and with poses that rotate all of these joints at once, as many as one
 * joint has rotations: the combined effect of joints is not the sum of their effects. If there are many joints, each adds only so
 * many rotations, the farthest from others first, that the total is MAX_ENLARGED.
 */
export async function enlargePoses(
  probe: SourceProbe,
  rotationsOf: readonly Float64Array[],
  set: TrainingSet,
  joints: readonly number[],
  onJoint?: (part: number) => Promise<boolean>,
): Promise<TrainingSet> {
  const stride = probe.source.mesh.positions.length;
  const width = 4 * probe.jointCount;
  const wanted = Math.floor(MAX_ENLARGED / joints.length);
  const combined = joints.length > 1 ? Math.max(...joints.map((j) => rotationsOf[j].length / 4)) : 0;
  const others = set.moved.filter((j) => !joints.includes(j)).length;
  const turned = joints.map((j) =>
    spreadRotations(rotationsOf[j], listKept(set, probe.jointCount, j, rotationsOf[j]), wanted),
  );
  const all = new ShapeSet(
    probe,
    turned.reduce((sum, kept) => sum + kept.length, others + combined),
  );
  for (let k = 0; k < set.frameCount; k++)
    if (!joints.includes(set.moved[k]))
      all
        .add(set.moved[k], set.rotations.subarray(k * width, (k + 1) * width), set.weights[k])
        .set(set.positions.subarray(k * stride, (k + 1) * stride));
  for (const [n, j] of joints.entries()) {
    if (await onJoint?.(n / joints.length)) return set;
    const list = rotationsOf[j];
    const isWhole = 4 * turned[n].length === list.length;
    const shares = isWhole ? undefined : shareRotations(list, turned[n], true);
    await all.evaluate(j, turnJoint(probe, j, list, turned[n]), shares ?? turned[n].map(() => 1));
  }
  const next = makeRandomPoses(
    rotationsOf.map((list, j) => (joints.includes(j) ? list : new Float64Array(0))),
    COMBINED_SEED,
  );
  const mixed = new Float64Array(combined * width);
  for (let n = 0; n < combined; n++) next(mixed.subarray(n * width, (n + 1) * width));
  await all.evaluate(-1, mixed, new Array(combined).fill(COMBINED_WEIGHT));
  return all.finish(set.idle);
}

function* indices(count: number): Generator<number> {
  for (let n = 0; n < count; n++) yield n;
}

function drawRotations(list: Float64Array, wanted: number, random: Random): number[] {
  const order = Array.from(indices(list.length / 4));
  const count = Math.min(wanted, order.length);
  for (let n = 0; n < count; n++) {
    const other = n + random.below(order.length - n);
    [order[n], order[other]] = [order[other], order[n]];
  }
  return order.slice(0, count);
}

function keepAll(probe: SourceProbe, posed: Float32Array, count: number): number[] {
  const { farthest } = measureDisplacements(probe, posed, count);
  return farthest.some((d) => d > NOISE * probe.size) ? Array.from(indices(count)) : [];
}

/** By vertex, the largest displacement (Eq. 7) and its rotation. */
function measureDisplacements(probe: SourceProbe, posed: Float32Array, count: number) {
  const rest = probe.source.mesh.positions;
  const farthest = new Float64Array(rest.length / 3);
  const where = new Uint32Array(rest.length / 3);
  for (let n = 0; n < count; n++) {
    for (let i = 0, c = 0, o = n * rest.length; i < farthest.length; i++, c += 3, o += 3) {
      const [dx, dy, dz] = [posed[o] - rest[c], posed[o + 1] - rest[c + 1], posed[o + 2] - rest[c + 2]];
      const d = Math.sqrt(dx * dx + dy * dy + dz * dz);
      if (d > farthest[i]) {
        farthest[i] = d;
        where[i] = n;
      }
    }
  }
  return { farthest, where };
}

/** The indices of the kept rotations of joint j; none if it moves no vertex. */
function choose(
  probe: SourceProbe,
  j: number,
  list: Float64Array,
  posed: Float32Array,
  { samples, epsilon, epsilonOf }: SamplePosesOptions,
): number[] {
  const rest = probe.source.mesh.positions;
  const count = list.length / 4;
  const { farthest, where } = measureDisplacements(probe, posed, count);
  const region: number[] = [];
  for (let i = 0; i < farthest.length; i++)
    if (farthest[i] > NOISE * probe.size) region.push(rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]);
  if (region.length === 0) return [];
  const size = epsilonOf === 'region' ? measureBounds(region).diagonal : probe.size;
  const minDistance = Math.max(NOISE * probe.size, epsilon * size);

  const away = measureDependency(probe, j, list, posed, { farthest, minDistance });
  const displacement = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < farthest.length; i++)
    if (farthest[i] > minDistance) displacement[where[i]] = Math.max(displacement[where[i]], farthest[i]);
  return keepRotations(list, Math.min(samples, count), away, displacement);
}

/** By rotation, the strongest dependency of any vertex on the joint, as its distance from one in units of TIE. */
function measureDependency(
  probe: SourceProbe,
  j: number,
  list: Float64Array,
  posed: Float32Array,
  { farthest, minDistance }: { farthest: Float64Array; minDistance: number },
): Float64Array {
  const rest = probe.source.mesh.positions;
  const away = new Float64Array(list.length / 4).fill(Number.POSITIVE_INFINITY);
  const rotations = probe.makeRest();
  const bones = new Float64Array(16 * probe.jointCount);
  const m = bones.subarray(16 * j, 16 * j + 16);
  for (let n = 0; n < away.length; n++) {
    rotations.set(list.subarray(4 * n, 4 * n + 4), 4 * j);
    probe.poser.poseInto(rotations, bones);
    for (let i = 0, c = 0, o = n * rest.length; i < farthest.length; i++, c += 3, o += 3) {
      if (farthest[i] <= minDistance) continue;
      const x = rest[c],
        y = rest[c + 1],
        z = rest[c + 2];
      const dx = posed[o] - x,
        dy = posed[o + 1] - y,
        dz = posed[o + 2] - z;
      if (dx * dx + dy * dy + dz * dz <= minDistance * minDistance) continue;
      const ex = m[0] * x + m[4] * y + m[8] * z + m[12] - x; // Eq. 9
      const ey = m[1] * x + m[5] * y + m[9] * z + m[13] - y;
      const ez = m[2] * x + m[6] * y + m[10] * z + m[14] - z;
      const dependency = (dx * ex + dy * ey + dz * ez) / (ex * ex + ey * ey + ez * ez); // Eq. 8
      // the importance ρ/(|dep − 1| + ρ) falls with |dep − 1| for every ρ
      const ties = Math.round(Math.abs(dependency - 1) / TIE);
      if (ties < away[n]) away[n] = ties;
    }
  }
  return away;
}

/** Half of the rotations by displacement, the others by dependency; ties go to the rotation that is farthest from the kept ones. */
function keepRotations(list: Float64Array, wanted: number, away: Float64Array, displacement: Float64Array): number[] {
  const count = away.length;
  const kept = new Set<number>();
  const spread = new Spread(list);
  const byDisplacement = Array.from(indices(count)).filter((n) => displacement[n] > Number.NEGATIVE_INFINITY);
  byDisplacement.sort((a, b) => displacement[b] - displacement[a] || a - b);
  for (const n of byDisplacement.slice(0, Math.floor(wanted / 2))) {
    kept.add(n);
    spread.take(n);
  }
  while (kept.size < wanted) {
    let best = -1;
    for (let n = 0; n < count; n++) {
      if (kept.has(n)) continue;
      const isBetter = best < 0 || away[n] < away[best] || (away[n] === away[best] && spread.isFarther(n, best));
      if (isBetter) best = n;
    }
    kept.add(best);
    spread.take(best);
  }
  return [...kept].sort((a, b) => a - b);
}

/** The nearness of rotations to the chosen ones and the rest pose. The smallest |q·p| is the largest angle. */
class Spread {
  readonly #list: Float64Array;
  readonly #nearest: Float64Array;

  constructor(list: Float64Array) {
    this.#list = list;
    this.#nearest = Float64Array.from({ length: list.length / 4 }, (_, n) => Math.abs(list[4 * n + 3]));
  }

  take(n: number): void {
    const [list, nearest] = [this.#list, this.#nearest];
    for (let a = 0; a < nearest.length; a++) {
      let dot = 0;
      for (let c = 0; c < 4; c++) dot += list[4 * a + c] * list[4 * n + c];
      nearest[a] = Math.max(nearest[a], Math.abs(dot));
    }
  }

  isFarther(a: number, b: number): boolean {
    return this.#nearest[a] < this.#nearest[b];
  }
}

/** The indices of the rotations of a list that a joint has in training poses. */
function listKept(set: TrainingSet, jointCount: number, joint: number, list: Float64Array): number[] {
  const kept: number[] = [];
  for (let n = 0; n < list.length / 4; n++) {
    const isTaken = set.moved.some((j, k) => {
      const at = (k * jointCount + joint) * 4;
      return j === joint && [0, 1, 2, 3].every((c) => set.rotations[at + c] === list[4 * n + c]);
    });
    if (isTaken) kept.push(n);
  }
  return kept;
}

/** Adds rotations of a list, each the farthest from the chosen ones (ties by index), up to the wanted number; in ascending order. */
function spreadRotations(list: Float64Array, kept: readonly number[], wanted: number): number[] {
  const count = list.length / 4;
  if (wanted >= count) return Array.from(indices(count));
  const taken = new Set(kept);
  const spread = new Spread(list);
  for (const n of kept) spread.take(n);
  while (taken.size < wanted) {
    let best = -1;
    for (let n = 0; n < count; n++) if (!taken.has(n) && (best < 0 || spread.isFarther(n, best))) best = n;
    taken.add(best);
    spread.take(best);
  }
  return [...taken].sort((a, b) => a - b);
}

/** The number of rotations of a list that each chosen one represents: those nearest to it (the rest pose represents itself), or an equal share. */
function shareRotations(list: Float64Array, kept: readonly number[], byNearest: boolean): number[] {
  const count = list.length / 4;
  if (!byNearest) return kept.map(() => count / kept.length);
  const shares = kept.map(() => 0);
  for (let n = 0; n < count; n++) {
    let best = -1;
    let nearest = Math.abs(list[4 * n + 3]);
    for (const [place, other] of kept.entries()) {
      let dot = 0;
      for (let c = 0; c < 4; c++) dot += list[4 * n + c] * list[4 * other + c];
      if (Math.abs(dot) > nearest) [best, nearest] = [place, Math.abs(dot)];
    }
    if (best >= 0) shares[best]++;
  }
  return shares.map((share) => Math.max(share, MIN_SHARE));
}
