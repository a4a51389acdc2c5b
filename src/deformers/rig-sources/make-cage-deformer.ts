// SPDX-License-Identifier: MIT
// T. Ju, S. Schaefer, J. Warren, "Mean value coordinates for closed triangular meshes", ACM Transactions on Graphics 24(3), 2005, doi:10.1145/1073204.1073229.
//
// A point inside a closed cage of triangles gets a weight per cage vertex, Σw = 1 and Σwⱼcⱼ = v; weights may be negative where the cage is concave. Its deformed position
// is Σwⱼc'ⱼ = v + Σwⱼ(c'ⱼ − cⱼ): the second form also holds for reduced weights, which need not satisfy Σwⱼcⱼ = v, and keeps the rest shape. So a cage is a skin
// whose bones only translate, and all functions for skins apply.

import { sineOf } from '../../core/math/sine.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { weldVertices } from '../../core/mesh/topology/weld.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { checkFits, checkPose } from '../linear-blend/index.ts';

/** Relative to the cage's size: a point closer to a vertex or plane lies on it. */
const ON = 1e-9;
/** Weights below this ratio of the largest are dropped. */
const MIN_WEIGHT = 1e-9;

/**
 * Binds a mesh to a cage by mean value coordinates: rows over the vertices of the cage, by descending magnitude, with sum one, of either sign. Throws
 * if the cage is not a closed surface.
 * @example
 * ```ts
 * import { bindToCage, cagePoseInto, makeCageDeformer } from 'ossify/deform';
 *
 * const bound = bindToCage(mesh, cage);
 * const count = cage.positions.length / 3;
 * const inCage = makeCageDeformer(mesh, bound, count);
 * const translations = new Float64Array(16 * count);
 * cagePoseInto(cage.positions, posedCage, translations);
 * inCage.deformInto({ bones: translations }, positions);
 * ```
 */
export function bindToCage(mesh: Mesh, cage: Mesh): Skin {
  checkClosed(cage);
  const count = cage.positions.length / 3;
  const vertexCount = mesh.positions.length / 3;
  const weights = new Float64Array(count);
  const order: number[] = [];
  const rowStart = new Uint32Array(vertexCount + 1);
  const bones: number[] = [];
  const values: number[] = [];
  const meanValue = new MeanValue(cage);
  for (let i = 0; i < vertexCount; i++) {
    meanValue.solveInto(mesh.positions, 3 * i, weights);
    let largest = 0;
    for (const w of weights) largest = Math.max(largest, Math.abs(w));
    order.length = 0;
    let sum = 0;
    for (let j = 0; j < count; j++) {
      if (Math.abs(weights[j]) <= MIN_WEIGHT * largest) continue;
      order.push(j);
      sum += weights[j];
    }
    order.sort((a, b) => Math.abs(weights[b]) - Math.abs(weights[a]) || a - b);
    for (const j of order) {
      bones.push(j);
      values.push(weights[j] / sum);
    }
    rowStart[i + 1] = bones.length;
  }
  return { rowStart, boneIndices: Uint32Array.from(bones), weights: Float32Array.from(values) };
}

/** Mean value coordinates of single points, not scaled to sum to one. The steps are those of the paper for each triangle, with scratch arrays that all points share. */
class MeanValue {
  readonly #cage: Mesh;
  readonly #size: number;
  /** Directions and distances of the vertices of the cage from the point. */
  readonly #units: Float64Array;
  readonly #distances: Float64Array;
  readonly #corner = new Uint32Array(3);
  readonly #theta = new Float64Array(3);
  readonly #cosine = new Float64Array(3);
  readonly #sine = new Float64Array(3);

  constructor(cage: Mesh) {
    const { positions } = cage;
    this.#cage = cage;
    let size = 0;
    for (const x of positions) size = Math.max(size, Math.abs(x - positions[0]));
    this.#size = size;
    this.#units = new Float64Array(positions.length);
    this.#distances = new Float64Array(positions.length / 3);
  }

