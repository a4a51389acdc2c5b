// SPDX-License-Identifier: MIT
// One posed instance of a collision tree. Spheres and vertices are computed when a query visits them, and kept until the next pose.

import { IDENTITY, makeIdentities } from '../../core/math/mat4.ts';
import type { Pose } from '../../core/model/deformed/deformer.ts';
import { coefficientCountOf } from '../../core/model/deformed/skin-correction.ts';
import { InputError } from '../../core/model/errors.ts';
import { joinBoxes, wrapBox } from './boxes.ts';
import { type CollisionTree, correctionRankOf, nodeCountOf } from './collision-tree.ts';
import { largestStretch } from './largest-stretch.ts';

/**
 * Makes an instance of a model for queries, in the rest pose at the origin. It takes about 28 bytes per vertex and 36 bytes per node of the tree.
 * @example
 * ```ts
 * import { makeCollider, makeCollisionTree } from 'ossify/collide';
 *
 * const tree = makeCollisionTree(model);
 * const animals = poses.map((pose) => {
 *   const animal = makeCollider(tree);
 *   animal.pose(pose);
 *   return animal;
 * });
 * ```
 */
export function makeCollider(tree: CollisionTree): Collider {
  return new Collider(tree);
}

/** Largest number of poses that the marks of computed spheres and vertices can tell apart. */
const MAX_STAMP = 2 ** 32 - 1;

/** A posed instance of a model. makeCollider makes it. */
export class Collider {
  /** The tree, which colliders of one model share. */
  readonly tree: CollisionTree;
  /**
   * nodeCount x 4: center and radius in world space, valid after computeSphere
   * @internal
   */
  readonly spheres: Float64Array;
  /**
   * (nodeCount − boundEnd) x 6: minimum and maximum of the nodes of clusters in world space, valid after computeSphere
   * @internal
   */
  readonly boxes: Float64Array;
  /**
   * vertexCount x 3, world space, valid after computeTriangle
   * @internal
   */
  readonly positions: Float64Array;
  readonly #sphereStamps: Uint32Array;
  readonly #vertexStamps: Uint32Array;
  readonly #bones: Float64Array;
  /** boneCount: largest stretch of each bone */
  readonly #stretches: Float64Array;
  readonly #world = Float64Array.from(IDENTITY);
  #worldStretch = 1;
  /** Coefficients of displacements, empty for none. */
  #corrections: Float32Array = new Float32Array(0);
  readonly #rank: number;
  /** rank x stride: displacements of a corrected skin */
  readonly #displacements: { basis: Float32Array; stride: number };
  #stamp = 0;
  /** Added to every radius: more than all rounding. */
  #slack = 0;

  /** @internal */
  constructor(tree: CollisionTree) {
    const { model } = tree;
    const boneCount = model.skeleton.names.length;
    this.tree = tree;
    this.spheres = new Float64Array(4 * nodeCountOf(tree));
    this.boxes = new Float64Array(6 * tree.clusterRoots.length);
    this.positions = new Float64Array(model.mesh.positions.length);
    this.#sphereStamps = new Uint32Array(nodeCountOf(tree));
    this.#vertexStamps = new Uint32Array(model.mesh.positions.length / 3);
    this.#bones = new Float64Array(16 * boneCount);
    this.#stretches = new Float64Array(boneCount);
    this.#rank = correctionRankOf(model);
    const basis = model.kind === 'corrected-skin' ? model.correction.basis : new Float32Array(0);
    this.#displacements = { basis, stride: model.mesh.positions.length };
    this.pose({ bones: makeIdentities(boneCount) });
  }

  /**
   * Sets the pose and the place of this instance. The cost depends on the number of bones only. Matrices and coefficients are copied.
   * @param pose bones may be any affine matrices: scaled, sheared or mirrored; morph weights are not supported
   * @param world 16 numbers, column-major, affine: model space to world space
   */
  pose(pose: Pose, world: ArrayLike<number> = IDENTITY): void {
    this.#check(pose, world);
    this.#bones.set(pose.bones);
    this.#world.set(world);
    this.#corrections = pose.corrections?.slice(0, this.#rank) ?? new Float32Array(0);
    this.#worldStretch = largestStretch(world);
    this.#stamp = this.#stamp === MAX_STAMP ? this.#restart() : this.#stamp + 1;
    this.#slack = this.#measureSlack();
  }

