// SPDX-License-Identifier: MIT
// Weights for dual quaternion skinning: the non-linear blending of Helper, §7. Per point, over training poses q,
//   min_w Σ_q |F(Σⱼ wⱼ sⱼ d̂ⱼ) − v|²,   w ≥ 0, Σw = 1, at most K,
// d̂ = (r, d) the dual quaternions of the bones, s their signs in the hemisphere of the strongest bone. Blended but not normalized, F is homogeneous of degree zero:
//   F(r, d) = (r p r* + 2 d r*) / |r|²,   ∂F/∂wⱼ = (rⱼ p r* + r p rⱼ* + 2 dⱼ r* + 2 d rⱼ* − 2 (r·rⱼ) F) / |r|²,
// p the rest position as a quaternion. Gauss–Newton: with Σw = 1 the linearized residual is Σⱼ wⱼ (F − v − J w₀ + Jⱼ), a quadratic form on the simplex, solved as for linear blending
// (core/algebra/largest-effects.ts). A step is halved until the error falls. Candidates are the bones of the point and its neighbours in the linear fit.

import { makeLargestEffects } from '../../../core/algebra/largest-effects.ts';
import { quaternionFromMatrix } from '../../../core/math/quaternion.ts';
import { makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
import { pointTriangles } from '../../../core/mesh/topology/weld.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import type { NormalizedClip } from '../../../fit/skin/index.ts';
import { addSquareInto } from '../fit/add-square-into.ts';
import type { HelperFit } from './helper-fit.ts';
import { listCandidateBones } from './list-candidate-bones.ts';

const MAX_CANDIDATES = 10;
const ITERATIONS = 8;
/** Halvings of a step. */
const HALVINGS = 4;
/** Stops when an iteration lowers the error by less than this ratio. */
const MIN_GAIN = 1e-3;
const RIDGE = 1e-9;

/** Solves the weights of a fit again for dual quaternion skinning. Its bones must be rigid. The fit is changed in place. */
export function dualQuaternionWeights(fit: HelperFit, normalized: NormalizedClip, mesh: Mesh): void {
  const problem = new DualProblem(fit);
  const { vertexCount } = fit.trajectories;
  const adjacency = makeAdjacency(vertexCount, pointTriangles(mesh.triangles, normalized.weld));
  const [ids, weights] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const before = { ids: ids.slice(), weights: weights.slice() };
  const { influences } = fit.weights;
  for (let i = 0; i < vertexCount; i++) {
    const candidates = listCandidateBones(i, before, influences, adjacency, MAX_CANDIDATES);
    if (candidates.length === 1) continue;
    const start: Float64Array = new Float64Array(candidates.length);
    for (let e = i * influences; e < (i + 1) * influences; e++)
      if (weights[e] > 0) start[candidates.indexOf(ids[e])] += weights[e];
    const w = problem.solve(i, candidates, start);
    const order = [...w.keys()].filter((a) => w[a] > 0).sort((a, b) => w[b] - w[a] || a - b);
    for (let a = 0; a < influences; a++) {
      ids[i * influences + a] = a < order.length ? candidates[order[a]] : 0;
      weights[i * influences + a] = a < order.length ? w[order[a]] : 0;
    }
  }
}

/** The problem of one point after another. */
class DualProblem {
  readonly #fit: HelperFit;
  /** frameCount x boneCount x 8 */
  readonly #duals: Float64Array;
  readonly #largestEffects: ReturnType<typeof makeLargestEffects>;
  /** candidates x candidates */
  readonly #h = new Float64Array(MAX_CANDIDATES ** 2);
  readonly #row = new Float64Array(MAX_CANDIDATES);
  readonly #point = new BlendedPoint();
  #i = 0;
  #candidates: readonly number[] = [];
  /** frameCount x 3, times the roots of the weights of the poses */
  #targets: Float64Array = new Float64Array(0);

  constructor(fit: HelperFit) {
    this.#fit = fit;
    this.#duals = listDuals(fit);
    this.#largestEffects = makeLargestEffects(fit.weights.influences, MAX_CANDIDATES);
  }

  /** Weights of the candidates of a point. */
  solve(i: number, candidates: readonly number[], start: Float64Array): Float64Array {
    const { trajectories, weights } = this.#fit;
    const { frameCount } = trajectories;
    this.#i = i;
    this.#candidates = candidates;
    this.#targets = trajectories.posed.view().subarray(3 * i * frameCount, 3 * (i + 1) * frameCount);
    const errorOf = (w: Float64Array) => this.#measure(w);
    let w = start;
    let error = errorOf(w);
    for (let iteration = 0; iteration < ITERATIONS && error > 0; iteration++) {
      this.#linearize(w);
      const found = this.#largestEffects(this.#h, candidates.length);
      const goal = new Float64Array(candidates.length);
      for (let a = 0; a < found.count; a++) goal[found.kept[a]] = found.weights[a];
      const next = stepTo(w, goal, error, weights.influences, errorOf);
      if (!next) break;
      const gain = 1 - next.error / error;
      [w, error] = [next.w, next.error];
      if (gain < MIN_GAIN) break;
    }
    return w;
  }

  #dualsAt(k: number): Float64Array {
    const { boneCount } = this.#fit;
    return this.#duals.subarray(8 * k * boneCount, 8 * (k + 1) * boneCount);
  }

  #blend(w: Float64Array, k: number): void {
    this.#point.blend(w, this.#candidates, this.#dualsAt(k), this.#fit.trajectories.rest.view(), 3 * this.#i);
  }

  #measure(w: Float64Array): number {
    const { roots, trajectories } = this.#fit;
    const [point, targets] = [this.#point, this.#targets];
    let sum = 0;
    for (let k = 0; k < trajectories.frameCount; k++) {
      this.#blend(w, k);
      for (let r = 0; r < 3; r++) sum += (roots[k] * point.position[r] - targets[3 * k + r]) ** 2;
    }
    return sum;
  }

  /** Fills H for the linearized residual. */
  #linearize(w: Float64Array): void {
    const { roots, trajectories } = this.#fit;
    const [point, targets, h, row] = [this.#point, this.#targets, this.#h, this.#row];
    const rest = trajectories.rest.view();
    const count = this.#candidates.length;
    h.fill(0, 0, count * count);
    for (let k = 0; k < trajectories.frameCount; k++) {
      this.#blend(w, k);
      point.differentiate(this.#candidates, this.#dualsAt(k), rest, 3 * this.#i);
      for (let r = 0; r < 3; r++) {
        let own = point.position[r] - targets[3 * k + r] / roots[k];
        for (let a = 0; a < count; a++) own -= w[a] * point.slopes[3 * a + r];
        for (let a = 0; a < count; a++) row[a] = own + point.slopes[3 * a + r];
        addSquareInto(h, row, count, roots[k] * roots[k]);
      }
    }
    for (let a = 0; a < count; a++) {
      h[a * count + a] = h[a * count + a] * (1 + RIDGE) + Number.MIN_VALUE;
      for (let b = 0; b < a; b++) h[b * count + a] = h[a * count + b];
    }
  }
}

