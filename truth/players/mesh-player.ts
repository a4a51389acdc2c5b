// SPDX-License-Identifier: MIT
// World positions of a mesh of three.js as its shaders compute them. three.js multiplies two matrices per vertex and influence on the CPU, and this took most
// of the time of a cell; here it is one matrix per bone and pose.
//
//   v' = W B⁻¹ Σ wⱼ (Mⱼ Iⱼ B) v     W, B: matrixWorld and bindMatrix of the mesh; Mⱼ, Iⱼ: matrixWorld and inverse bind matrix of bone j
import { type BufferAttribute, Matrix4, Mesh, SkinnedMesh, Vector3 } from 'three';

/** Numbers of an affine matrix: three rows. */
const AFFINE = 12;

export class MeshPlayer {
  readonly vertexCount: number;
  readonly #mesh: Mesh;
  /** vertexCount x 3: without morph targets */
  readonly #rest: Float64Array;
  readonly #skin?: Influences;

  /** @param all use all sets of weights of the file, where three.js uses the first */
  constructor(mesh: Mesh, all: boolean) {
    this.#mesh = mesh;
    const { position } = mesh.geometry.attributes;
    this.vertexCount = position.count;
    this.#rest = new Float64Array(3 * position.count);
    for (let i = 0; i < position.count; i++)
      for (let c = 0; c < 3; c++) this.#rest[3 * i + c] = position.getComponent(i, c);
    if (mesh instanceof SkinnedMesh) this.#skin = listInfluences(mesh, all);
  }

  /** Writes positions in the world, with the poses that the bones and the morph targets have now. */
  playInto(out: Float64Array, at: number): void {
    const mesh = this.#mesh;
    const points = this.#morph();
    const world = toAffine(mesh.matrixWorld);
    if (!this.#skin || !(mesh instanceof SkinnedMesh)) {
      for (let i = 0; i < this.vertexCount; i++) transform(world, 0, points, 3 * i, out, at + 3 * i);
      return;
    }
    const after = toAffine(new Matrix4().multiplyMatrices(mesh.matrixWorld, mesh.bindMatrixInverse));
    const bones = listBones(mesh);
    const { start, joints, weights } = this.#skin;
    const moved = new Float64Array(3);
    const sum = new Float64Array(3);
    for (let i = 0; i < this.vertexCount; i++) {
      sum.fill(0);
      for (let e = start[i]; e < start[i + 1]; e++) {
        transform(bones, AFFINE * joints[e], points, 3 * i, moved, 0);
        for (let c = 0; c < 3; c++) sum[c] += weights[e] * moved[c];
      }
      transform(after, 0, sum, 0, out, at + 3 * i);
    }
  }

  /** Positions with morph targets, as three.js adds them. */
  #morph(): Float64Array {
    const mesh = this.#mesh;
    const { position: targets } = mesh.geometry.morphAttributes;
    if (!targets || !mesh.morphTargetInfluences?.some((weight) => weight !== 0)) return this.#rest;
    const point = new Vector3();
    const out = new Float64Array(this.#rest.length);
    for (let i = 0; i < this.vertexCount; i++) {
      Mesh.prototype.getVertexPosition.call(mesh, i, point);
      out[3 * i] = point.x;
      out[3 * i + 1] = point.y;
      out[3 * i + 2] = point.z;
    }
    return out;
  }
}

/** Weights that are not zero, by vertex. */
interface Influences {
  start: Uint32Array;
  joints: Uint32Array;
  weights: Float64Array;
}

function listInfluences({ geometry }: SkinnedMesh, all: boolean): Influences {
  const { attributes } = geometry;
  const vertexCount = attributes.position.count;
  const start = new Uint32Array(vertexCount + 1);
  const joints: number[] = [];
  const weights: number[] = [];
  const others = all ? [1, 2, 3].filter((n) => attributes[`joints_${n}`]) : [];
  const add = (vertex: number, joint: BufferAttribute, weight: BufferAttribute, scale: number): number => {
    let sum = 0;
    for (let c = 0; c < 4; c++) {
      const own = weight.getComponent(vertex, c);
      sum += own;
      if (own === 0) continue;
      joints.push(joint.getComponent(vertex, c));
      weights.push(scale * own);
    }
    return sum;
  };
  for (let i = 0; i < vertexCount; i++) {
    let rest = 1;
    for (const n of others)
      rest -= add(i, attributes[`joints_${n}`] as BufferAttribute, attributes[`weights_${n}`] as BufferAttribute, 1);
    // where there are several sets, the loader has scaled the first four weights to a sum of one
    add(i, attributes.skinIndex as BufferAttribute, attributes.skinWeight as BufferAttribute, rest);
    start[i + 1] = joints.length;
  }
  return { start, joints: Uint32Array.from(joints), weights: Float64Array.from(weights) };
}

/** Mⱼ Iⱼ B of every bone. */
function listBones({ skeleton, bindMatrix }: SkinnedMesh): Float64Array {
  const matrix = new Matrix4();
  const out = new Float64Array(AFFINE * skeleton.bones.length);
  skeleton.bones.forEach((bone, j) => {
    matrix.multiplyMatrices(bone.matrixWorld, skeleton.boneInverses[j]).multiply(bindMatrix);
    out.set(toAffine(matrix), AFFINE * j);
  });
  return out;
}

/** The rows of a matrix that three.js stores by columns. */
function toAffine({ elements: e }: Matrix4): Float64Array {
  return Float64Array.of(e[0], e[4], e[8], e[12], e[1], e[5], e[9], e[13], e[2], e[6], e[10], e[14]);
}

function transform(m: Float64Array, k: number, from: Float64Array, i: number, out: Float64Array, at: number): void {
  const x = from[i];
  const y = from[i + 1];
  const z = from[i + 2];
  out[at] = m[k] * x + m[k + 1] * y + m[k + 2] * z + m[k + 3];
  out[at + 1] = m[k + 4] * x + m[k + 5] * y + m[k + 6] * z + m[k + 7];
  out[at + 2] = m[k + 8] * x + m[k + 9] * y + m[k + 10] * z + m[k + 11];
}
