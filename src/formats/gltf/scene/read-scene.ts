// SPDX-License-Identifier: MIT
import type { Asset } from '../../../core/model/asset.ts';
import type { ReadGltfOptions } from '../read/read-gltf-options.ts';
import { readGltfSource } from '../read-gltf.ts';
import { makeGltfSource } from './make-gltf-source.ts';
import type { Scene } from './scene.ts';

/**
 * Makes an asset of a scene that was read from another format, by way of glTF. Errors are FormatErrors of glTF, since the same checks are run.
 * @param byteLength bytes of the file
 */
export function readScene(scene: Scene, byteLength: number, options: ReadGltfOptions): Promise<Asset> {
  return readGltfSource(makeGltfSource(scene), byteLength, options);
}
