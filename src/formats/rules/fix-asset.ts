// SPDX-License-Identifier: MIT
import type { Asset, GltfSource } from '../../core/model/asset.ts';
import { normalizeAxes } from '../../core/model/mesh/normalize-axes.ts';
import { readAsset } from '../assets/index.ts';
import { readScene, type Scene, writeFittedGlb } from '../gltf/index.ts';
import { fitScene, type Target } from '../targets/index.ts';
import type { Finding } from './finding.ts';
import { fixScene } from './fix-scene.ts';
import { listFixable } from './list-fixable.ts';
import { isReaderRule } from './list-reader-findings.ts';
import { describeBound, makeSubject } from './make-subject.ts';

/** A repaired asset. */
export interface FixedAsset {
  asset: Asset;
  /** The rules whose fix was made. Repairs of the reader are in the asset already. */
  fixed: string[];
}

/**
 * Repairs what can be repaired of an asset, and fits it to a target. The asset is not changed; one without a fault that can be repaired is returned as it is.
 * @param findings what checkFile found: faults of how the file is stored are gone once its scene is written anew
 * @param log receives a sentence about everything that could not be kept or repaired
 */
export async function fixAsset(
  asset: Asset,
  findings: readonly Finding[],
  { target, log }: { target?: Target; log?: (message: string) => void } = {},
): Promise<FixedAsset> {
  const bound = describeBound(asset);
  if (bound !== undefined) {
    log?.(`the file holds ${bound}, which a new scene would lose: only what the reader repairs is repaired`);
    return { asset, fixed: [] };
  }
  const upright = asset.source ? asset : normalizeAxes(asset);
  const before = await makeSubject(upright);
  const { scene, fixed } = fixScene(before, listFixable(asset));
  const fitted = target ? fitScene(scene, target, log) : scene;
  const isStoredAnew = findings.some(({ rule, canFix }) => canFix && !isReaderRule(rule));
  if (fitted === before.scene && asset.source && !isStoredAnew) return { asset, fixed };
  return { asset: await makeAsset(fitted, before.scene, asset), fixed };
}

/** The asset of a changed scene. Materials with extensions that a scene does not hold are kept where their order is the same. */
async function makeAsset(scene: Scene, before: Scene, { source, name, byteLength }: Asset): Promise<Asset> {
  const isSame =
    scene.look.images === before.look.images &&
    scene.look.materials.length === before.look.materials.length &&
    scene.look.materials.every(({ color }, m) => color === before.look.materials[m].color);
  if (!source || !isSame) return readScene(scene, byteLength, { name });
  const bytes = writeFittedGlb(scene, renameMaterials(source, scene));
  return { ...(await readAsset([{ name: `${name}.glb`, bytes }])), name };
}

function renameMaterials(source: GltfSource, { look }: Scene): GltfSource {
  const { materials } = source.json;
  if (!Array.isArray(materials)) return source;
  const renamed = materials.map((one: object, m) => ({ ...one, name: look.materials[m].name }));
  return { ...source, json: { ...source.json, materials: renamed } };
}
