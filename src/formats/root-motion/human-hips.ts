// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { listTreeOrder } from '../gltf/index.ts';
import { findHumanNode } from '../vrm/index.ts';

/** The place in the node tree of the hips of an avatar; undefined if the asset is none. */
export function findHumanHips({ source }: Asset): number | undefined {
  const node = source && findHumanNode(source.json, 'hips');
  if (!source || node === undefined) return undefined;
  const place = listTreeOrder(source).indexOf(node);
  return place < 0 ? undefined : place;
}
