// SPDX-License-Identifier: MIT
// Reference implementation of the kernels of norm-vertices.ts, which has the algebra.
import { solveSymmetric3 } from '../../math/solve-symmetric3.ts';
import { kernel } from '../kernel.ts';

/** Σ floor r² + (2/p) R² (r/R)ᵖ: the objective whose importance is floor + (r/R)^(p−2). */
export interface NormRule {
  p: number;
  /** R: the largest distance */
  scale: number;
  floor: number;
}

const HALVINGS = 3;
/** Regularization of the rest position, relative to the system: determines directions without effect on the frames. */
const REST_RIDGE = 1e-6;
/** Minimum Cholesky pivot, relative to the largest diagonal element: equal bones make H singular. */
const PIVOT_FLOOR = 1e-12;
const SMALLEST = 1e-300;
/** Smallest squared distance of a norm below 2, relative to the squared scale: its importance would be infinite. */
const MIN_SQUARE = 1e-6;
/** Squared distances below this ratio of the largest count by the floor only: their powers are negligible, and costly. */
const NEGLIGIBLE = 0.01;

/** Importance of a squared distance. */
function importanceOf({ p, scale, floor }: NormRule, square: number): number {
  if (p === 2 || !(scale > 0)) return 1;
  const ratio = Math.max(square / (scale * scale), p < 2 ? MIN_SQUARE : 0);
  if (ratio < NEGLIGIBLE && floor > 0) return floor;
  return floor + ratio ** (p / 2 - 1);
}

/** Objective of a squared distance. */
function objectiveOf({ p, scale, floor }: NormRule, square: number): number {
  if (!(scale > 0)) return square;
  if (square < NEGLIGIBLE * scale * scale && floor > 0) return floor * square;
  return floor * square + (2 / p) * scale * scale * (square / (scale * scale)) ** (p / 2);
}

/** The objective of a vertex: of its squared distances in all frames. */
export function measureNorm(squares: Float64Array, rule: NormRule): number {
  let sum = 0;
  for (let k = 0; k < squares.length; k++) sum += objectiveOf(rule, squares[k]);
  return sum;
}

/** Fills importances of squared distances. */
export function importanceInto(squares: Float64Array, rule: NormRule, out: Float64Array): void {
  for (let k = 0; k < squares.length; k++) out[k] = importanceOf(rule, squares[k]);
}

export const normSquaresKernel = kernel(
  'normSquares',
  {
    bones: 'f64',
    rest: 'f64',
    posed: 'f64',
    ids: 'u32',
    weights: 'f64',
    squares: 'f64',
    vertexCount: 'int',
    frameCount: 'int',
    boneCount: 'int',
    influences: 'int',
    scratch: 'f64',
    bytesPerThread: 'int',
    chunkSize: 'int',
  },
  ({ bones, rest, posed, ids, weights, squares, vertexCount, frameCount, boneCount, influences, chunkSize }, chunk) => {
    const rows = 3 * frameCount;
    const residual = new Float64Array(rows);
    for (let i = chunk * chunkSize; i < Math.min(vertexCount, (chunk + 1) * chunkSize); i++) {
      for (let row = 0; row < rows; row++) residual[row] = -posed[i * rows + row];
      for (let a = i * influences; a < (i + 1) * influences; a++) {
        for (let row = 0, b = 4 * ids[a]; row < rows && weights[a] !== 0; row++, b += 4 * boneCount)
          residual[row] += weights[a] * turn(bones, b, rest, 3 * i);
      }
      squaresInto(residual, squares.subarray(i * frameCount, (i + 1) * frameCount));
    }
  },
);

export const normFramesKernel = kernel(
  'normFrames',
  {
    squares: 'f64',
    /** filled */
    importance: 'f64?',
    /** chunkCount x frameCount, filled */
    objectives: 'f64',
    vertexCount: 'int',
    frameCount: 'int',
    p: 'float',
    scale: 'float',
    floor: 'float',
    chunkSize: 'int',
  },
  ({ squares, importance, objectives, vertexCount, frameCount, p, scale, floor, chunkSize }, chunk) => {
    const rule = { p, scale, floor };
    const sums = objectives.subarray(chunk * frameCount, (chunk + 1) * frameCount).fill(0);
    const end = Math.min(vertexCount, (chunk + 1) * chunkSize) * frameCount;
    for (let e = chunk * chunkSize * frameCount; e < end; e++) {
      sums[e % frameCount] += objectiveOf(rule, squares[e]);
      if (importance) importance[e] = importanceOf(rule, squares[e]);
    }
  },
);

