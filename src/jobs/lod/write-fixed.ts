// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { type GlbContent, type WriteGlbOptions, writeCompactGlb, writeSmallGlb } from '../../formats/gltf/index.ts';
import { LOOK, type SizeCodec } from '../shared/index.ts';

/** Steps relative to an error that vertices may have: positions and motion together stay below a fifth of it. */
const STEP = 0.1;
const WEIGHT_STEPS = 85;

export interface WriteFixedOptions {
  /** Largest error, file units. */
  limit: number;
  codec?: SizeCodec;
  storing: WriteGlbOptions;
}

/** Writes a small file with steps that follow from an error, without a search: for content that has no frames to compare with. */
export async function writeFixed(
  asset: Asset,
  content: GlbContent,
  { limit, codec = 'auto', storing: { shading, log } }: WriteFixedOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const precision = {
    ...LOOK,
    ...{ positionStep: STEP * limit, motionStep: STEP * limit, aim: 'max' as const, weightSteps: WEIGHT_STEPS },
  };
  if (codec === 'ossify') return (await writeCompactGlb(asset, content, precision, { shading, log })).bytes;
  const codecs = codec === 'auto' ? (['draco', 'meshopt'] as const) : [codec];
  const files = await Promise.all(
    codecs.map((meshes) => writeSmallGlb(asset, content, precision, { shading, log, meshes })),
  );
  return files.map(({ bytes }) => bytes).reduce((a, b) => (b.length < a.length ? b : a));
}
