// SPDX-License-Identifier: MIT
import type { Document } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import type { GltfRepairs } from './gltf-repairs.ts';
import { repairGltfBinds } from './repair-gltf-binds.ts';
import { repairGltfKeys } from './repair-gltf-keys.ts';
import { repairGltfVertices } from './repair-gltf-vertices.ts';
import { SourcePatch } from './source-patch.ts';

/**
 * Repairs the numbers of a checked glTF: vertices, inverse bind matrices and keys. The source is not changed.
 * @param document the source, opened for reading
 * @returns the repaired source; undefined if nothing had to be repaired
 */
export function repairGltfSource(document: Document, source: GltfSource, repairs: GltfRepairs): GltfSource | undefined {
  const patch = new SourcePatch(source);
  repairGltfVertices(document, patch, repairs);
  repairGltfBinds(document, patch, repairs);
  repairGltfKeys(document, patch, repairs);
  return patch.finish();
}
