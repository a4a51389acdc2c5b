// SPDX-License-Identifier: MIT
import type { TrackedJoint } from '../../../core/keyframes/make-joint-motions.ts';
import { compose, invertAffine, multiply } from '../../../core/math/mat4.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { degreesFromQuaternionInto } from '../fbx-degrees.ts';
import { fbxArray, fbxDouble, fbxLong, fbxNode, type PackedNode } from '../syntax/fbx-pack.ts';
import { addFbxModel, type FbxWrittenMesh } from './fbx-add-meshes.ts';
import { type FbxBuilder, fbxProperties } from './fbx-builder.ts';

/** The joints of a bone: one model, or two where it is sheared. */
export interface FbxWrittenJoint {
  outer: number;
  inner: number;
  /** World matrix of the outer one at rest. */
  world: Float64Array;
}

/** Adds the bones of a model as limb nodes under a null node. */
export function addFbxJoints(
  builder: FbxBuilder,
  { skeleton }: SkinnedModel,
  joints: readonly TrackedJoint[],
  lengths: Float64Array,
  scale: number,
): FbxWrittenJoint[] {
  const armature = addFbxModel(builder, 'Armature', 'Null', [0, 0, 0], [0, 0, 0], [1, 1, 1]);
  const attribute = builder.add('NodeAttribute', 'Armature', 'NodeAttribute', 'Null', [
    fbxNode('TypeFlags', ['Null']),
    fbxProperties([]),
  ]);
  builder.connect(armature);
  builder.connect(attribute, armature);
  const binds = scaleBinds(skeleton, scale);
  const hasChild = new Set(joints.map(({ above }) => above));
  const limbs: FbxWrittenJoint[] = [];
  joints.forEach(({ above, translation, rotation, scale: scaling, turn }, j) => {
    const name = skeleton.names[j];
    const length = lengths[j] * scale;
    const moved = translation.map((x) => x * scale);
    const outer = addLimb(builder, turn ? `${name} stretch` : name, moved, degreesOf(rotation), scaling, length);
    builder.connect(outer, above < 0 ? armature : limbs[above].inner);
    let inner = outer;
    if (turn) {
      inner = addLimb(builder, name, [0, 0, 0], degreesOf(turn), [1, 1, 1], length);
      builder.connect(inner, outer);
    }
    const world = new Float64Array(16);
    compose(moved, rotation, scaling, world);
    if (above >= 0) multiply(binds, world, world, 16 * above);
    limbs.push({ outer, inner, world });
    // programs take the length of a bone from its children, or from the bone above; one that has neither needs an end
    if (above >= 0 || hasChild.has(j)) return;
    const end = addLimb(builder, `${name}_end`, [0, length, 0], [0, 0, 0], [1, 1, 1], length);
    builder.connect(end, inner);
  });
  return limbs;
}

function addLimb(
  builder: FbxBuilder,
  name: string,
  translation: ArrayLike<number>,
  rotation: ArrayLike<number>,
  scaling: ArrayLike<number>,
  length: number,
): number {
  const id = addFbxModel(builder, name, 'LimbNode', translation, rotation, scaling);
  const attribute = builder.add('NodeAttribute', name, 'NodeAttribute', 'LimbNode', [
    fbxNode('TypeFlags', ['Skeleton']),
    fbxProperties([['Size', 'double', 'Number', '', fbxDouble(length)]]),
  ]);
  builder.connect(attribute, id);
  return id;
}

function degreesOf(rotation: ArrayLike<number>): Float64Array {
  const out = new Float64Array(3);
  degreesFromQuaternionInto(rotation, 0, out, 0);
  return out;
}

/** Binds meshes to limbs: a cluster per bone that moves any of their vertices, and the bind pose. */
export function addFbxSkin(
  builder: FbxBuilder,
  { skeleton, skin }: SkinnedModel,
  meshes: readonly FbxWrittenMesh[],
  limbs: readonly FbxWrittenJoint[],
  scale: number,
): void {
  const binds = scaleBinds(skeleton, scale);
  for (const { model, geometry, vertexStart, vertexCount } of meshes) {
    const deformer = builder.add('Deformer', '', 'Deformer', 'Skin', [
      fbxNode('Version', [101]),
      fbxNode('Link_DeformAcuracy', [fbxDouble(50)]),
    ]);
    builder.connect(deformer, geometry);
    const counts = new Uint32Array(limbs.length);
    const entries = skin.boneIndices.subarray(skin.rowStart[vertexStart], skin.rowStart[vertexStart + vertexCount]);
    for (const bone of entries) counts[bone]++;
    const points = Array.from(counts, (count) => new Int32Array(count));
    const weights = Array.from(counts, (count) => new Float64Array(count));
    counts.fill(0);
    for (let i = 0; i < vertexCount; i++) {
      for (let e = skin.rowStart[vertexStart + i]; e < skin.rowStart[vertexStart + i + 1]; e++) {
        const j = skin.boneIndices[e];
        points[j][counts[j]] = i;
        weights[j][counts[j]++] = skin.weights[e];
      }
    }
    limbs.forEach(({ inner }, j) => {
      const bind = binds.slice(16 * j, 16 * j + 16);
      const inverse = new Float64Array(16);
      if (!invertAffine(bind, inverse))
        throw new InputError('writeFbx', `the bind matrix of bone ${j} ("${skeleton.names[j]}") cannot be inverted`);
      const cluster = builder.add('Deformer', skeleton.names[j], 'SubDeformer', 'Cluster', [
        fbxNode('Version', [100]),
        fbxNode('UserData', ['', '']),
        fbxNode('Indexes', [fbxArray(points[j])]),
        fbxNode('Weights', [fbxArray(weights[j])]),
        // the mesh is at the origin, so the mesh in the space of the bone is the inverse of the bone
        fbxNode('Transform', [fbxArray(inverse)]),
        fbxNode('TransformLink', [fbxArray(bind)]),
      ]);
      builder.connect(cluster, deformer);
      builder.connect(inner, cluster);
    });
    addBindPose(builder, model, limbs, binds);
  }
}

/** Bind matrices in the unit of the file. */
function scaleBinds({ bindMatrices }: Skeleton, scale: number): Float64Array {
  return bindMatrices.map((x, c) => (c % 16 >= 12 && c % 16 < 15 ? x * scale : x));
}

/** Adds the pose of all that is bound. Outer joints have no weights, and are known to readers from here only. */
function addBindPose(builder: FbxBuilder, mesh: number, limbs: readonly FbxWrittenJoint[], binds: Float64Array): void {
  const node = (id: number, matrix: Float64Array): PackedNode =>
    fbxNode('PoseNode', [], [fbxNode('Node', [fbxLong(id)]), fbxNode('Matrix', [fbxArray(matrix)])]);
  const identity = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
  const nodes = [
    node(mesh, identity),
    ...limbs.flatMap(({ outer, inner, world }, j) => [
      ...(outer === inner ? [] : [node(outer, world)]),
      node(inner, binds.slice(16 * j, 16 * j + 16)),
    ]),
  ];
  builder.add('Pose', '', 'Pose', 'BindPose', [
    fbxNode('Type', ['BindPose']),
    fbxNode('Version', [100]),
    fbxNode('NbPoseNodes', [nodes.length]),
    ...nodes,
  ]);
}
