// SPDX-License-Identifier: MIT
// Why a result lacks something: what formats cannot hold, in the words of the format.
import { FRAMES_FORMATS } from '../../../formats/assets/index.ts';
import type { LossKind, LossRule } from './list-losses.ts';

/** Kinds of content, and their names where only these are lost. */
type Reasons = Readonly<Partial<Record<LossKind | 'names', string>>>;

const USD: Reasons = {
  extensions: 'USD has no place for data of glTF extensions',
  deformers: 'UsdSkel deforms by linear skins and blend shapes only',
  images: 'UsdPreviewSurface has no input for this map, or packages do not hold this type of image',
  extras: 'USD holds numbers, texts, and lists and dictionaries of them',
};

/** What no format of frames holds. */
const NOT_OF_FRAMES: readonly (LossKind | 'names')[] = [
  ...(['materials', 'images', 'uvSets', 'colorSets', 'tangents', 'meshes', 'parts', 'extras'] as const),
  ...(['cameras', 'lights', 'extensions', 'names'] as const),
];

const REASONS: Readonly<Record<string, Reasons>> = {
  '.fbx': {
    extensions: 'FBX has no place for data of glTF extensions',
    deformers: 'FBX deforms by skins and blend shapes only',
    images: 'materials of FBX have no slot for this map',
    extras: 'FBX holds numbers, texts and lists of them',
    names: 'models of FBX are found by their names, so a name that repeats is changed',
  },
  '.usda': USD,
  '.usdc': USD,
  '.usdz': USD,
};

/** Formats of positions: they have joints, nodes and animations as frames. */
export const isOfFrames = (format: string): boolean => FRAMES_FORMATS.has(format);

/** As "FBX has no place for data of glTF extensions"; where the format could hold it, the command that does not keep it. */
export function whyLost(kind: LossKind, isRenamed: boolean, { command, format }: LossRule): string {
  const what = isRenamed ? 'names' : kind;
  const name = format.slice(1).toUpperCase();
  if (isOfFrames(format) && NOT_OF_FRAMES.includes(what)) return `${name} holds the positions of vertices only`;
  return (
    REASONS[format]?.[what] ??
    `${command} to ${name || 'this format'} does not keep ${isRenamed ? 'these names' : 'this'}`
  );
}
