// SPDX-License-Identifier: MIT
import { FormatError } from '../../core/model/errors.ts';
import type { AssetFormat } from '../shared/index.ts';
import { ASSET_FORMATS } from './asset-formats.ts';

/** First bytes of files that this project does not read, and what they are. */
const OTHERS: readonly [start: string, what: string][] = [
  ['BLENDER', 'a Blender scene'],
  ['\x28\xb5\x2f\xfd', 'a compressed file (perhaps a Blender scene)'],
  ['\x1f\x8b', 'a gzip archive'],
  ['//Maya', 'a Maya scene'],
  ['FOR4', 'a Maya scene'],
  ['FOR8', 'a Maya scene'],
];

/** First line of the small text files that Git LFS leaves in place of files it has not fetched. */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1';

const ADVICE = 'export glTF (.glb), FBX, Alembic (.abc), USD, or OBJ with a PC2 or MDD point cache, instead';

/**
 * Finds the format of a file: by its first bytes if they tell, otherwise by its extension. An MDD has no magic number, but begins
 * with its number of frames, which is too large in a file that begins as another format.
 */
export function sniffFormat(name: string, bytes: Uint8Array): AssetFormat {
  const extension = /\.([^./\\]*)$/.exec(name)?.[1].toLowerCase() ?? '';
  if (bytes.length === 0) throw new FormatError(extension || 'unknown', 'empty', 'the file is empty');
  refuseLfsPointer(extension || 'unknown', bytes);
  const head = headOf(bytes);
  const known = ASSET_FORMATS.find(({ start }) => start?.test(head));
  if (known) return known;
  for (const [start, what] of OTHERS) {
    if (head.startsWith(start))
      throw new FormatError(extension || 'unknown', 'unsupported', `${what} is not read; ${ADVICE}`);
  }
  const named = ASSET_FORMATS.find(({ extensions }) => extensions.includes(extension));
  if (named) return named;
  const what = extension === '' ? 'a file without an extension' : `a .${extension} file`;
  throw new FormatError(extension || 'unknown', 'unsupported', `${what} of this kind is not read; ${ADVICE}`);
}

/** Throws if bytes are a Git LFS pointer. Every format that has no magic number would take it for a damaged file of its own. */
export function refuseLfsPointer(format: string, bytes: Uint8Array): void {
  if (!headOf(bytes).startsWith(LFS_POINTER)) return;
  throw new FormatError(format, 'resource', 'it is a Git LFS pointer, not the file itself; run git lfs pull');
}

function headOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 64));
}
