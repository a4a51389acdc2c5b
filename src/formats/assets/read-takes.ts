// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { FormatError } from '../../core/model/errors.ts';
import { type AssetFormat, baseName, type InputFile, plainName, readNamed } from '../shared/index.ts';
import type { TakeFile } from '../takes/index.ts';
import type { ReadAssetOptions } from './read-asset.ts';

/**
 * Reads files as takes: animations for a character that is in another file. Undefined if they are frames of a sequence: the first has a mesh, and no animation that
 * could move the character.
 * @param character the asset of the first file
 */
export async function readTakes(
  files: readonly InputFile[],
  formatOf: (file: InputFile) => AssetFormat,
  character: Asset,
  options: ReadAssetOptions,
): Promise<TakeFile[] | undefined> {
  const { rig, morphs, nodes, source, clips, sequence } = character;
  if (!source || clips.length > 0 || sequence) return undefined;
  const isMovable = rig !== undefined || morphs !== undefined || nodes.names.length > 1;
  const takes: TakeFile[] = [];
  for (const file of files) {
    const format = formatOf(file);
    const load = format.kind === 'scene' ? await format.loadScene?.() : undefined;
    if (!load && takes.length === 0) return undefined;
    if (!load)
      throw new FormatError(
        format.name,
        'mismatch',
        `${format.label} holds no animation of joints, but ${baseName(files[0].name)} adds one to the character; name frames by themselves`,
        undefined,
        file.name,
      );
    const scene = await readNamed(file, () =>
      load(file.bytes, { ...optionsFor(file, options), name: plainName(file.name) }),
    );
    const isTake = scene.shapes.length === 0 || (isMovable && scene.animations.length > 0);
    if (!isTake && takes.length === 0) return undefined;
    takes.push({ file: file.name, format: format.name, scene, byteLength: file.bytes.length });
  }
  return takes;
}

/** Options for one of several files: its own folder, and repairs with its name. */
function optionsFor({ name }: InputFile, { resolve, log, maxMemory, fps }: ReadAssetOptions) {
  return {
    ...{ maxMemory, fps },
    ...(resolve ? { resolve: (uri: string) => resolve(uri, name) } : {}),
    // how its mesh and its materials are understood does not matter
    log: (message: string, kind?: 'repair') => {
      if (kind === 'repair') log?.(`${baseName(name)}: ${message}`, kind);
    },
  };
}
