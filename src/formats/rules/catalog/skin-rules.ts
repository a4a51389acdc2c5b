// SPDX-License-Identifier: MIT
import { maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import type { Scene, SceneSkin } from '../../gltf/index.ts';
import type { Fault, Rule } from '../rule.ts';
import { nodeName, shapeName } from './scene-facts.ts';

/** Influences that every player reads. three.js, AR Quick Look and most engines on telephones read no more. */
const COMMON_INFLUENCES = 4;
/** Joints of a mesh that engines index by one byte; Unreal splits meshes with more (Bone count per section). */
const MANY_JOINTS = 256;

/** Nodes with weight in any mesh, and the nodes above them. */
function listWeighted({ shapes, nodes: { parents } }: Scene): Set<number> {
  const used = new Set<number>();
  for (const { skin } of shapes) {
    if (!skin) continue;
    const { joints, weights } = skin;
    for (let e = 0; e < weights.weights.length; e++)
      if (weights.weights[e] > 0)
        for (let n = joints[weights.boneIndices[e]]; n >= 0 && !used.has(n); n = parents[n]) used.add(n);
  }
  return used;
}

/** Places of the joints of a skin that move no vertex of any mesh. */
const listIdle = ({ joints }: SceneSkin, used: ReadonlySet<number>): number[] =>
  joints.flatMap((joint, j) => (used.has(joint) ? [] : [j]));

const idle: Rule = {
  id: 'joint-unused',
  severity: 'note',
  title: 'Every joint moves a vertex, or is above one that does',
  remedy: 'remove it from the skin; its node stays, so what is attached to it stays too',
  check({ scene }) {
    const used = listWeighted(scene);
    const joints = new Set(scene.shapes.flatMap(({ skin }) => skin?.joints ?? []));
    const found = [...joints].filter((joint) => !used.has(joint));
    if (found.length === 0) return [];
    const place = { joint: nodeName(scene.nodes, found[0]), count: found.length };
    const fault = `${found.length} of ${joints.size} joints move no vertex, this first`;
    return [{ place, fault, canFix: found.length < joints.size }];
  },
  fix({ scene }) {
    const used = listWeighted(scene);
    return { ...scene, shapes: scene.shapes.map((shape) => ({ ...shape, ...dropIdle(shape.skin, used) })) };
  },
};

function dropIdle(skin: SceneSkin | undefined, used: ReadonlySet<number>): { skin?: SceneSkin } {
  if (!skin) return {};
  const found = new Set(listIdle(skin, used));
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
