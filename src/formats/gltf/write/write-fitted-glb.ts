// SPDX-License-Identifier: MIT
import type { GltfSource } from '../../../core/model/asset.ts';
import { jsonOf } from '../document/gltf-json.ts';
import { GLB_BINARY } from '../document/load-gltf-resources.ts';
import { packGlb } from '../document/pack-glb.ts';
import { makeFittedSource } from '../scene/make-fitted-source.ts';
import type { Scene } from '../scene/scene.ts';

/** Writes a GLB of a scene that was made of a source and changed since, with the materials and textures of the source. */
export function writeFittedGlb(scene: Scene, source: GltfSource): Uint8Array<ArrayBuffer> {
  const fitted = makeFittedSource(scene, source);
  return packGlb(jsonOf(fitted), fitted.resources[GLB_BINARY]);
}
