// SPDX-License-Identifier: MIT
import type { UpAxis } from '../../../core/model/asset.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import type { Scene } from '../../gltf/index.ts';
import { writeUsdcLayer } from './crate/write-usdc-layer.ts';
import { packUsdz } from './pack-usdz.ts';
import type { UsdImage } from './stage/add-usd-look.ts';
import { makeUsdStage } from './stage/make-usd-stage.ts';
import { makeUsdIdentifier } from './usd-names.ts';
import { writeUsdaLayer } from './write-usda-layer.ts';

/** Options of writeUsdScene. */
export interface WriteUsdSceneOptions {
  /** Name of the stage: of its file, without extension. */
  name: string;
  /** Axis that points up in the numbers of the scene. USD has no x axis up: turn such scenes first. */
  up: Exclude<UpAxis, 'x'>;
  /** Metres per unit of the numbers of the scene; 1 by default. */
  metresPerUnit?: number;
  /** Text, binary, or a package of binary USD with its images. */
  form: 'usda' | 'usdc' | 'usdz';
  /** Frames of positions of the vertices of all shapes, one after the other. */
  clip?: Clip;
  /** Receives a sentence about everything that could not be kept. */
  log?: (message: string) => void;
}

/** A stage, and the images that belong beside it. */
export interface UsdSceneFiles {
  bytes: Uint8Array<ArrayBuffer>;
  /** Files by paths relative to the stage; none of a package, which has them inside. */
  beside: UsdImage[];
}

/**
 * Writes a scene as USD: nodes with their names, meshes in parts, materials and images, a skeleton with its animations and blend shapes, cameras, lights and
 * custom properties.
 */
export function writeUsdScene(scene: Scene, options: WriteUsdSceneOptions): UsdSceneFiles {
  const { name, form } = options;
  // files beside the stage have its name first, since other stages may be there
  const prefix = form === 'usdz' ? 'textures/' : `${makeUsdIdentifier(name)}_`;
  const { layer, images } = makeUsdStage(scene, { ...options, prefix });
  if (form === 'usda') return { bytes: writeUsdaLayer(layer), beside: images };
  const bytes = writeUsdcLayer(layer);
  if (form === 'usdc') return { bytes, beside: images };
  return { bytes: packUsdz([{ path: `${makeUsdIdentifier(name)}.usdc`, bytes }, ...images]), beside: [] };
}