  solveInto(points: ArrayLike<number>, p: number, weights: Float64Array): void {
    weights.fill(0);
    const at = this.#look(points, p);
    if (at >= 0) {
      weights[at] = 1;
      return;
    }
    const { triangles } = this.#cage;
    for (let f = 0; f < triangles.length; f += 3) {
      const half = this.#measureAngles(f);
      if (Math.PI - half < 1e-9) {
        this.#putBarycentric(f, weights);
        return;
      }
      if (!this.#measureDihedrals(half)) continue;
      this.#addTriangle(f, weights);
    }
  }

  /** Fills directions and distances. Returns the vertex of the cage at the point, -1 if there is none. */
  #look(points: ArrayLike<number>, p: number): number {
    const { positions } = this.#cage;
    const [units, distances] = [this.#units, this.#distances];
    for (let j = 0; j < distances.length; j++) {
      let square = 0;
      for (let r = 0; r < 3; r++) {
        units[3 * j + r] = positions[3 * j + r] - points[p + r];
        square += units[3 * j + r] ** 2;
      }
      distances[j] = Math.sqrt(square);
      if (distances[j] < ON * this.#size) return j;
      for (let r = 0; r < 3; r++) units[3 * j + r] /= distances[j];
    }
    return -1;
  }

  /** Fills the angles of the edges of a triangle, seen from the point. Returns half their sum. */
  #measureAngles(f: number): number {
    const { triangles } = this.#cage;
    const [units, corner, theta] = [this.#units, this.#corner, this.#theta];
    for (let c = 0; c < 3; c++) corner[c] = 3 * triangles[f + c];
    for (let c = 0; c < 3; c++) {
      const [a, b] = [corner[(c + 1) % 3], corner[(c + 2) % 3]];
      let square = 0;
      for (let r = 0; r < 3; r++) square += (units[a + r] - units[b + r]) ** 2;
      theta[c] = 2 * Math.asin(Math.min(1, Math.sqrt(square) / 2));
    }
    return (theta[0] + theta[1] + theta[2]) / 2;
  }

  /** On a triangle: its barycentric coordinates only. */
  #putBarycentric(f: number, weights: Float64Array): void {
    const { triangles } = this.#cage;
    const distances = this.#distances;
    weights.fill(0);
    for (let c = 0; c < 3; c++)
      weights[triangles[f + c]] =
        sineOf(this.#theta[c]) * distances[triangles[f + ((c + 1) % 3)]] * distances[triangles[f + ((c + 2) % 3)]];
  }

  /** Fills the dihedral angles at the edges. Returns false for a triangle that is seen edge-on, outside of it, and contributes nothing. */
  #measureDihedrals(half: number): boolean {
    const [units, theta, cosine, sine] = [this.#units, this.#theta, this.#cosine, this.#sine];
    const [u, v, w] = this.#corner;
    const det =
      units[u] * (units[v + 1] * units[w + 2] - units[v + 2] * units[w + 1]) +
      units[u + 1] * (units[v + 2] * units[w] - units[v] * units[w + 2]) +
      units[u + 2] * (units[v] * units[w + 1] - units[v + 1] * units[w]);
    const sign = det < 0 ? -1 : 1;
    let isFlat = false;
    for (let c = 0; c < 3; c++) {
      const product = sineOf(theta[(c + 1) % 3]) * sineOf(theta[(c + 2) % 3]);
      cosine[c] = (2 * sineOf(half) * sineOf(half - theta[c])) / product - 1;
      sine[c] = sign * Math.sqrt(Math.max(0, 1 - cosine[c] ** 2));
      if (!(Math.abs(sine[c]) > ON)) isFlat = true;
    }
    return !isFlat;
  }

  #addTriangle(f: number, weights: Float64Array): void {
    const { triangles } = this.#cage;
    const [theta, cosine, sine] = [this.#theta, this.#cosine, this.#sine];
    for (let c = 0; c < 3; c++) {
      const [a, b] = [(c + 1) % 3, (c + 2) % 3];
      const j = triangles[f + c];
      weights[j] +=
        (theta[c] - cosine[a] * theta[b] - cosine[b] * theta[a]) / (this.#distances[j] * sineOf(theta[a]) * sine[b]);
    }
  }
}

function checkClosed({ positions, triangles }: Mesh): void {
  if (triangles.length === 0) throw new InputError('cage', 'it has no triangles');
  const open = new Map<string, number>();
  for (let f = 0; f < triangles.length; f += 3) {
    for (let c = 0; c < 3; c++) {
      const [a, b] = [triangles[f + c], triangles[f + ((c + 1) % 3)]];
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      const turn = (open.get(key) ?? 0) + (a < b ? 1 : -1);
      if (turn === 0) open.delete(key);
      else open.set(key, turn);
    }
  }
  if (open.size > 0)
    throw new InputError(
      'cage',
      `it is not closed (${open.size} edges of ${positions.length / 3} vertices have only one triangle); fill its holes and weld its seams`,
    );
}

/**
 * Fills the bones that translate with the vertices of a cage (see the example of bindToCage).
 * @param rest boneCount x 3: vertices of the cage at rest
 * @param posed boneCount x 3: vertices of the posed cage
 * @param bones boneCount x 16: rest to posed
 */
export function cagePoseInto(rest: ArrayLike<number>, posed: ArrayLike<number>, bones: Float64Array): void {
  bones.fill(0);
  for (let j = 0; 16 * j < bones.length; j++) {
    for (let r = 0; r < 3; r++) {
      bones[16 * j + 5 * r] = 1;
      bones[16 * j + 12 + r] = posed[3 * j + r] - rest[3 * j + r];
    }
    bones[16 * j + 15] = 1;
  }
}

/** Makes the deformer of a mesh in a cage (see the example of bindToCage); poses are those of cagePoseInto. Normals are those of the posed surface. The mesh is kept, not copied. */
export function makeCageDeformer(mesh: Mesh, skin: Skin, cageVertexCount: number): Deformer {
  const vertexCount = mesh.positions.length / 3;
  checkFits('cage', skin, vertexCount, cageVertexCount);
  const weld = weldVertices(mesh.positions);
  return {
    vertexCount,
    boneCount: cageVertexCount,
    deformInto(pose, positions, normals) {
      checkPose('cage', pose, cageVertexCount);
      for (let i = 0; i < vertexCount; i++) {
        for (let r = 0; r < 3; r++) {
          let x = mesh.positions[3 * i + r];
          for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++)
            x += skin.weights[e] * pose.bones[16 * skin.boneIndices[e] + 12 + r];
          positions[3 * i + r] = x;
        }
      }
      if (normals) vertexNormalsInto(positions, mesh.triangles, normals, weld);
    },
  };
}
