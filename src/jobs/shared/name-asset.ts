// SPDX-License-Identifier: MIT
// --names: joints called as a program looks for them.
import type { Asset, SkinnedModel, UpAxis } from '../../core/model/asset.ts';
import { InputError } from '../../core/model/errors.ts';
import { choice, group, option } from '../../core/options/option.ts';
import { defineStep } from '../../core/options/step.ts';
import {
  type Anatomy,
  describeRig,
  type LabelOptions,
  labelJoints,
  NAME_SETS,
  type NameSet,
  nameJoints,
  type RigShape,
  shapeOfSkin,
} from '../../fit/anatomy/index.ts';
import { changeSource, listTreeOrder } from '../../formats/gltf/index.ts';
import { addHumanoid, renameNodes } from '../../formats/vrm/index.ts';
import { labelAsset } from '../engine/index.ts';

/** Directions to the front, with y up. */
export const FRONTS = { z: [0, 0, 1], '-z': [0, 0, -1], x: [1, 0, 0], '-x': [-1, 0, 0] } as const;
export const FRONT_NAMES = ['z', '-z', 'x', '-x'] as const;
export const frontOf = (name: keyof typeof FRONTS | undefined): LabelOptions['front'] =>
  name ? FRONTS[name] : undefined;

export const NAME_OPTIONS = group('Rig options:', {
  names: option(
    choice(NAME_SETS),
    `names of joints, by what they are: ${NAME_SETS.join(', ')}; vrm also writes the humanoid of VRM 1.0 (default: those of the file)`,
  ),
  front: option(
    choice(FRONT_NAMES),
    'direction that the character faces, with y up; decides left and right (default: found from its names and its shape)',
  ),
});
export const NAME_STEP = defineStep({ name: 'names', options: NAME_OPTIONS });

export interface NameValues {
  names?: NameSet;
  front?: keyof typeof FRONTS;
}

/** An asset whose joints have the names of a set. Throws an InputError if the set is for humanoids and the rig is none. */
export async function nameAsset(
  asset: Asset,
  { names: set, front }: NameValues,
  note: (text: string) => void,
): Promise<Asset> {
  if (set === undefined) return asset;
  const { rig, source, name } = asset;
  const labelled = labelAsset(asset, { front: frontOf(front) });
  if (!rig || !source || !labelled) throw new InputError(name, 'has no skin whose joints could be named');
  const { anatomy, shape } = labelled;
  checkHumanoid(shape, anatomy, set, name);
  const own = nameJoints(shape.names, anatomy, set);
  const places = listTreeOrder(source);
  const names = new Map<number, string>();
  rig.nodeOfBone.forEach((node, j) => {
    if (rig.isJoint[j]) names.set(places[node], own[j]);
  });
  if (set !== 'vrm' || hasAvatar(source.json)) return changeSource(asset, renameNodes(source, names));
  const bones = new Map<string, number>();
  for (const [node, bone] of names) if (isHumanBone(bone)) bones.set(bone, node);
  const made = addHumanoid(source, name, { nodes: bones, names });
  if (made.added.length > 0)
    note(`the rig has no ${made.added.join(', ')}: joints without weights were added for the humanoid`);
  return changeSource(asset, made.source);
}

/** A model whose bones have the names of a set, by its shape alone. */
export function nameModel(
  model: SkinnedModel,
  up: UpAxis,
  { names: set, front }: NameValues,
  name: string,
): SkinnedModel {
  if (set === undefined) return model;
  const { mesh, skeleton, skin } = model;
  const shape = shapeOfSkin({ mesh, skeleton, skin, up });
  const anatomy = labelJoints(shape, { front: frontOf(front), shapeOnly: true });
  checkHumanoid(shape, anatomy, set, name);
  return { ...model, skeleton: { ...skeleton, names: nameJoints(skeleton.names, anatomy, set) } };
}

/** What cannot be mapped is refused: sets of programs are for humanoids. */
function checkHumanoid(shape: RigShape, anatomy: Anatomy, set: NameSet, name: string): void {
  if (set === 'generic' || (anatomy.kind === 'biped' && anatomy.missing.length === 0)) return;
  const { sentence } = describeRig(shape, anatomy);
  throw new InputError(name, `has no names of ${set} (${sentence}); use --names generic`);
}

const hasAvatar = (json: Record<string, unknown>): boolean =>
  typeof json.extensions === 'object' &&
  json.extensions !== null &&
  ('VRM' in json.extensions || 'VRMC_vrm' in json.extensions);

const isHumanBone = (name: string): boolean =>
  /^(hips|spine|chest|upperChest|neck|head|jaw|(left|right)(Shoulder|UpperArm|LowerArm|Hand|UpperLeg|LowerLeg|Foot|Toes|Eye|Thumb(Metacarpal|Proximal|Distal)|(Index|Middle|Ring|Little)(Proximal|Intermediate|Distal)))$/.test(
    name,
  );
