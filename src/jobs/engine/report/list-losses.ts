// SPDX-License-Identifier: MIT
// What an input holds and its result does not. The engine lists it for every command, from the files: no command writes such notes of its own.

import { quoteName } from '../../../core/model/plain-text.ts';
import type { Contents } from '../../../formats/gltf/index.ts';
import { formatCount } from '../format-number.ts';
import { isOfFrames, whyLost } from './why-lost.ts';

/** Content that can be lost. Deformers are extensions that Ossify plays: corrective shapes, a second layer, Direct Delta Mush. */
export type LossKind = Exclude<keyof Contents, 'vertices' | 'skins' | 'influences'> | 'deformers';

/** Something that an input holds and the result does not. */
export interface Loss {
  kind: LossKind;
  /** As "16 morph targets". */
  what: string;
  /** Names of what is lost, if it has names. */
  names?: string[];
  /** As "materials of FBX have no slot for this map". */
  reason: string;
}

/** What a loss is judged by. */
export interface LossRule {
  /** Name of the command. */
  command: string;
  /** What the command is there to replace. */
  replaces: readonly LossKind[];
  /** Extension of the output, as .fbx. */
  format: string;
  /** Extensions that the result had as a GLB, before it was written in this format. */
  made?: readonly string[];
}

const NOUNS: Record<LossKind, readonly [one: string, many: string]> = {
  meshes: ['mesh', 'meshes'],
  parts: ['part', 'parts'],
  triangles: ['triangle', 'triangles'],
  materials: ['material', 'materials'],
  images: ['texture', 'textures'],
  uvSets: ['UV set', 'UV sets'],
  colorSets: ['colour set', 'colour sets'],
  tangents: ['part with tangents', 'parts with tangents'],
  morphTargets: ['morph target', 'morph targets'],
  joints: ['joint', 'joints'],
  nodes: ['node', 'nodes'],
  extras: ['custom property', 'custom properties'],
  animations: ['animation', 'animations'],
  cameras: ['camera', 'cameras'],
  lights: ['light', 'lights'],
  deformers: ['deformer', 'deformers'],
  extensions: ['extension', 'extensions'],
};

/** Kinds whose names say what they are. */
const NAMED: readonly LossKind[] = ['deformers', 'extensions'];

/** What a morph target without a name is called. */
const UNNAMED = /^target \d+$/;

/** Names that a sentence lists. */
const MAX_NAMES = 3;

/** What frames of positions stand for. */
const POSES: readonly LossKind[] = ['joints', 'nodes', 'morphTargets', 'animations', 'deformers'];

/** Extensions that say how numbers or images are stored, or what is counted apart. */
const STORAGE =
  /^(KHR_draco_mesh_compression|(EXT|KHR)_meshopt_compression|KHR_mesh_quantization|OSSIFY_compact_skin|KHR_texture_basisu|EXT_texture_webp|EXT_texture_avif|KHR_lights_punctual)$/;

const DEFORMER = /^OSSIFY_/;

/** Kinds that are equal by their names: one of two equal images is none lost. */
const UNIQUE: readonly LossKind[] = ['images', 'extras', 'deformers', 'extensions'];

/** Extensions that people know by other names. */
const KNOWN: Readonly<Record<string, string>> = {
  VRM: 'avatar data (VRM)',
  VRMC_vrm: 'avatar data (VRM)',
  KHR_materials_variants: 'material variants',
  KHR_texture_transform: 'texture transforms',
  KHR_animation_pointer: 'animated properties (KHR_animation_pointer)',
  OSSIFY_direct_delta_mush: 'Direct Delta Mush',
  OSSIFY_two_layer_skin: 'second layer of the skin',
  OSSIFY_helper_bones: 'controllers of helper bones',
  OSSIFY_skin_correction: 'corrective shapes',
  OSSIFY_skin_blend: 'blending of the skin',
  OSSIFY_skin_light: 'precomputed light',
  OSSIFY_shape_drivers: 'drivers of bones by shapes',
};

/** Everything that `before` has and `after` lacks, unless the command replaces it. */
export function listLosses(before: Contents, after: Contents, rule: LossRule): Loss[] {
  const replaced = isOfFrames(rule.format) ? [...rule.replaces, ...POSES] : rule.replaces;
  const kinds = (Object.keys(NOUNS) as LossKind[]).filter((kind) => !replaced.includes(kind));
  const losses = kinds.flatMap((kind): Loss[] => {
    const lost = findLoss(kind, before, after);
    if (!lost) return [];
    const { what, names, isRenamed } = lost;
    return [{ kind, what, ...(names.length > 0 ? { names } : {}), reason: whyLost(kind, isRenamed, rule) }];
  });
  return [...losses, ...listUnplayed(after, rule, losses)];
}

