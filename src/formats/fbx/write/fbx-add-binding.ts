// SPDX-License-Identifier: MIT
// The bind pose. A cluster says where its bone was and what it moves; the pose says it again for all models, which engines check. The models
// themselves have the pose of the file.
import { IDENTITY, invertAffine, multiply } from '../../../core/math/mat4.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import type { Scene, SceneSkin } from '../../gltf/index.ts';
import { fbxArray, fbxDouble, fbxLong, fbxNode } from '../syntax/fbx-pack.ts';
import type { FbxBuilder } from './fbx-builder.ts';
import type { FbxPlan } from './fbx-plan-models.ts';

/** What clusters are made for. */
interface Binding {
  plan: FbxPlan;
  /** By model: its identifier. */
  ids: readonly number[];
  /** By model: its world matrix in the bind pose, where a skin states one. */
  binds: Map<number, Float64Array>;
  /** Factor on lengths. */
  scale: number;
  log?: (message: string) => void;
}

/**
 * Adds the skins of a scene, with a cluster for every joint, also for those without weights, and its bind pose.
 * @param geometries by shape: identifier of its geometry
 */
export function addFbxBinding(
  builder: FbxBuilder,
  scene: Scene,
  geometries: readonly number[],
  { plan, ids, scale, log }: Omit<Binding, 'binds'>,
): void {
  const binding: Binding = { plan, ids, scale, log, binds: new Map() };
  scene.shapes.forEach(({ skin }, s) => {
    if (!skin) return;
    const mesh = plan.modelOfShape[s];
    binding.binds.set(mesh, scaled(plan.models[mesh].world, scale));
    const deformer = builder.add('Deformer', plan.models[mesh].name, 'Deformer', 'Skin', [
      fbxNode('Version', [101]),
      fbxNode('Link_DeformAcuracy', [fbxDouble(50)]),
    ]);
    builder.connect(deformer, geometries[s]);
    addClusters(builder, skin, mesh, deformer, binding);
  });
  if (binding.binds.size > 0) addPose(builder, binding);
}

function addClusters(builder: FbxBuilder, skin: SceneSkin, mesh: number, deformer: number, binding: Binding): void {
  const { plan, ids, binds, scale, log } = binding;
  const place = plan.models[mesh].world;
  const influences = listInfluences(skin);
  skin.joints.forEach((node, j) => {
    const model = plan.modelOfNode[node];
    const link = new Float64Array(16);
    const inverse = skin.inverseBinds.slice(16 * j, 16 * j + 16);
    if (!invertAffine(inverse, link)) {
      if (influences.points[j].length > 0)
        log?.(`the bind matrix of joint ${quoteName(plan.models[model].name)} cannot be inverted: its pose is bound`);
      link.set(plan.models[model].world);
    } else multiply(place, link, link);
    const bind = scaled(link, scale);
    // the mesh in the space of the bone
    const transform = new Float64Array(16);
    invertAffine(link, transform);
    multiply(transform, place, transform);
    const cluster = builder.add('Deformer', plan.models[model].name, 'SubDeformer', 'Cluster', [
      fbxNode('Version', [100]),
      fbxNode('UserData', ['', '']),
      fbxNode('Indexes', [fbxArray(Int32Array.from(influences.points[j]))]),
      fbxNode('Weights', [fbxArray(Float64Array.from(influences.weights[j]))]),
      fbxNode('Transform', [fbxArray(scaled(transform, scale))]),
      fbxNode('TransformLink', [fbxArray(bind)]),
      // Blender places the mesh below its armature by this matrix
      fbxNode('TransformAssociateModel', [fbxArray(scaled(armatureOf(plan, model), scale))]),
    ]);
    builder.connect(cluster, deformer);
    builder.connect(ids[model], cluster);
    if (!binds.has(model)) binds.set(model, bind);
  });
}

/** World matrix of the first model above a joint that is none. */
function armatureOf({ models }: FbxPlan, joint: number): Float64Array {
  let m = joint;
  while (m >= 0 && models[m].kind === 'LimbNode') m = models[m].parent;
  return m < 0 ? Float64Array.from(IDENTITY) : models[m].world;
}

/** Points and weights by joint. */
function listInfluences({ joints, weights: skin }: SceneSkin): { points: number[][]; weights: number[][] } {
  const points: number[][] = joints.map(() => []);
  const weights: number[][] = joints.map(() => []);
  for (let i = 0; i + 1 < skin.rowStart.length; i++)
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      points[skin.boneIndices[e]].push(i);
      weights[skin.boneIndices[e]].push(skin.weights[e]);
    }
  return { points, weights };
}

/** Adds the pose of all that is bound and of all models above it, which stay where they are. */
function addPose(builder: FbxBuilder, { plan, ids, binds, scale }: Binding): void {
  const { models } = plan;
  const matrices = new Map(binds);
  for (const bound of binds.keys())
    for (let m = models[bound].parent; m >= 0 && !matrices.has(m); m = models[m].parent)
      matrices.set(m, scaled(models[m].world, scale));
  const nodes = [...matrices]
    .sort(([a], [b]) => a - b)
    .map(([m, matrix]) =>
      fbxNode('PoseNode', [], [fbxNode('Node', [fbxLong(ids[m])]), fbxNode('Matrix', [fbxArray(matrix)])]),
    );
  builder.add('Pose', 'BindPose', 'Pose', 'BindPose', [
    fbxNode('Type', ['BindPose']),
    fbxNode('Version', [100]),
    fbxNode('NbPoseNodes', [nodes.length]),
    ...nodes,
  ]);
}

/** A matrix in the unit of the file. */
function scaled(matrix: Float64Array, scale: number): Float64Array {
  return matrix.map((x, c) => (c >= 12 && c < 15 ? x * scale : x));
}
