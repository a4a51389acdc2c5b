// SPDX-License-Identifier: MIT
import { FormatError } from '../../core/model/errors.ts';
import type { Scene } from '../gltf/index.ts';
import { type InputFile, plainName, readNamed } from '../shared/index.ts';
import { sniffFormat } from './sniff-format.ts';

/** Reads the nodes and the animations of a file that needs no mesh: BVH, FBX, glTF or USD. Throws a FormatError on a bad file, and if its format has no animations of joints. */
export async function readMotion(
  file: InputFile,
  options: { resolve?: (uri: string) => Promise<Uint8Array>; log?: (message: string) => void } = {},
): Promise<Scene> {
  const format = sniffFormat(file.name, file.bytes);
  const load = format.kind === 'scene' ? await format.loadScene?.() : undefined;
  if (!load)
    throw new FormatError(
      format.name,
      'mismatch',
      `${format.label} holds no animation of joints`,
      undefined,
      file.name,
    );
  return readNamed(file, () => load(file.bytes, { ...options, name: plainName(file.name) }));
}
