// SPDX-License-Identifier: MIT
// One file, several players: Ossify's run-time evaluates everything in it, other viewers its plain skin, and many of those with four weights per vertex.

import type { Asset } from '../core/model/asset.ts';
import { maxInfluencesOf, type Skin, SkinBuilder } from '../core/model/skin/skin.ts';
import type { PlayedClip } from '../deformers/playback/index.ts';
import { type MeasureWrittenOptions, measureWritten, type Written } from './measure-written.ts';

/** runtime: everything in the file. plain: bones, weights and morph targets, without extensions. four: the same with the four largest weights of each vertex. */
export type Player = 'runtime' | 'plain' | 'four';

/** Weights per vertex that every viewer of glTF reads. */
export const COMMON_INFLUENCES = 4;

export interface MeasureForOptions extends Omit<MeasureWrittenOptions, 'sources'> {
  player: Player;
}

/**
 * Measures a written file as a player shows it against motions.
 * @param references listReferences of the input, or the clips that were solved
 */
export function measureFor(
  written: Asset,
  references: readonly PlayedClip[],
  { player, ...options }: MeasureForOptions,
): Promise<Written> {
  return measureWritten(
    assetFor(written, player),
    references.map(({ clip }) => clip),
    { ...options, sources: references.map(({ source }) => source) },
  );
}

/** A file as a player shows it. */
export function assetFor(asset: Asset, player: Player): Asset {
  if (player === 'runtime') return asset;
  const { ddm: _ddm, twoLayer: _two, linearTwoLayer: _linear, helpers: _helpers, blend: _blend, ...rest } = asset;
  const { correction: _correction, driven: _driven, ...plain } = rest;
  const { rig } = plain;
  if (player === 'plain' || !rig) return plain;
  return { ...plain, rig: { ...rig, skin: keepFour(rig.skin) } };
}

/** The players that show a file otherwise than Ossify's run-time does. */
export function listOtherPlayers(asset: Asset): Exclude<Player, 'runtime'>[] {
  const { ddm, twoLayer, linearTwoLayer, helpers = [], blend, correction, rig } = asset;
  const isRicher = [ddm, twoLayer, linearTwoLayer, blend, correction].some((one) => one !== undefined);
  const players: Exclude<Player, 'runtime'>[] = isRicher || helpers.length > 0 ? ['plain'] : [];
  if (rig && maxInfluencesOf(rig.skin) > COMMON_INFLUENCES) players.push('four');
  return players;
}

/** The four largest weights of each vertex, scaled to a sum of one, as three.js does. */
function keepFour({ rowStart, boneIndices, weights }: Skin): Skin {
  const vertexCount = rowStart.length - 1;
  const builder = new SkinBuilder(vertexCount, COMMON_INFLUENCES * vertexCount);
  for (let i = 0; i < vertexCount; i++) {
    const entries = Array.from({ length: rowStart[i + 1] - rowStart[i] }, (_, n) => rowStart[i] + n);
    entries.sort((a, b) => weights[b] - weights[a]);
    for (const e of entries.slice(0, COMMON_INFLUENCES)) builder.add(boneIndices[e], weights[e]);
    builder.endRow(0);
  }
  return builder.finish();
}
