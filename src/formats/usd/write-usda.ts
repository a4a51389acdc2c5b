// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { sceneOfAsset } from './write/scene-of-asset.ts';
import { writeUsdScene } from './write/write-usd-scene.ts';

/** Options of writeUsda. */
export interface WriteUsdOptions {
  /** Receives a sentence about everything that could not be kept. */
  log?: (message: string) => void;
}

/**
 * Writes an asset as text USD: its mesh, and its first clip as sampled points, or its plain skin, morph targets and animations as UsdSkel. A stage plays one
 * animation: the first is bound, the others are stored beside it.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { writeUsda } from 'ossify';
 *
 * await writeFile('out.usda', writeUsda(asset, { log: console.warn }));
 * ```
 */
export function writeUsda(asset: Asset, options: WriteUsdOptions = {}): Uint8Array<ArrayBuffer> {
  return writeUsdAsset(asset, 'usda', options);
}

/** Writes an asset without its glTF, or frames of positions. */
export function writeUsdAsset(
  asset: Asset,
  form: 'usda' | 'usdc' | 'usdz',
  { log }: WriteUsdOptions = {},
): Uint8Array<ArrayBuffer> {
  const { name, up, metresPerUnit, clips } = asset;
  const [clip] = clips;
  if (clips.length > 1) log?.(`USD holds one cache per mesh; only "${clip.name}" of ${clips.length} clips is written`);
  const bare = { ...asset, rig: undefined, morphs: undefined, animations: [], nodes: NO_NODES };
  const settings = { name, up: up === 'z' ? up : 'y', metresPerUnit, form, log } as const;
  const { bytes } = writeUsdScene(sceneOfAsset(clip ? { ...bare, mesh: clip.mesh } : asset), {
    ...settings,
    ...(clip ? { clip } : {}),
  });
  return bytes;
}

const NO_NODES: Asset['nodes'] = {
  ...{ names: [], parents: new Int32Array(0), translations: new Float64Array(0) },
  ...{ rotations: new Float64Array(0), scales: new Float64Array(0) },
};