  /**
   * Fills a sphere around the posed shape: center x y z and radius, world space. For a broad phase over many instances.
   * @param out 4 numbers
   */
  boundInto(out: Float64Array): void {
    const o = this.computeSphere(0);
    for (let c = 0; c < 4; c++) out[c] = this.spheres[o + c];
  }

  /**
   * Computes the sphere of a node, unless this pose has it, and returns its place in spheres.
   * @internal
   */
  computeSphere(node: number): number {
    const o = 4 * node;
    if (this.#sphereStamps[node] === this.#stamp) return o;
    const { topCount, boundEnd, clusterRoots } = this.tree;
    if (node >= boundEnd) {
      this.#fitCluster(clusterRoots[node - boundEnd]);
      return o;
    }
    this.#sphereStamps[node] = this.#stamp;
    if (node < topCount) this.#joinSpheres(node, o);
    else this.#boundSphere(node - topCount, o);
    if (this.tree.children[2 * node] < 0) this.#shrinkSphere(node, o);
    return o;
  }

  /**
   * Computes the positions of the corners of a triangle, unless this pose has them.
   * @internal
   */
  computeTriangle(triangle: number): void {
    const { triangles } = this.tree.model.mesh;
    for (let c = 3 * triangle; c < 3 * triangle + 3; c++) {
      const i = triangles[c];
      if (this.#vertexStamps[i] !== this.#stamp) this.#deformVertex(i);
    }
  }

  #check({ bones, corrections }: Pose, world: ArrayLike<number>): void {
    const { model } = this.tree;
    if (bones.length !== this.#bones.length) {
      throw new InputError('collider', `the pose has ${bones.length / 16} bones, expected ${this.#bones.length / 16}`);
    }
    const count = model.kind === 'corrected-skin' ? coefficientCountOf(model.correction) : 0;
    if (corrections && corrections.length !== count)
      throw new InputError('collider', `the pose has ${corrections.length} coefficients, expected ${count}`);
    if (world.length !== 16)
      throw new InputError('collider', `the world matrix has ${world.length} numbers, expected 16`);
    // a sum is finite only if all of its terms are
    let sum = 0;
    for (let c = 0; c < bones.length; c++) sum += Math.abs(bones[c]);
    for (let c = 0; c < 16; c++) sum += Math.abs(world[c]);
    for (let r = 0; corrections && r < corrections.length; r++) sum += Math.abs(corrections[r]);
    if (!Number.isFinite(sum)) throw new InputError('collider', 'the pose holds a number that is not finite');
  }

  #restart(): number {
    this.#sphereStamps.fill(0);
    this.#vertexStamps.fill(0);
    return 1;
  }

