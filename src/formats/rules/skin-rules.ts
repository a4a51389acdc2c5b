// SPDX-License-Identifier: MIT
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import type { Scene, SceneSkin } from '../gltf/index.ts';
import type { Fault, Rule } from './rule.ts';
import { nodeName, shapeName } from './scene-facts.ts';

/** Influences that every player reads. three.js, AR Quick Look and most engines on telephones read no more. */
const COMMON_INFLUENCES = 4;
/** Joints of a mesh that engines index by one byte; Unreal splits meshes with more (Bone count per section). */
const MANY_JOINTS = 256;

/** Joints of a skin without weight and without a weighted joint below. */
function listIdle({ joints, weights }: SceneSkin, parents: Int32Array): number[] {
  const used = new Set<number>();
  for (let e = 0; e < weights.weights.length; e++)
    if (weights.weights[e] > 0)
      for (let n = joints[weights.boneIndices[e]]; n >= 0 && !used.has(n); n = parents[n]) used.add(n);
  return joints.flatMap((joint, j) => (used.has(joint) ? [] : [j]));
}

const idle: Rule = {
  id: 'joint-unused',
  severity: 'note',
  title: 'Every joint of a skin moves a vertex, or is above one that does',
  remedy: 'remove it from the skin; its node stays, so what is attached to it stays too',
  check({ scene }) {
    return scene.shapes.flatMap((shape): Fault[] => {
      const { skin } = shape;
      const found = skin ? listIdle(skin, scene.nodes.parents) : [];
      if (!skin || found.length === 0) return [];
      const joint = nodeName(scene.nodes, skin.joints[found[0]]);
      const place = { mesh: shapeName(scene, shape), joint, count: found.length };
      const fault = `${found.length} of its ${skin.joints.length} joints move no vertex, this first`;
      return [{ place, fault, canFix: found.length < skin.joints.length }];
    });
  },
  fix({ scene }) {
    return { ...scene, shapes: scene.shapes.map((shape) => ({ ...shape, ...dropIdle(shape.skin, scene) })) };
  },
};

function dropIdle(skin: SceneSkin | undefined, { nodes }: Scene): { skin?: SceneSkin } {
  if (!skin) return {};
  const found = new Set(listIdle(skin, nodes.parents));
  if (found.size === 0 || found.size === skin.joints.length) return { skin };
  const kept = [...skin.joints.keys()].filter((j) => !found.has(j));
  const placeOf = new Map(kept.map((j, place) => [j, place]));
  const inverseBinds = new Float64Array(16 * kept.length);
  kept.forEach((j, place) => {
    inverseBinds.set(skin.inverseBinds.subarray(16 * j, 16 * j + 16), 16 * place);
  });
  const boneIndices = skin.weights.boneIndices.map((bone) => placeOf.get(bone) ?? 0);
  const joints = kept.map((j) => skin.joints[j]);
  return { skin: { ...skin, joints, inverseBinds, weights: { ...skin.weights, boneIndices } } };
}

const influences: Rule = {
  id: 'influences',
  severity: 'note',
  title: `Vertices follow at most ${COMMON_INFLUENCES} joints`,
  remedy: 'reduce them (ossify reduce --influences 4): players that read four draw another shape',
  check({ scene }) {
    return scene.shapes.flatMap((shape): Fault[] => {
      const rows = shape.skin?.weights.rowStart;
      if (!shape.skin || !rows || maxInfluencesOf(shape.skin.weights) <= COMMON_INFLUENCES) return [];
      const wide = [...rows.keys()].filter((i) => rows[i + 1] - rows[i] > COMMON_INFLUENCES);
      const place = { mesh: shapeName(scene, shape), vertex: wide[0], count: wide.length };
      const most = maxInfluencesOf(shape.skin.weights);
      return [{ place, fault: `${wide.length} vertices follow more than ${COMMON_INFLUENCES} joints, up to ${most}` }];
    });
  },
};

const jointCount: Rule = {
  id: 'joint-count',
  severity: 'warning',
  title: `Skins have at most ${MANY_JOINTS} joints`,
  remedy: 'split the mesh, or remove joints (ossify reduce, ossify lod)',
  check({ scene }) {
    return scene.shapes.flatMap((shape): Fault[] => {
      const count = shape.skin?.joints.length ?? 0;
      if (count <= MANY_JOINTS) return [];
      const fault = `its skin has ${count} joints, and engines with indices of one byte take ${MANY_JOINTS}`;
      return [{ place: { mesh: shapeName(scene, shape) }, fault }];
    });
  },
};

/** Rules about skins. */
export const SKIN_RULES: readonly Rule[] = [idle, influences, jointCount];
