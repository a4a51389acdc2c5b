// SPDX-License-Identifier: MIT

import { needsNormals, type SkinLight } from '../../../core/model/deformed/skin-light.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { decodeSkinLight, LIGHT_EXTENSION, LIGHT_FIELDS } from '../../../deformers/light/index.ts';
import type { SkinnedPrimitive } from './read-primitive-model.ts';

/** Reads the light of a primitive, if it has one. Unknown versions are ignored, with a warning. Throws a FormatError if the data is invalid. */
export async function readPrimitiveLight(
  primitive: SkinnedPrimitive,
  note: (message: string) => void,
): Promise<SkinLight | undefined> {
  if (primitive.def.extensions?.[LIGHT_EXTENSION] === undefined) return undefined;
  try {
    const source = await primitive.loadExtension(LIGHT_EXTENSION, LIGHT_FIELDS);
    const light = decodeSkinLight(source, primitive.animationNames);
    if (needsNormals(light) && !primitive.geometry.getAttribute('normal'))
      throw new FormatError('gltf', 'mismatch', `${source.where} depends on normals, and the mesh has none`);
    return light;
  } catch (error) {
    if (!(error instanceof FormatError && error.code === 'version')) throw error;
    note(error.fault);
    return undefined;
  }
}