/** What the command made, and the format cannot hold. Corrective shapes become morph targets. */
function listUnplayed(after: Contents, rule: LossRule, losses: readonly Loss[]): Loss[] {
  const told = losses.find(({ kind }) => kind === 'deformers')?.names ?? [];
  const [made, kept] = [rule.made ?? [], after.extensions].map(listDeformers);
  const isTold = (name: string): boolean => told.includes(name) || name === KNOWN.OSSIFY_skin_correction;
  const lost = made.filter((name) => !kept.includes(name) && !isTold(name));
  if (lost.length === 0) return [];
  return [
    {
      kind: 'deformers',
      what: countOf('deformers', lost.length),
      names: lost,
      reason: whyLost('deformers', false, rule),
    },
  ];
}

/** Sentences for people, one per reason: "16 morph targets ("smile", "blink", "jaw", and 13 more) and 2 textures dropped: …". */
export function describeLosses(losses: readonly Loss[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const loss of losses) byReason.set(loss.reason, [...(byReason.get(loss.reason) ?? []), describeLoss(loss)]);
  return [...byReason].map(([reason, things]) => `${joinWords(things)} dropped: ${reason}`);
}

function describeLoss({ kind, what, names = [] }: Loss): string {
  if (NAMED.includes(kind)) return joinWords(names);
  const named = kind === 'images' ? [] : [...new Set(names)].filter(Boolean);
  const shown = named.slice(0, MAX_NAMES).map((name) => quoteName(name));
  const more = named.length > shown.length ? `, and ${named.length - shown.length} more` : '';
  return `${what}${shown.length > 0 ? ` (${shown.join(', ')}${more})` : ''}`;
}

const joinWords = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words.join('');

interface Found {
  what: string;
  names: string[];
  /** Only names are lost. */
  isRenamed: boolean;
}

function findLoss(kind: LossKind, before: Contents, after: Contents): Found | undefined {
  const [left, right] = [thingsOf(before, kind), thingsOf(after, kind)];
  if (typeof left === 'number' || typeof right === 'number') {
    const count = Number(left) - Number(right);
    return count > 0 ? { what: countOf(kind, count), names: [], isRenamed: false } : undefined;
  }
  const isUnique = UNIQUE.includes(kind);
  const names = isUnique ? left.filter((name) => !right.includes(name)) : listMissing(left, right);
  const count = isUnique ? names.length : left.length - right.length;
  if (count > 0) return { what: countOf(kind, count), names, isRenamed: false };
  const lost = names.filter((name) => name !== '' && !(kind === 'morphTargets' && UNNAMED.test(name)));
  if (lost.length === 0) return undefined;
  return { what: `${formatCount(lost.length, 'name')} of ${NOUNS[kind][1]}`, names: lost, isRenamed: true };
}

const countOf = (kind: LossKind, count: number): string => formatCount(count, ...NOUNS[kind]);

const nameOf = (extension: string): string => KNOWN[extension] ?? extension;

const listDeformers = (extensions: readonly string[]): string[] =>
  extensions.filter((name) => DEFORMER.test(name) && !STORAGE.test(name)).map(nameOf);

/** A number of things, or their names. */
function thingsOf(contents: Contents, kind: LossKind): number | readonly string[] {
  const { extensions, animations, images } = contents;
  if (kind === 'animations') return animations.map(({ name }) => name);
  if (kind === 'images') return [...new Set(images)];
  const known = extensions.filter((name) => !STORAGE.test(name));
  if (kind === 'deformers') return listDeformers(extensions);
  if (kind === 'extensions') return known.filter((name) => !DEFORMER.test(name)).map(nameOf);
  return contents[kind];
}

/** Names without an equal one. Formats write other characters into names, and number those that repeat. */
function listMissing(before: readonly string[], after: readonly string[]): string[] {
  const plain = (name: string): string =>
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, '')
      .replace(/(?<=\D)\d+$/, '');
  const kept = new Set(after.map(plain));
  return before.filter((name) => !kept.has(plain(name)));
}
