// SPDX-License-Identifier: MIT
import { FormatError } from '../model/errors.ts';

export type AssetFormat = 'gltf' | 'obj' | 'pc2' | 'mdd';

/** First bytes of unsupported formats, and their names. */
const OTHERS: readonly [start: string, what: string][] = [
  ['Kaydara FBX Binary', 'FBX'],
  ['; FBX', 'FBX'],
  ['Ogawa', 'Alembic'],
  ['\x89HDF', 'Alembic (HDF5)'],
  ['PXR-USDC', 'USD'],
  ['#usda', 'USD'],
  ['PK\x03\x04', 'a ZIP archive (perhaps USDZ)'],
  ['BLENDER', 'a Blender scene'],
  ['\x28\xb5\x2f\xfd', 'a compressed file (perhaps a Blender scene)'],
  ['\x1f\x8b', 'a gzip archive'],
  ['//Maya', 'a Maya scene'],
  ['FOR4', 'a Maya scene'],
  ['FOR8', 'a Maya scene'],
  ['ply', 'PLY'],
  ['solid', 'STL'],
];

const ADVICE = 'export glTF (.glb), or OBJ with a PC2 or MDD point cache, instead';

/** Returns the format of a file: by its first bytes if they identify it, otherwise by its extension. */
export function sniffFormat(name: string, bytes: Uint8Array): AssetFormat {
  const extension = /\.([^./\\]*)$/.exec(name)?.[1].toLowerCase() ?? '';
  if (bytes.length === 0) throw new FormatError(extension || 'unknown', 'empty', 'the file is empty');
  const head = String.fromCharCode(...bytes.subarray(0, 64));
  if (head.startsWith('glTF')) return 'gltf';
  if (head.startsWith('POINTCACHE2')) return 'pc2';
  // The four supported extensions are tested before the first bytes of other formats, because an MDD may begin with any bytes.
  if (extension === 'mdd' || extension === 'pc2') return extension;
  for (const [start, what] of OTHERS) {
    if (head.startsWith(start))
      throw new FormatError(extension || 'unknown', 'unsupported', `${what} is not read; ${ADVICE}`);
  }
  if (/^(\xef\xbb\xbf)?\s*\{/.test(head) || extension === 'gltf' || extension === 'glb') return 'gltf';
  if (extension === 'obj') return 'obj';
  const what = extension === '' ? 'a file without an extension' : `a .${extension} file`;
  throw new FormatError(extension || 'unknown', 'unsupported', `${what} of this kind is not read; ${ADVICE}`);
}
