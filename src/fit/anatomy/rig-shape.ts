// SPDX-License-Identifier: MIT
// A rig in its rest pose, as labels need it: joints, and the skin of each bone in a few numbers. The y axis points up.
import { measurePointAreas } from '../../core/mesh/geometry/measure-point-areas.ts';
import type { UpAxis } from '../../core/model/asset.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { worldsOfNodes } from '../../core/model/skin/worlds-of-nodes.ts';

export interface RigShape {
  /** jointCount */
  names: readonly string[];
  /** jointCount; -1 for a root, otherwise a smaller index */
  parents: Int32Array;
  /** jointCount x 3: places of joints */
  joints: Float64Array;
  /** jointCount: area of the skin of a bone; without a skin, the length of the bone */
  masses: Float64Array;
  /** jointCount x 3: center of the skin of a bone; its joint if it has none */
  centers: Float64Array;
  /** jointCount x 6: box of the skin of a bone, minimum and maximum; empty (Infinity) if it has none */
  boxes: Float64Array;
  /** Box of everything: minimum and maximum. */
  box: Float64Array;
  /** Diagonal of the box. */
  size: number;
  /** Whether masses are areas of a skin. */
  hasSkin: boolean;
}

/** Weight from which a vertex belongs to the box of a bone. */
const OWN = 0.5;

export interface SkinnedShape {
  mesh: Pick<Mesh, 'positions' | 'triangles'>;
  skeleton: Skeleton;
  skin: Skin;
  /** Default: y. */
  up?: UpAxis;
  /** By bone, 0 or 1. Bones that are not joints move attached parts, which count as skin of the joint above. */
  isJoint?: ArrayLike<number>;
}

/** The shape of a skinned mesh in its bind pose. */
export function shapeOfSkin({ mesh, skeleton, skin, up = 'y', isJoint }: SkinnedShape): RigShape {
  const { positions, triangles } = mesh;
  const { names, parents, bindMatrices } = skeleton;
  const count = names.length;
  const shape = makeEmpty(names, parents, true);
  const owners = listOwners(parents, isJoint);
  const point = [0, 0, 0];
  for (let j = 0; j < count; j++) {
    turnUp(bindMatrices, 16 * j + 12, up, point);
    shape.joints.set(point, 3 * j);
  }
  const areas = measurePointAreas(positions, triangles);
  for (let v = 0; v + 1 < skin.rowStart.length; v++) {
    turnUp(positions, 3 * v, up, point);
    growBox(shape.box, 0, point);
    for (let e = skin.rowStart[v]; e < skin.rowStart[v + 1]; e++) {
      const [j, weight] = [owners[skin.boneIndices[e]], skin.weights[e]];
      const mass = weight * areas[v];
      shape.masses[j] += mass;
      for (let c = 0; c < 3; c++) shape.centers[3 * j + c] += mass * point[c];
      if (weight >= OWN) growBox(shape.boxes, 6 * j, point);
    }
  }
  return finish(shape);
}

/** By bone, the joint that its skin counts for. */
function listOwners(parents: Int32Array, isJoint: ArrayLike<number> | undefined): Int32Array {
  const owners = new Int32Array(parents.length);
  parents.forEach((parent, j) => {
    const above = parent >= 0 ? owners[parent] : -1;
    owners[j] = !isJoint || isJoint[j] || above < 0 || !isJoint[above] ? j : above;
  });
  return owners;
}

/** The shape of nodes without a skin, such as a file of motions: the mass of a joint is the length of the bones to its children. */
export function shapeOfNodes(tree: NodeTree): RigShape {
  const shape = makeEmpty(tree.names, tree.parents, false);
  const worlds = worldsOfNodes(tree);
  const { joints, masses, centers } = shape;
  for (let j = 0; j < tree.names.length; j++) for (let c = 0; c < 3; c++) joints[3 * j + c] = worlds[16 * j + 12 + c];
  tree.parents.forEach((parent, j) => {
    const own = joints.subarray(3 * j, 3 * j + 3);
    growBox(shape.box, 0, own);
    growBox(shape.boxes, 6 * j, own);
    if (parent < 0) return;
    growBox(shape.boxes, 6 * parent, own);
    const above = joints.subarray(3 * parent, 3 * parent + 3);
    const length = Math.hypot(own[0] - above[0], own[1] - above[1], own[2] - above[2]);
    masses[parent] += length;
    for (let c = 0; c < 3; c++) centers[3 * parent + c] += (length * (own[c] + above[c])) / 2;
  });
  return finish(shape);
}

function makeEmpty(names: readonly string[], parents: Int32Array, hasSkin: boolean): RigShape {
  const count = names.length;
  const empty = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  return {
    ...{ names, parents, hasSkin, joints: new Float64Array(3 * count), masses: new Float64Array(count) },
    centers: new Float64Array(3 * count),
    boxes: Float64Array.from({ length: 6 * count }, (_, c) => empty[c % 6]),
    box: Float64Array.from(empty),
    size: 0,
  };
}

function finish(shape: RigShape): RigShape {
  const { joints, masses, centers, box } = shape;
  masses.forEach((mass, j) => {
    for (let c = 0; c < 3; c++) centers[3 * j + c] = mass > 0 ? centers[3 * j + c] / mass : joints[3 * j + c];
  });
  const size = box[0] <= box[3] ? Math.hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]) : 0;
  return { ...shape, size };
}

function growBox(boxes: Float64Array, o: number, point: ArrayLike<number>): void {
  for (let c = 0; c < 3; c++) {
    boxes[o + c] = Math.min(boxes[o + c], point[c]);
    boxes[o + 3 + c] = Math.max(boxes[o + 3 + c], point[c]);
  }
}

/** A point with y up: a quarter turn about x or z. */
function turnUp(points: ArrayLike<number>, o: number, up: UpAxis, out: number[]): void {
  const [x, y, z] = [points[o], points[o + 1], points[o + 2]];
  if (up === 'y') [out[0], out[1], out[2]] = [x, y, z];
  else if (up === 'z') [out[0], out[1], out[2]] = [x, z, -y];
  else [out[0], out[1], out[2]] = [-y, x, z];
}
