// SPDX-License-Identifier: MIT
// Quadratics of weights from poses; error-quadratics.ts has the algebra.
import { boneProductsInto, reserveBoneProducts, widthOf } from '../../../core/kernels/bones/bone-products.ts';
import { type Compute, type Resident, uploadFloat64 } from '../../../core/kernels/compute.ts';
import { multiplyInto } from '../../../core/kernels/matrices/multiply.ts';
import {
  addScaledSym4,
  addSym4,
  dotSym4,
  dotSym4TableInto,
  productsSym4Into,
  SYM4_SIZE,
  SYM4_XX,
  SYM4_XY,
  SYM4_XZ,
  SYM4_YY,
  SYM4_YZ,
  SYM4_ZZ,
} from '../../../core/math/sym4.ts';
import { normalizePoses } from '../normalize-poses.ts';
import type { WeightProblem } from '../weight-problem.ts';
import type { BoneList, ErrorQuadratics, TabledAtom } from './error-quadratics.ts';

export interface PoseQuadraticsOptions {
  /** Weight of normals: the length along the surface over which the error of the blended matrix counts, in units of the rest pose's ball; 0: positions only. */
  normals?: number;
  /** Target shapes, frameCount x vertexCount x 3 in file units. Default: the shapes of the input skin. */
  targets?: Float32Array;
  /** frameCount: weight of the squared error of each pose; default: 1. Only without targets. */
  shares?: ArrayLike<number>;
}

/** Points per block of products with bones. */
const BLOCK = 4096;

/**
 * Quadratics from poses.
 * @param matrices frameCount x fileBoneCount x 16: rest to posed, file units
 */
export async function makePoseQuadratics(
  compute: Compute,
  problem: WeightProblem,
  matrices: Float64Array,
  fileBoneCount: number,
  options: PoseQuadraticsOptions = {},
): Promise<ErrorQuadratics> {
  const { pointCount: n, boneCount: m, rest, normals, rows } = problem;
  const frameCount = matrices.length / (16 * fileBoneCount);
  const { bones, centers } = normalizePoses(problem, matrices, fileBoneCount, options.targets, options.shares);
  const width = widthOf(m);
  const h2 = (options.normals ?? 0) ** 2;
  const positions = new Float64Array(SYM4_SIZE * n);
  const tangent = new Float64Array(SYM4_SIZE);
  const linear = new Float64Array(n * m);
  const squares = new Float64Array(n);
  const row = new Float64Array(width);
  const image = new Float64Array(m);
  const products = await compute.scope(async (memory) => {
    const resident = uploadFloat64(memory, bones);
    const reserved = reserveBoneProducts(memory, m);
    await boneProductsInto(compute, resident, m, reserved);
    if (options.targets) {
      const shapes = { bones: resident, centers, targets: options.targets };
      await addTargets(memory, problem, shapes, { linear, squares });
    }
    return reserved.pairs.view().slice();
  });
  for (let i = 0; i < n; i++) {
    const position = positions.subarray(SYM4_SIZE * i, SYM4_SIZE * (i + 1));
    productsSym4Into(rest[3 * i], rest[3 * i + 1], rest[3 * i + 2], position);
    tangentInto(normals, 3 * i, h2, tangent);
    // the target of the matrix is always that of the input skin; the target of the position only without target shapes
    const own = options.targets ? tangent : position;
    addSym4(tangent, 0, position);
    if (options.targets && h2 === 0) continue;
    image.fill(0);
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) {
      dotSym4TableInto(products, rows.columns[e] * SYM4_SIZE * width, width, own, row);
      for (let j = 0; j < m; j++) image[j] += rows.values[e] * row[j];
    }
    for (let j = 0; j < m; j++) linear[i * m + j] += image[j];
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) squares[i] += rows.values[e] * image[rows.columns[e]];
  }
  const terms = { products, positions, linear, squares };
  return new PoseQuadratics({ pointCount: n, boneCount: m, ...terms, poseNumbers: 3 * frameCount });
}