/** The first of a full step, a half, a quarter … that lowers the error; steps between different supports may have too many weights. */
function stepTo(
  w: Float64Array,
  goal: Float64Array,
  error: number,
  influences: number,
  errorOf: (w: Float64Array) => number,
): { w: Float64Array<ArrayBuffer>; error: number } | undefined {
  for (let n = 0, part = 1; n <= HALVINGS; n++, part /= 2) {
    const next = Float64Array.from(w, (x, a) => x + part * (goal[a] - x));
    if (next.reduce((count, x) => count + Number(x > 0), 0) > influences) continue;
    const own = errorOf(next);
    if (own < error) return { w: next, error: own };
  }
  return undefined;
}

/** frameCount x boneCount x 8: the dual quaternions of the bones of a fit */
function listDuals(fit: HelperFit): Float64Array {
  const { boneCount } = fit;
  const { frameCount } = fit.trajectories;
  const bones = fit.bones.view();
  const duals = new Float64Array(8 * frameCount * boneCount);
  const m = new Float64Array(16);
  for (let k = 0; k < frameCount; k++)
    for (let j = 0; j < boneCount; j++) {
      for (let r = 0; r < 3; r++)
        for (let c = 0; c < 4; c++) m[4 * c + r] = bones[(3 * k + r) * 4 * boneCount + 4 * j + c];
      const o = 8 * (k * boneCount + j);
      quaternionFromMatrix(m, duals, 0, o);
      const q = duals.subarray(o, o + 4);
      // ½ t q
      multiplyInto([m[12] / 2, m[13] / 2, m[14] / 2, 0], q, duals.subarray(o + 4, o + 8));
    }
  return duals;
}

