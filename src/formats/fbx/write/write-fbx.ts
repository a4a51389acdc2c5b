// SPDX-License-Identifier: MIT
import type { Asset } from '../../../core/model/asset.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { SkinContent } from '../../gltf/index.ts';
import { makeClipScene, makeSkinScene } from './content/make-content-scene.ts';
import { writeFbxScene } from './write-fbx-scene.ts';

/** What can be written: the clips of the asset as blend shapes, or bones, weights and motions. */
export type FbxContent = { kind: 'clip' } | SkinContent;

/** Options of writeFbx. */
export interface WriteFbxOptions {
  /** Length unit of the numbers: the asset's own, or centimetres, which some engines expect whatever a file declares. Default 'asset'. */
  unit?: 'asset' | 'cm';
  /** Receives a sentence about everything that could not be kept. */
  log?: (message: string) => void;
}

/** Defaults of WriteFbxOptions. */
export const WRITE_FBX_DEFAULTS = { unit: 'asset' } as const;

/**
 * Writes FBX 7.4 binary: triangles, normals, UVs, colours, and materials with their images; limb nodes whose y axis runs along the bone; skin
 * clusters; an animation stack per motion; blend shapes with animated weights. Units and axes are declared.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { makePlainContent, writeFbx } from 'ossify';
 *
 * await writeFile('out.fbx', writeFbx(asset, makePlainContent(asset, { kind: 'clip' })));
 * ```
 */
export function writeFbx(
  asset: Asset,
  content: FbxContent = { kind: 'clip' },
  options: WriteFbxOptions = {},
): Uint8Array<ArrayBuffer> {
  const { log, unit } = options;
  const mesh = content.kind === 'skin' ? content.model.mesh : asset.mesh;
  if (mesh.triangles.length === 0) throw new InputError('writeFbx', 'the mesh has no triangles to write');
  const scene = content.kind === 'skin' ? makeSkinScene(asset, content, log) : makeClipScene(asset);
  const { name, up, metresPerUnit } = asset;
  return writeFbxScene(scene, { name, up, metresPerUnit, unit, log });
}