/** Fills h²(I − nnᵀ), off-diagonal numbers doubled as in productsSym4Into. */
function tangentInto(normals: Float32Array, o: number, h2: number, out: Float64Array): void {
  const x = normals[o],
    y = normals[o + 1],
    z = normals[o + 2];
  out.fill(0);
  out[SYM4_XX] = h2 * (1 - x * x);
  out[SYM4_XY] = -2 * h2 * x * y;
  out[SYM4_XZ] = -2 * h2 * x * z;
  out[SYM4_YY] = h2 * (1 - y * y);
  out[SYM4_YZ] = -2 * h2 * y * z;
  out[SYM4_ZZ] = h2 * (1 - z * z);
}

/** Target shapes, and the bones of their poses. */
interface TargetShapes {
  bones: Resident<Float64Array>;
  /** By row of the bones. */
  centers: Float64Array;
  /** poseCount x vertexCount x 3 */
  targets: Float32Array;
}

/** Adds g and s of targets, a block of points at a time. */
async function addTargets(
  compute: Compute,
  problem: WeightProblem,
  { bones, centers, targets }: TargetShapes,
  { linear, squares }: Pick<PoseTerms, 'linear' | 'squares'>,
): Promise<void> {
  const { pointCount: n, boneCount: m, rest, size, weld } = problem;
  const rows = centers.length;
  const stride = 3 * weld.pointOfVertex.length;
  const posed = compute.float64(BLOCK * rows);
  const blended = compute.float64(BLOCK * 4 * m);
  for (let from = 0; from < n; from += BLOCK) {
    const count = Math.min(BLOCK, n - from);
    const view = posed.view();
    for (let b = 0; b < count; b++) {
      const v = 3 * weld.vertexOfPoint[from + b];
      for (let row = 0; row < rows; row++) {
        const r = row % 3;
        const x = (targets[((row - r) / 3) * stride + v + r] - centers[row]) / size;
        view[b * rows + row] = x;
        squares[from + b] += x * x;
      }
    }
    await multiplyInto(compute, posed, bones, blended, 4 * m);
    const out = blended.view();
    for (let b = 0; b < count; b++) {
      const u = 3 * (from + b);
      for (let j = 0; j < m; j++) {
        const o = b * 4 * m + 4 * j;
        linear[(from + b) * m + j] =
          out[o] * rest[u] + out[o + 1] * rest[u + 1] + out[o + 2] * rest[u + 2] + out[o + 3];
      }
    }
  }
}

/** What the quadratics are made of; shapes as in PoseQuadratics. */
interface PoseTerms {
  pointCount: number;
  boneCount: number;
  products: Float64Array;
  positions: Float64Array;
  linear: Float64Array;
  squares: Float64Array;
  poseNumbers: number;
}

class PoseQuadratics implements ErrorQuadratics {
  readonly pointCount: number;
  readonly boneCount: number;
  readonly tableSize: number;
  readonly sumSize: number;
  readonly poseNumbers: number;
  readonly #width: number;
  /** boneCount x 10 x width */
  readonly #products: Float64Array;
  /** pointCount x 10: X, as dotSym4 takes it */
  readonly #positions: Float64Array;
  /** pointCount x boneCount */
  readonly #linear: Float64Array;
  /** pointCount */
  readonly #squares: Float64Array;
  readonly #row: Float64Array;

  constructor({ pointCount, boneCount, products, positions, linear, squares, poseNumbers }: PoseTerms) {
    this.pointCount = pointCount;
    this.boneCount = boneCount;
    this.tableSize = SYM4_SIZE * boneCount;
    this.sumSize = SYM4_SIZE + boneCount + 1;
    this.poseNumbers = poseNumbers;
    this.#width = widthOf(boneCount);
    this.#products = products;
    this.#positions = positions;
    this.#linear = linear;
    this.#squares = squares;
    this.#row = new Float64Array(this.#width);
  }