/** out = a b for quaternions x y z w. */
function multiplyInto(a: ArrayLike<number>, b: ArrayLike<number>, out: Float64Array): void {
  const [ax, ay, az, aw] = [a[0], a[1], a[2], a[3]];
  const [bx, by, bz, bw] = [b[0], b[1], b[2], b[3]];
  out[0] = aw * bx + ax * bw + ay * bz - az * by;
  out[1] = aw * by + ay * bw + az * bx - ax * bz;
  out[2] = aw * bz + az * bw + ax * by - ay * bx;
  out[3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** A point that dual quaternions blend, and its derivatives by the weights. */
class BlendedPoint {
  readonly position = new Float64Array(3);
  /** candidates x 3: ∂F/∂w */
  readonly slopes = new Float64Array(3 * MAX_CANDIDATES);
  readonly #real = new Float64Array(4);
  readonly #dual = new Float64Array(4);
  readonly #signs = new Float64Array(MAX_CANDIDATES);
  readonly #sum = new Float64Array(3);
  #square = 1;

  blend(w: Float64Array, bones: readonly number[], duals: Float64Array, rest: Float64Array, at: number): void {
    let strongest = 0;
    for (let a = 1; a < w.length; a++) if (w[a] > w[strongest]) strongest = a;
    const s = 8 * bones[strongest];
    this.#real.fill(0);
    this.#dual.fill(0);
    for (let a = 0; a < w.length; a++) {
      const o = 8 * bones[a];
      let dot = 0;
      for (let c = 0; c < 4; c++) dot += duals[s + c] * duals[o + c];
      this.#signs[a] = dot < 0 ? -1 : 1;
      if (w[a] === 0) continue;
      for (let c = 0; c < 4; c++) {
        this.#real[c] += this.#signs[a] * w[a] * duals[o + c];
        this.#dual[c] += this.#signs[a] * w[a] * duals[o + 4 + c];
      }
    }
    const [x, y, z, v] = this.#real;
    this.#square = x * x + y * y + z * z + v * v;
    this.#sum.fill(0);
    addMoved(this.#real, this.#dual, this.#real, rest, at, this.#sum);
    for (let r = 0; r < 3; r++) this.position[r] = this.#sum[r] / this.#square;
  }

  /** After `blend`: the derivatives by the weights of all bones. */
  differentiate(bones: readonly number[], duals: Float64Array, rest: Float64Array, at: number): void {
    for (const [a, bone] of bones.entries()) {
      const real = duals.subarray(8 * bone, 8 * bone + 4);
      const dual = duals.subarray(8 * bone + 4, 8 * bone + 8);
      this.#sum.fill(0);
      addMoved(real, dual, this.#real, rest, at, this.#sum);
      addMoved(this.#real, this.#dual, real, rest, at, this.#sum);
      let dot = 0;
      for (let c = 0; c < 4; c++) dot += this.#real[c] * real[c];
      for (let r = 0; r < 3; r++)
        this.slopes[3 * a + r] = (this.#signs[a] * (this.#sum[r] - 2 * dot * this.position[r])) / this.#square;
    }
  }
}

/** Adds the vector part of r p r'* + 2 d r'*. */
function addMoved(
  r: ArrayLike<number>,
  d: ArrayLike<number>,
  other: ArrayLike<number>,
  rest: ArrayLike<number>,
  at: number,
  out: Float64Array,
): void {
  const [px, py, pz] = [rest[at], rest[at + 1], rest[at + 2]];
  // r p + 2 d
  const x = r[3] * px + r[1] * pz - r[2] * py + 2 * d[0];
  const y = r[3] * py + r[2] * px - r[0] * pz + 2 * d[1];
  const z = r[3] * pz + r[0] * py - r[1] * px + 2 * d[2];
  const w = -(r[0] * px + r[1] * py + r[2] * pz) + 2 * d[3];
  // times r'*
  const [ox, oy, oz, ow] = [-other[0], -other[1], -other[2], other[3]];
  out[0] += w * ox + x * ow + y * oz - z * oy;
  out[1] += w * oy + y * ow + z * ox - x * oz;
  out[2] += w * oz + z * ow + x * oy - y * ox;
}