  /**
   * Positions are rounded to single precision, corrected rest shapes once per component, and sums of weights are not exactly one: all errors are small
   * ratios of the largest coordinate that can occur.
   */
  #measureSlack(): number {
    const { reach, modeReaches, weightError } = this.tree;
    let stretch = 0;
    let shift = 0;
    for (let j = 0; j < this.#stretches.length; j++) {
      const o = 16 * j;
      this.#stretches[j] = largestStretch(this.#bones, o);
      stretch = Math.max(stretch, this.#stretches[j]);
      shift = Math.max(shift, Math.hypot(this.#bones[o + 12], this.#bones[o + 13], this.#bones[o + 14]));
    }
    let extent = reach;
    for (let r = 0; r < this.#corrections.length; r++) extent += Math.abs(this.#corrections[r]) * modeReaches[r];
    const ratio = 2 ** -22 * (this.#corrections.length + 4) + 4 * weightError;
    const world = Math.hypot(this.#world[12], this.#world[13], this.#world[14]);
    return ratio * (stretch * extent + shift) * this.#worldStretch + 2 ** -48 * world;
  }

  /** The smallest sphere around the spheres of both children. */
  #joinSpheres(node: number, o: number): void {
    const { spheres } = this;
    const a = this.computeSphere(this.tree.children[2 * node]);
    const b = this.computeSphere(this.tree.children[2 * node + 1]);
    const x = spheres[b] - spheres[a];
    const y = spheres[b + 1] - spheres[a + 1];
    const z = spheres[b + 2] - spheres[a + 2];
    const distance = Math.sqrt(x * x + y * y + z * z);
    const [ra, rb] = [spheres[a + 3], spheres[b + 3]];
    const radius = Math.max(ra, rb, (distance + ra + rb) / 2);
    // the center is on the line between both, so far from the first that its sphere just fits
    const along = distance > 0 ? Math.min(Math.max((radius - ra) / distance, 0), 1) : 0;
    spheres[o] = spheres[a] + along * x;
    spheres[o + 1] = spheres[a + 1] + along * y;
    spheres[o + 2] = spheres[a + 2] + along * z;
    spheres[o + 3] = radius + this.#slack;
  }

  /** The bound of bound-nodes.ts. */
  #boundSphere(n: number, o: number): void {
    const { centers, radii, influenceStart, influenceBones, influenceWeights, influenceSpreads } = this.tree;
    const { modes, modeSpreads } = this.tree;
    const bones = this.#bones;
    let px = centers[3 * n],
      py = centers[3 * n + 1],
      pz = centers[3 * n + 2];
    let local = radii[n];
    for (let r = 0; r < this.#corrections.length; r++) {
      const q = this.#corrections[r];
      const m = n * this.#rank + r;
      px += q * modes[3 * m];
      py += q * modes[3 * m + 1];
      pz += q * modes[3 * m + 2];
      local += Math.abs(q) * modeSpreads[m];
    }
    let cx = 0,
      cy = 0,
      cz = 0;
    let zx = 0,
      zy = 0,
      zz = 0;
    let stretch = 0;
    let maxStretch = 0;
    let spread = 0;
    const first = influenceStart[n];
    for (let e = first; e < influenceStart[n + 1]; e++) {
      const j = influenceBones[e];
      const b = 16 * j;
      const x = bones[b] * px + bones[b + 4] * py + bones[b + 8] * pz + bones[b + 12];
      const y = bones[b + 1] * px + bones[b + 5] * py + bones[b + 9] * pz + bones[b + 13];
      const z = bones[b + 2] * px + bones[b + 6] * py + bones[b + 10] * pz + bones[b + 14];
      const w = influenceWeights[e];
      cx += w * x;
      cy += w * y;
      cz += w * z;
      maxStretch = Math.max(maxStretch, this.#stretches[j]);
      if (e === first) {
        stretch = this.#stretches[j];
        zx = x;
        zy = y;
        zz = z;
      } else {
        stretch += (w + influenceSpreads[e]) * Math.max(0, this.#stretches[j] - this.#stretches[influenceBones[first]]);
        spread += influenceSpreads[e] * Math.sqrt((x - zx) ** 2 + (y - zy) ** 2 + (z - zz) ** 2);
      }
    }
    const world = this.#world;
    const { spheres } = this;
    spheres[o] = world[0] * cx + world[4] * cy + world[8] * cz + world[12];
    spheres[o + 1] = world[1] * cx + world[5] * cy + world[9] * cz + world[13];
    spheres[o + 2] = world[2] * cx + world[6] * cy + world[10] * cz + world[14];
    spheres[o + 3] = this.#worldStretch * (Math.min(stretch, maxStretch) * local + spread) + this.#slack;
  }

  /** Fits the boxes and spheres of all nodes below the last node of a region to their vertices, children first. */
  #fitCluster(root: number): void {
    const { boundEnd, children, clusterRoots } = this.tree;
    // the left child comes first, and nodes of a cluster are consecutive
    const first = children[2 * root];
    let node = first;
    while (clusterRoots[node - boundEnd] === root) node++;
    while (node-- > first) {
      this.#sphereStamps[node] = this.#stamp;
      const b = 6 * (node - boundEnd);
      if (children[2 * node] < 0) this.#fitLeaf(node, b);
      else joinBoxes(this.boxes, 6 * (children[2 * node] - boundEnd), 6 * (children[2 * node + 1] - boundEnd), b);
      wrapBox(this.boxes, b, this.spheres, 4 * node, this.#slack);
    }
  }

  #fitLeaf(node: number, b: number): void {
    const { children, triangles, model } = this.tree;
    const corners = model.mesh.triangles;
    const { boxes, positions } = this;
    let minX = Number.POSITIVE_INFINITY;
    let minY = minX;
    let minZ = minX;
    let maxX = Number.NEGATIVE_INFINITY;
    let maxY = maxX;
    let maxZ = maxX;
    const start = -1 - children[2 * node];
    const end = start + children[2 * node + 1];
    for (let m = start; m < end; m++) {
      const t = 3 * triangles[m];
      for (let n = t; n < t + 3; n++) {
        const i = corners[n];
        if (this.#vertexStamps[i] !== this.#stamp) this.#deformVertex(i);
        const x = positions[3 * i];
        const y = positions[3 * i + 1];
        const z = positions[3 * i + 2];
        if (x < minX) minX = x;
        if (x > maxX) maxX = x;
        if (y < minY) minY = y;
        if (y > maxY) maxY = y;
        if (z < minZ) minZ = z;
        if (z > maxZ) maxZ = z;
      }
    }
    boxes[b] = minX - this.#slack;
    boxes[b + 1] = minY - this.#slack;
    boxes[b + 2] = minZ - this.#slack;
    boxes[b + 3] = maxX + this.#slack;
    boxes[b + 4] = maxY + this.#slack;
    boxes[b + 5] = maxZ + this.#slack;
  }

  /** Shrinks the sphere of a leaf to its vertices: fitted weights often vary so much between neighbours that the bound is twice as large. */
  #shrinkSphere(node: number, o: number): void {
    const { children, triangles, model } = this.tree;
    const corners = model.mesh.triangles;
    const { spheres, positions } = this;
    let square = 0;
    const first = -1 - children[2 * node];
    for (let n = first; n < first + children[2 * node + 1]; n++) {
      this.computeTriangle(triangles[n]);
      for (let c = 3 * triangles[n]; c < 3 * triangles[n] + 3; c++) {
        const i = 3 * corners[c];
        const x = positions[i] - spheres[o];
        const y = positions[i + 1] - spheres[o + 1];
        const z = positions[i + 2] - spheres[o + 2];
        square = Math.max(square, x * x + y * y + z * z);
      }
    }
    spheres[o + 3] = Math.min(spheres[o + 3], Math.sqrt(square) + this.#slack);
  }

  /** Linear blend skinning in the order of make-linear-blend.ts and corrected.ts: the result is theirs, bit for bit, moved to the world. */
  #deformVertex(i: number): void {
    this.#vertexStamps[i] = this.#stamp;
    const { mesh, skin } = this.tree.model;
    const bones = this.#bones;
    let m00 = 0,
      m10 = 0,
      m20 = 0,
      m01 = 0,
      m11 = 0,
      m21 = 0,
      m02 = 0,
      m12 = 0,
      m22 = 0,
      m03 = 0,
      m13 = 0,
      m23 = 0;
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const w = skin.weights[e];
      const o = skin.boneIndices[e] * 16;
      m00 += w * bones[o];
      m10 += w * bones[o + 1];
      m20 += w * bones[o + 2];
      m01 += w * bones[o + 4];
      m11 += w * bones[o + 5];
      m21 += w * bones[o + 6];
      m02 += w * bones[o + 8];
      m12 += w * bones[o + 9];
      m22 += w * bones[o + 10];
      m03 += w * bones[o + 12];
      m13 += w * bones[o + 13];
      m23 += w * bones[o + 14];
    }
    const c = 3 * i;
    let u = mesh.positions[c];
    let v = mesh.positions[c + 1];
    let t = mesh.positions[c + 2];
    const { basis, stride } = this.#displacements;
    for (let r = 0; r < this.#corrections.length; r++) {
      const q = this.#corrections[r];
      if (q === 0) continue;
      const o = r * stride + c;
      u = Math.fround(u + q * basis[o]);
      v = Math.fround(v + q * basis[o + 1]);
      t = Math.fround(t + q * basis[o + 2]);
    }
    const x = Math.fround(m00 * u + m01 * v + m02 * t + m03);
    const y = Math.fround(m10 * u + m11 * v + m12 * t + m13);
    const z = Math.fround(m20 * u + m21 * v + m22 * t + m23);
    const world = this.#world;
    this.positions[c] = world[0] * x + world[4] * y + world[8] * z + world[12];
    this.positions[c + 1] = world[1] * x + world[5] * y + world[9] * z + world[13];
    this.positions[c + 2] = world[2] * x + world[6] * y + world[10] * z + world[14];
  }
}
