// SPDX-License-Identifier: MIT
import { type Asset, FormatError, readAsset } from '../../src/index.ts';
import { MODEL_EXTENSIONS } from './group-files.ts';
import type { FileBytes, ReadOptions } from './protocol.ts';
import { baseName, findResource } from './version-views.ts';

const MODEL = new RegExp(`\\.(${MODEL_EXTENSIONS.join('|')})$`, 'i');

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
  try {
    const asset = await readAsset(hasRest ? models.slice(1) : models, {
      ...options,
      rest: hasRest ? models[0] : undefined,
      log: (remark) => notes.push(remark),
      resolve: async (uri) => findResource(files, uri),
    });
    if (asset.sequence) notes.push(describeScans(asset.sequence.frames.length, baseName(models[0].name)));
    return { asset, notes };
  } catch (error) {
    if (!(models.length > 1 && error instanceof FormatError && error.code === 'mismatch')) throw error;
    const extension = /\.[^.]*$/.exec(models[0].name)?.[0] ?? '';
    throw new Error(describeScans(models.length, `'folder/*${extension}'`), { cause: error });
  }
}

/** What to do with frames that are no clip: the page does not track. */
function describeScans(frameCount: number, input: string): string {
  return `The ${frameCount} frames have different vertices or faces, as scans have; make a clip of them on the command line, and open that: ossify track ${input} out.glb`;
}
