// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { listScene, type Scene } from '../gltf/index.ts';
import { isAvatarExtension } from '../vrm/index.ts';
import type { Subject } from './rule.ts';

/** The scene of an asset, for rules. A mesh of a format without scenes is drawn by one node. */
export async function makeSubject(asset: Asset): Promise<Subject> {
  const { up, metresPerUnit } = asset;
  return { scene: asset.source ? await listScene(asset.source) : makeScene(asset), up, metresPerUnit };
}

function makeScene({ mesh, name }: Asset): Scene {
  return {
    nodes: {
      names: [name],
      parents: Int32Array.of(-1),
      translations: new Float64Array(3),
      rotations: Float64Array.of(0, 0, 0, 1),
      scales: Float64Array.of(1, 1, 1),
    },
    shapes: [{ node: 0, mesh, targets: [] }],
    animations: [],
    look: { materials: [], images: [] },
  };
}

/**
 * Why the scene of an asset cannot be written anew: it has data that names nodes, meshes or materials, or that a scene does not hold. Undefined if it can.
 */
export function describeBound({ source, clips, sequence, correction }: Asset): string | undefined {
  if (clips.length > 0 || sequence) return 'frames of positions';
  if (correction) return 'corrective shapes';
  const { extensionsUsed: used } = (source?.json ?? {}) as { extensionsUsed?: unknown };
  const names: readonly unknown[] = Array.isArray(used) ? used : [];
  if (names.some((name) => typeof name === 'string' && isAvatarExtension(name))) return 'an avatar (VRM)';
  const own = names.find((name) => typeof name === 'string' && /^OSSIFY_(?!compact)/.test(name));
  return own === undefined ? undefined : `${String(own)}`;
}
