// SPDX-License-Identifier: MIT
// Why a result lacks something: what formats cannot hold, in the words of the format.
import type { LossKind, LossRule } from './list-losses.ts';

/** Kinds of content, and their names where only these are lost. */
type Reasons = Readonly<Partial<Record<LossKind | 'names', string>>>;

const USD: Reasons = {
  extensions: 'USD has no place for data of glTF extensions',
  deformers: 'UsdSkel deforms by linear skins and blend shapes only',
  images: 'UsdPreviewSurface has no input for this map, or packages do not hold this type of image',
  extras: 'USD holds numbers, texts, and lists and dictionaries of them',
};

const FRAMES = (format: string): Reasons => {
  const text = `${format} holds the positions of vertices only`;
  const kinds: (LossKind | 'names')[] = [
    ...['materials', 'images', 'uvSets', 'colorSets', 'tangents', 'meshes', 'parts', 'extras', 'cameras', 'lights'],
    ...['extensions', 'names'],
  ] as (LossKind | 'names')[];
  return Object.fromEntries(kinds.map((kind) => [kind, text]));
};

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
  '.abc': FRAMES('ABC'),
  '.pc2': FRAMES('PC2'),
  '.mdd': FRAMES('MDD'),
  '.obj': FRAMES('OBJ'),
};

/** Formats of positions: they have joints, nodes and animations as frames. */
export const isOfFrames = (format: string): boolean => /^\.(abc|pc2|mdd|obj)$/.test(format);

/** As "FBX has no place for data of glTF extensions"; where the format could hold it, the command that does not keep it. */
export function whyLost(kind: LossKind, isRenamed: boolean, { command, format }: LossRule): string {
  const reason = REASONS[format]?.[isRenamed ? 'names' : kind];
  if (reason !== undefined) return reason;
  return `${command} to ${format.slice(1).toUpperCase() || 'this format'} does not keep ${isRenamed ? 'these names' : 'this'}`;
}