export const normVerticesKernel = kernel(
  'normVertices',
  {
    bones: 'f64',
    rest: 'f64',
    posed: 'f64',
    ids: 'u32',
    weights: 'f64',
    squares: 'f64',
    importance: 'f64',
    locked: 'u32?',
    vertexCount: 'int',
    frameCount: 'int',
    boneCount: 'int',
    influences: 'int',
    p: 'float',
    scale: 'float',
    floor: 'float',
    /** vertices whose largest squared distance is below this are not solved */
    minSquare: 'float',
    keepRest: 'bool',
    scratch: 'f64',
    bytesPerThread: 'int',
    chunkSize: 'int',
  },
  (
    {
      bones,
      rest,
      posed,
      ids,
      weights,
      squares,
      importance,
      locked,
      vertexCount,
      frameCount,
      boneCount,
      influences,
      p,
      scale,
      floor,
      minSquare,
      keepRest,
      chunkSize,
    },
    chunk,
  ) => {
    const rule = { p, scale, floor };
    for (let i = chunk * chunkSize; i < Math.min(vertexCount, (chunk + 1) * chunkSize); i++) {
      const own = squares.subarray(i * frameCount, (i + 1) * frameCount);
      if (locked?.[i] || own.reduce((largest, square) => Math.max(largest, square), 0) < minSquare) continue;
      const vertex: Vertex = {
        bones,
        boneCount,
        own,
        rule,
        omega: importance.subarray(i * frameCount, (i + 1) * frameCount),
        rest: rest.subarray(3 * i, 3 * i + 3),
        posed: posed.subarray(3 * i * frameCount, 3 * (i + 1) * frameCount),
        ids: ids.subarray(i * influences, (i + 1) * influences),
        weights: weights.subarray(i * influences, (i + 1) * influences),
      };
      solveWeights(vertex);
      if (!keepRest) moveRest(vertex);
    }
  },
);

/** Views of one vertex. */
interface Vertex {
  bones: Float64Array;
  boneCount: number;
  rest: Float64Array;
  posed: Float64Array;
  ids: Uint32Array;
  weights: Float64Array;
  /** Squared distance in each frame. */
  own: Float64Array;
  rule: NormRule;
  omega: Float64Array;
}

/** The coordinate that a row of a bone gives to a rest position. */
function turn(bones: Float64Array, b: number, rest: Float64Array, o: number): number {
  return bones[b] * rest[o] + bones[b + 1] * rest[o + 1] + bones[b + 2] * rest[o + 2] + bones[b + 3];
}

function solveWeights(vertex: Vertex): void {
  const { bones, boneCount, rest, posed, ids, weights, omega } = vertex;
  // members come first: entries with a weight
  let members = 0;
  for (let a = 0; a < weights.length; a++) {
    if (weights[a] === 0) continue;
    [ids[members], weights[members]] = [ids[a], weights[a]];
    if (a !== members) weights[a] = 0;
    members++;
  }
  if (members < 2) return;
  const paths = Array.from({ length: members }, (_, a) =>
    posed.map((target, row) => turn(bones, 4 * (row * boneCount + ids[a]), rest, 0) - target),
  );
  const h = paths.map((x) =>
    paths.map((y) => {
      let sum = 0;
      for (let k = 0; k < omega.length; k++)
        sum += omega[k] * (x[3 * k] * y[3 * k] + x[3 * k + 1] * y[3 * k + 1] + x[3 * k + 2] * y[3 * k + 2]);
      return sum;
    }),
  );
  const solved = solveConvex(h);
  tryHalving(vertex, (step) => {
    const next = solved.map((w, a) => weights[a] + step * (w - weights[a]));
    const residual = posed.map((_, row) => next.reduce((sum, w, a) => sum + w * paths[a][row], 0));
    return { residual, take: () => weights.set(next) };
  });
}

