// SPDX-License-Identifier: MIT
// Weights and rest position of one vertex at a time under a norm of its distances (refine-norm.ts), for fixed bones. With importance ωₖ per frame:
// - weights: min wᵀHw over the simplex, H = Σₖ ωₖ aⱼₖ·aₗₖ, aⱼ the distance of the vertex under bone j from its target;
// - rest: (Σ ωₖ BₖᵀBₖ) δ = −Σ ωₖ Bₖᵀeₖ, with the blended matrices B and the remaining distances e.
// Steps are halved until the objective of the vertex falls, or undone.
import { solveSymmetric3 } from '../math/solve-symmetric3.ts';
import { makeSimplexSolver } from '../solve/simplex-least-squares.ts';
import { SparseSimplex } from '../solve/sparse-simplex.ts';
import { importanceOf, type NormRule, objectiveOf } from './refine-norm.ts';
import type { SkinFit } from './skin-fit.ts';

const HALVINGS = 3;
/** Regularization of the rest position, relative to the system: determines directions without effect on the frames. */
const REST_RIDGE = 1e-6;
/** Rounding of H relative to its diagonal. */
const ROUNDING = 1e-12;

export interface SolveAllOptions {
  keepRest: boolean;
  /** Vertices without a distance above this are not solved, solver units. */
  above: number;
  /** Vertices with a larger distance may exchange their bones, solver units. */
  exchangeAbove?: number;
}

export class NormVertex {
  readonly #fit: SkinFit;
  /** influences x rows, of one vertex */
  readonly #paths: Float64Array;
  readonly #rest: Float64Array;
  readonly #squares: Float64Array;
  readonly #residual: Float64Array;
  readonly #moved: Float64Array;
  /** rows x 3: the blended matrices of one vertex */
  readonly #blended: Float64Array;
  readonly #normal = new Float64Array(6);
  readonly #right = new Float64Array(3);

  constructor(fit: SkinFit) {
    this.#fit = fit;
    const rows = 3 * fit.trajectories.frameCount;
    this.#paths = new Float64Array(fit.weights.influences * rows);
    this.#rest = new Float64Array(3);
    this.#squares = new Float64Array(fit.trajectories.frameCount);
    this.#residual = new Float64Array(rows);
    this.#moved = new Float64Array(rows);
    this.#blended = new Float64Array(3 * rows);
  }

