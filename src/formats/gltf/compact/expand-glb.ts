// SPDX-License-Identifier: MIT

import { objectField } from '../../../deformers/layout/index.ts';
import { expandCompactSkin } from '../../compact-skin/index.ts';
import { packGlb } from '../document/pack-glb.ts';
import { splitGlb } from '../document/split-glb.ts';

/**
 * Makes a plain GLB of one that was written with `--for size --codec ossify`, for loaders that do not know OSSIFY_compact_skin. A file without the extension is
 * returned unchanged. Throws a FormatError if the file is damaged.
 * @example
 * ```ts
 * import { expandGlb } from 'ossify';
 *
 * const response = await fetch('model.glb');
 * const plain = expandGlb(new Uint8Array(await response.arrayBuffer()));
 * ```
 */
export function expandGlb(bytes: Uint8Array): Uint8Array {
  const { json, binary } = splitGlb(bytes);
  const file = { json: objectField(json, 'the glTF'), binary };
  const plain = expandCompactSkin(file);
  return plain === file ? bytes : packGlb(plain.json, plain.binary);
}