/** min wᵀHw over the simplex, on a support from which the most negative weight leaves until none is negative. */
function solveConvex(h: readonly (readonly number[])[]): number[] {
  const support = Array.from(h.keys());
  const tiny = h.reduce((largest, row, a) => Math.max(largest, PIVOT_FLOOR * row[a]), SMALLEST);
  for (;;) {
    const factor: number[][] = [];
    const ones: number[] = [];
    for (const [a, j] of support.entries()) {
      const row: number[] = [];
      let sum = 1;
      let pivot = h[j][j];
      for (let b = 0; b < a; b++) {
        let x = h[j][support[b]];
        for (let c = 0; c < b; c++) x -= row[c] * factor[b][c];
        x *= factor[b][b];
        row.push(x);
        sum -= x * ones[b];
        pivot -= x * x;
      }
      row.push(1 / Math.sqrt(Math.max(pivot, tiny)));
      factor.push(row);
      ones.push(sum * row[a]);
    }
    const w = new Array<number>(h.length).fill(0);
    let worst = -1;
    for (let a = support.length - 1; a >= 0; a--) {
      let x = ones[a];
      for (let b = a + 1; b < support.length; b++) x -= factor[b][a] * w[support[b]];
      w[support[a]] = x * factor[a][a];
      if (w[support[a]] < (worst < 0 ? 0 : w[support[worst]])) worst = a;
    }
    if (worst < 0 || support.length === 1) {
      const sum = w.reduce((total, x) => total + x, 0);
      return w.map((x) => x / sum);
    }
    support.splice(worst, 1);
  }
}

function moveRest(vertex: Vertex): void {
  const { bones, boneCount, rest, posed, ids, weights, omega } = vertex;
  const normal = new Float64Array(6);
  const right = new Float64Array(3);
  const move = new Float64Array(3);
  const residual = new Float64Array(posed.length);
  const blended = new Float64Array(3 * posed.length);
  for (let row = 0; row < posed.length; row++) {
    const m = blended.subarray(3 * row, 3 * row + 3);
    let e = -posed[row];
    for (let a = 0; a < weights.length; a++) {
      if (weights[a] === 0) continue;
      const b = 4 * (row * boneCount + ids[a]);
      for (let c = 0; c < 3; c++) m[c] += weights[a] * bones[b + c];
      e += weights[a] * bones[b + 3];
    }
    e += m[0] * rest[0] + m[1] * rest[1] + m[2] * rest[2];
    residual[row] = e;
    const s = omega[Math.floor(row / 3)];
    let n = 0;
    for (let a = 0; a < 3; a++) {
      for (let b = a; b < 3; b++) normal[n++] += s * m[a] * m[b];
      right[a] -= s * m[a] * e;
    }
  }
  const ridge = REST_RIDGE * (normal[0] + normal[3] + normal[5]);
  for (const n of [0, 3, 5]) normal[n] += ridge;
  if (!solveSymmetric3(normal, right, move)) return;
  tryHalving(vertex, (step) => ({
    residual: residual.map(
      (e, row) =>
        e + step * (blended[3 * row] * move[0] + blended[3 * row + 1] * move[1] + blended[3 * row + 2] * move[2]),
    ),
    take: () => rest.set(rest.map((x, c) => x + step * move[c])),
  }));
}

/** Takes the longest of some steps that lowers the objective of the vertex, if there is one. */
function tryHalving(
  { own, rule }: Vertex,
  attempt: (step: number) => { residual: Float64Array; take: () => void },
): void {
  const before = measureNorm(own, rule);
  const squares = new Float64Array(own.length);
  for (let n = 0, step = Math.min(1, 2 / rule.p); n < HALVINGS; n++, step *= 0.5) {
    const { residual, take } = attempt(step);
    squaresInto(residual, squares);
    if (!(measureNorm(squares, rule) < before)) continue;
    own.set(squares);
    take();
    return;
  }
}

function squaresInto(residual: Float64Array, squares: Float64Array): void {
  for (let k = 0, row = 0; k < squares.length; k++, row += 3)
    squares[k] = residual[row] ** 2 + residual[row + 1] ** 2 + residual[row + 2] ** 2;
}