  plainRowInto(i: number, j: number, row: Float64Array): void {
    const width = this.#width;
    const position = this.#positions.subarray(SYM4_SIZE * i, SYM4_SIZE * (i + 1));
    dotSym4TableInto(this.#products, j * SYM4_SIZE * width, width, position, this.#row);
    for (let k = 0; k < this.boneCount; k++) row[k] = this.#row[k];
  }

  linearInto(i: number, linear: Float64Array): void {
    for (let j = 0; j < this.boneCount; j++) linear[j] = this.#linear[i * this.boneCount + j];
  }

  squareOf(i: number): number {
    return this.#squares[i];
  }

  rowInto(i: number, j: number, row: Float64Array): void {
    this.plainRowInto(i, j, row);
    const o = i * this.boneCount;
    const rest = this.#squares[i] - this.#linear[o + j];
    for (let k = 0; k < this.boneCount; k++) row[k] += rest - this.#linear[o + k];
  }

  diagonalInto(i: number, diagonal: Float64Array): void {
    const width = this.#width;
    const t = SYM4_SIZE * i;
    for (let j = 0; j < this.boneCount; j++) {
      let sum = 0;
      for (let c = 0; c < SYM4_SIZE; c++)
        sum += this.#products[(j * SYM4_SIZE + c) * width + j] * this.#positions[t + c];
      diagonal[j] = sum + this.#squares[i] - 2 * this.#linear[i * this.boneCount + j];
    }
  }

  tableInto(atoms: Float64Array, o: number, tables: Float64Array, t: number): void {
    const { boneCount: m } = this;
    const width = this.#width;
    const products = this.#products;
    tables.fill(0, t, t + SYM4_SIZE * m);
    for (let k = 0; k < m; k++) {
      const d = atoms[o + k];
      if (d === 0) continue;
      for (let c = 0; c < SYM4_SIZE; c++) {
        const p = (k * SYM4_SIZE + c) * width;
        for (let j = 0; j < m; j++) tables[t + SYM4_SIZE * j + c] += d * products[p + j];
      }
    }
  }

  applyInto(i: number, { atoms, o, tables, t }: TabledAtom, { list, count }: BoneList, out: Float64Array): void {
    const { boneCount: m } = this;
    const linear = this.#linear;
    const positions = this.#positions;
    const g = i * m;
    const x = SYM4_SIZE * i;
    let dot = 0;
    for (let k = 0; k < m; k++) dot += linear[g + k] * atoms[o + k];
    const base = this.#squares[i] - dot;
    for (let n = 0; n < count; n++) {
      const j = list[n];
      out[j] = dotSym4(tables, t + SYM4_SIZE * j, positions, x) + base - linear[g + j];
    }
  }

  addInto(i: number, scale: number, sum: Float64Array): void {
    const { boneCount: m } = this;
    addScaledSym4(scale, this.#positions, SYM4_SIZE * i, sum);
    for (let j = 0; j < m; j++) sum[SYM4_SIZE + j] += scale * this.#linear[i * m + j];
    sum[SYM4_SIZE + m] += scale * this.#squares[i];
  }

  quadraticInto(sum: Float64Array, list: Int32Array, count: number, out: Float64Array): void {
    const width = this.#width;
    const products = this.#products;
    const square = sum[SYM4_SIZE + this.boneCount];
    for (let a = 0; a < count; a++) {
      for (let b = 0; b <= a; b++) {
        const p = list[a] * SYM4_SIZE * width + list[b];
        let h = square - sum[SYM4_SIZE + list[a]] - sum[SYM4_SIZE + list[b]];
        for (let c = 0; c < SYM4_SIZE; c++) h += products[p + c * width] * sum[c];
        out[a * count + b] = out[b * count + a] = h;
      }
    }
  }
}
