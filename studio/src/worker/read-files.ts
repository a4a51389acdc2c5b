// SPDX-License-Identifier: MIT
import { type Asset, readAsset } from '../../../src/entry/index.ts';
import { MODEL_EXTENSIONS } from '../files/group-files.ts';
import type { FileBytes, ReadOptions } from '../messages/protocol.ts';
import { baseName, findResource } from './version-views.ts';

const MODEL = new RegExp(`\\.(${MODEL_EXTENSIONS.join('|')})$`, 'i');
const CACHE = /\.(pc2|mdd)$/i;

/** The files of an input that hold models; the others are their buffers and images. */
export function listModels(files: readonly FileBytes[]): FileBytes[] {
  return files.filter(({ name }) => MODEL.test(name));
}

/** Reads files that belong together. */
export async function readFiles(
  files: readonly FileBytes[],
  { hasRest, ...options }: ReadOptions,
): Promise<{ asset: Asset; notes: string[] }> {
  const notes: string[] = [];
  const models = listModels(files);
  if (models.length === 0) {
    const known = MODEL_EXTENSIONS.map((extension) => `.${extension}`);
    throw new Error(
      `${baseName(files[0].name)}: this kind of file is not read; give a ${known.slice(0, -2).join(', ')}, with ${known.slice(-2).join(' or ')}`,
    );
  }
  // with a rest pose, the reader names the file that differs from it
  const isSeries = !hasRest && models.filter(({ name }) => !CACHE.test(name)).length > 1;
  const asset = await readAsset(hasRest ? models.slice(1) : models, {
    ...options,
    rest: hasRest ? models[0] : undefined,
    log: (remark) => notes.push(remark),
    resolve: async (uri) => findResource(files, uri),
    ...(isSeries && { topology: 'any' }),
  });
  const { sequence } = asset;
  if (sequence && isSeries) {
    const extension = /\.[^.]*$/.exec(models[0].name)?.[0] ?? '';
    throw new Error(describeScans(sequence.frames.length, `'folder/*${extension}'`));
  }
  if (sequence) notes.push(describeScans(sequence.frames.length, baseName(models[0].name)));
  return { asset, notes };
}

/** What to do with frames that are no clip: the page does not track. */
function describeScans(frameCount: number, input: string): string {
  return `The ${frameCount} frames have different vertices or faces, as scans have; make a clip of them on the command line, and open that: ossify track ${input} out.glb`;
}