  /** Fills vertexCount x frameCount squared distances. */
  measureInto(squares: Float64Array): void {
    const { trajectories, boneCount, weights } = this.#fit;
    const { vertexCount, frameCount } = trajectories;
    const [rest, posed] = [trajectories.rest.view(), trajectories.posed.view()];
    const [bones, ids, ws] = [this.#fit.bones.view(), weights.bones.view(), weights.weights.view()];
    const { influences } = weights;
    const stride = 4 * boneCount;
    const residual = this.#residual;
    for (let i = 0; i < vertexCount; i++) {
      const [x, y, z] = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]];
      const o = 3 * i * frameCount;
      for (let row = 0; row < residual.length; row++) residual[row] = -posed[o + row];
      for (let a = i * influences; a < (i + 1) * influences; a++) {
        const w = ws[a];
        if (w === 0) continue;
        for (let row = 0, b = 4 * ids[a]; row < residual.length; row++, b += stride)
          residual[row] += w * (bones[b] * x + bones[b + 1] * y + bones[b + 2] * z + bones[b + 3]);
      }
      squaresInto(residual, squares, i * frameCount);
    }
  }

  /** Copies squared distances to the errors of the fit. */
  takeErrors(squares: Float64Array): void {
    const fit = this.#fit;
    const errors = fit.weights.errors.view();
    const { frameCount } = fit.trajectories;
    fit.error = 0;
    for (let i = 0; i < errors.length; i++) {
      errors[i] = 0;
      for (let k = 0; k < frameCount; k++) errors[i] += squares[i * frameCount + k];
      fit.error += errors[i];
    }
  }

  /** Solves weights and rest positions of the vertices that are not locked, and updates their squared distances. */
  solveAll(squares: Float64Array, rule: NormRule, { keepRest, above, exchangeAbove }: SolveAllOptions): void {
    const { weights, trajectories, locked, boneCount } = this.#fit;
    const { vertexCount, frameCount } = trajectories;
    const { influences } = weights;
    const isLocked = locked?.view();
    const solver = makeSimplexSolver(influences);
    const h = new Float64Array(influences * influences);
    const f = new Float64Array(influences);
    const w = new Float64Array(influences);
    const omega = new Float64Array(frameCount);
    const exchange = exchangeAbove === undefined ? undefined : makeExchange(this.#fit, influences, boneCount);
    for (let i = 0; i < vertexCount; i++) {
      if (isLocked?.[i]) continue;
      const own = squares.subarray(i * frameCount, (i + 1) * frameCount);
      let largest = 0;
      for (let k = 0; k < frameCount; k++) largest = Math.max(largest, own[k]);
      if (largest < above * above) continue;
      for (let k = 0; k < frameCount; k++) omega[k] = importanceOf(rule, own[k]);
      if (exchange && largest > exchangeAbove! ** 2) exchange(i, omega, own, rule);
      this.#fillPaths(i);
      const count = this.#countMembers(i);
      if (count > 1) {
        this.#fillNormal(h, count, omega);
        for (let a = 0; a < count; a++) w[a] = weights.weights.view()[i * influences + a];
        solver.solveInto(h.subarray(0, count * count), f.subarray(0, count), w.subarray(0, count));
        this.#takeWeights(i, w, count, own, rule);
      }
      if (!keepRest) this.#moveRest(i, omega, own, rule);
    }
  }

  /** Members come first: entries with a weight, the others have none. */
  #countMembers(i: number): number {
    const { weights } = this.#fit;
    const [ids, ws] = [weights.bones.view(), weights.weights.view()];
    const o = i * weights.influences;
    let count = 0;
    for (let a = 0; a < weights.influences; a++) {
      if (ws[o + a] === 0) continue;
      if (a !== count) {
        [ids[o + count], ws[o + count]] = [ids[o + a], ws[o + a]];
        ws[o + a] = 0;
        const rows = this.#residual.length;
        this.#paths.copyWithin(count * rows, a * rows, (a + 1) * rows);
      }
      count++;
    }
    return count;
  }

  /** The distances of a vertex from its target under each of its bones. */
  #fillPaths(i: number): void {
    const { trajectories, boneCount, weights } = this.#fit;
    const ids = weights.bones.view();
    const ws = weights.weights.view();
    const rows = this.#residual.length;
    for (let a = 0; a < weights.influences; a++) {
      const e = i * weights.influences + a;
      if (ws[e] !== 0)
        pathInto(
          trajectories.rest.view(),
          trajectories.posed.view(),
          this.#fit.bones.view(),
          boneCount,
          i,
          ids[e],
          this.#paths,
          a * rows,
          rows,
        );
    }
  }

  #fillNormal(h: Float64Array, count: number, omega: Float64Array): void {
    const rows = this.#residual.length;
    for (let a = 0; a < count; a++)
      for (let b = 0; b <= a; b++)
        h[a * count + b] = h[b * count + a] = weightedDot(this.#paths, a * rows, b * rows, omega);
  }

  /** Takes new weights as far as they lower the objective of the vertex. */
  #takeWeights(i: number, solved: Float64Array, count: number, own: Float64Array, rule: NormRule): void {
    const { weights } = this.#fit;
    const ws = weights.weights.view();
    const o = i * weights.influences;
    const before = measureObjective(own, rule);
    const rows = this.#residual.length;
    for (let n = 0, step = Math.min(1, 2 / rule.p); n < HALVINGS; n++, step *= 0.5) {
      this.#residual.fill(0);
      for (let a = 0; a < count; a++) {
        const w = ws[o + a] + step * (solved[a] - ws[o + a]);
        for (let row = 0; row < rows; row++) this.#residual[row] += w * this.#paths[a * rows + row];
      }
      squaresInto(this.#residual, this.#squares, 0);
      if (!(measureObjective(this.#squares, rule) < before)) continue;
      own.set(this.#squares);
      for (let a = 0; a < count; a++) ws[o + a] += step * (solved[a] - ws[o + a]);
      return;
    }
  }

  #moveRest(i: number, omega: Float64Array, own: Float64Array, rule: NormRule): void {
    const { trajectories, boneCount, weights } = this.#fit;
    const [rest, posed, bones] = [trajectories.rest.view(), trajectories.posed.view(), this.#fit.bones.view()];
    const [ids, ws] = [weights.bones.view(), weights.weights.view()];
    const { influences } = weights;
    const rows = this.#residual.length;
    const normal = this.#normal.fill(0);
    const right = this.#right.fill(0);
    const blended = this.#blended;
    for (let row = 0; row < rows; row++) {
      let e = -posed[i * rows + row];
      let x = 0;
      let y = 0;
      let z = 0;
      for (let a = i * influences; a < (i + 1) * influences; a++) {
        if (ws[a] === 0) continue;
        const b = 4 * (row * boneCount + ids[a]);
        x += ws[a] * bones[b];
        y += ws[a] * bones[b + 1];
        z += ws[a] * bones[b + 2];
        e += ws[a] * bones[b + 3];
      }
      e += x * rest[3 * i] + y * rest[3 * i + 1] + z * rest[3 * i + 2];
      this.#residual[row] = e;
      blended[3 * row] = x;
      blended[3 * row + 1] = y;
      blended[3 * row + 2] = z;
      const importance = omega[Math.floor(row / 3)];
      normal[0] += importance * x * x;
      normal[1] += importance * x * y;
      normal[2] += importance * x * z;
      normal[3] += importance * y * y;
      normal[4] += importance * y * z;
      normal[5] += importance * z * z;
      right[0] -= importance * x * e;
      right[1] -= importance * y * e;
      right[2] -= importance * z * e;
    }
    const ridge = REST_RIDGE * (normal[0] + normal[3] + normal[5]);
    normal[0] += ridge;
    normal[3] += ridge;
    normal[5] += ridge;
    if (!solveSymmetric3(normal, right, this.#rest)) return;
    const before = measureObjective(own, rule);
    for (let n = 0, step = Math.min(1, 2 / rule.p); n < HALVINGS; n++, step *= 0.5) {
      for (let row = 0; row < rows; row++) {
        let moved = this.#residual[row];
        for (let c = 0; c < 3; c++) moved += step * blended[3 * row + c] * this.#rest[c];
        this.#moved[row] = moved;
      }
      squaresInto(this.#moved, this.#squares, 0);
      if (!(measureObjective(this.#squares, rule) < before)) continue;
      own.set(this.#squares);
      for (let c = 0; c < 3; c++) rest[3 * i + c] += step * this.#rest[c];
      return;
    }
  }
}

/** Searches the bones of a vertex among all of them, and takes them if they lower its objective. */
function makeExchange(fit: SkinFit, influences: number, boneCount: number) {
  const { trajectories, weights } = fit;
  const { frameCount } = trajectories;
  const rows = 3 * frameCount;
  const paths = new Float64Array(boneCount * rows);
  const h = new Float64Array(boneCount * boneCount);
  const search = new SparseSimplex(influences, boneCount, { solve: 'active-set', ridge: 0, pivotFloor: ROUNDING });
  const residual = new Float64Array(rows);
  const squares = new Float64Array(frameCount);
  const problem = {
    values: h,
    rowAt: (j: number) => j * boneCount,
    diagonalAt: (j: number) => h[j * boneCount + j],
  };
  return (i: number, omega: Float64Array, own: Float64Array, rule: NormRule): void => {
    const [ids, ws] = [weights.bones.view(), weights.weights.view()];
    for (let j = 0; j < boneCount; j++)
      pathInto(
        trajectories.rest.view(),
        trajectories.posed.view(),
        fit.bones.view(),
        boneCount,
        i,
        j,
        paths,
        j * rows,
        rows,
      );
    let largest = 0;
    for (let j = 0; j < boneCount; j++) {
      for (let l = 0; l <= j; l++)
        h[j * boneCount + l] = h[l * boneCount + j] = weightedDot(paths, j * rows, l * rows, omega);
      largest = Math.max(largest, h[j * boneCount + j]);
    }
    search.enter(problem, boneCount, ROUNDING * largest);
    const o = i * influences;
    const members: number[] = [];
    const values: number[] = [];
    for (let a = o; a < o + influences; a++) {
      if (ws[a] === 0) continue;
      members.push(ids[a]);
      values.push(ws[a]);
    }
    search.startFrom(members, values);
    search.grow();
    search.exchange();
    residual.fill(0);
    for (let a = 0; a < search.size; a++) {
      const p = search.members[a] * rows;
      for (let row = 0; row < rows; row++) residual[row] += search.weights[a] * paths[p + row];
    }
    squaresInto(residual, squares, 0);
    if (!(measureObjective(squares, rule) < measureObjective(own, rule))) return;
    own.set(squares);
    for (let a = 0; a < influences; a++) {
      ids[o + a] = a < search.size ? search.members[a] : 0;
      ws[o + a] = a < search.size ? search.weights[a] : 0;
    }
  };
}

/** Fills out with the distances of vertex i under bone j from its target, row by row. */
function pathInto(
  rest: Float64Array,
  posed: Float64Array,
  bones: Float64Array,
  boneCount: number,
  i: number,
  j: number,
  out: Float64Array,
  offset: number,
  rows: number,
): void {
  const x = rest[3 * i];
  const y = rest[3 * i + 1];
  const z = rest[3 * i + 2];
  for (let row = 0, b = 4 * j; row < rows; row++, b += 4 * boneCount)
    out[offset + row] = bones[b] * x + bones[b + 1] * y + bones[b + 2] * z + bones[b + 3] - posed[i * rows + row];
}

function weightedDot(paths: Float64Array, p: number, q: number, omega: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < omega.length; k++) {
    const a = p + 3 * k;
    const b = q + 3 * k;
    sum += omega[k] * (paths[a] * paths[b] + paths[a + 1] * paths[b + 1] + paths[a + 2] * paths[b + 2]);
  }
  return sum;
}

function squaresInto(residual: Float64Array, squares: Float64Array, offset: number): void {
  for (let row = 0, k = offset; row < residual.length; row += 3, k++)
    squares[k] = residual[row] ** 2 + residual[row + 1] ** 2 + residual[row + 2] ** 2;
}

function measureObjective(squares: Float64Array, rule: NormRule): number {
  let sum = 0;
  for (let k = 0; k < squares.length; k++) sum += objectiveOf(rule, squares[k]);
  return sum;
}
