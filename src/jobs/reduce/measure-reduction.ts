// SPDX-License-Identifier: MIT
// What a reduced file shows, and what it holds: errors at frames and between them, and counts of the file that was read back.

import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { maxInfluencesOf, type Skin } from '../../core/model/skin/skin.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import type { PosedAsset } from '../../fit/poses/index.ts';
import { type ErrorReport, measureFor, type Written } from '../../measure/index.ts';
import type { JobContext, ReportResult } from '../engine/index.ts';
import { type PlayerFields, reportPlayers } from '../report/index.ts';
import { playWritten } from '../shared/index.ts';

export interface MeasuredReduction extends Pick<Written, 'error' | 'between'> {
  clips: readonly { name: string; error: ErrorReport }[];
  /** The file. */
  asset: Asset;
  /** The plain skin beside two layers. */
  plain?: ErrorReport;
  /** What other players show. */
  players?: PlayerFields;
}

/**
 * Measures a reduced file in the poses of its input, or against a clip.
 * @param asset the file, read back
 */
export async function measureReduction(
  context: Pick<JobContext, 'compute' | 'measuring'>,
  asset: Asset,
  posed: PosedAsset,
  clip?: Clip,
): Promise<MeasuredReduction> {
  const played = playWritten(posed, asset);
  const references = clip ? [{ clip }] : listReferences(posed.asset);
  const options = { player: 'runtime', up: asset.up, compute: await context.compute(), ...context.measuring } as const;
  const measured = await measureFor(played, references, options);
  const players = await reportPlayers(context, played, references);
  if (!asset.linearTwoLayer) return { ...measured, asset, players };
  const plain = await measureFor({ ...played, linearTwoLayer: undefined }, references, options);
  return { ...measured, asset, players, plain: plain.error };
}

/** Its fields of the report. Those that a file without two layers lacks are undefined. */
export function reportReduction({ asset, between, clips, plain, players }: MeasuredReduction): ReportResult {
  const brief = ({ eRms, rmse, max, p99, normalDegrees }: ErrorReport) => ({ eRms, rmse, max, p99, normalDegrees });
  const { rig, linearTwoLayer } = asset;
  return {
    ...(rig ? { bones: countWeighted(rig.skin), jointsAfter: rig.isJoint.reduce((sum, is) => sum + is, 0) } : {}),
    virtualBones: linearTwoLayer && linearTwoLayer.virtualBones.rowStart.length - 1,
    influences: maxInfluencesOf((linearTwoLayer ?? rig)?.skin ?? NO_SKIN),
    poseCount: clips.reduce((sum, { error }) => sum + error.frameCount, 0),
    clips: clips.map(({ name, error }) => ({ name, frames: error.frameCount, ...brief(error) })),
    ...(clips.some(({ error }) => error.frameCount > 1) ? { between } : {}),
    plain: plain && brief(plain),
    ...{ anyViewer: undefined, fourInfluences: undefined, ...players },
  };
}

const NO_SKIN: Skin = { rowStart: new Uint32Array(1), boneIndices: new Uint32Array(0), weights: new Float32Array(0) };

/** Number of bones with weight. */
const countWeighted = ({ boneIndices, weights }: Skin): number =>
  new Set(boneIndices.filter((_, e) => weights[e] > 0)).size;

/** Mean number of weights per vertex. */
export const meanInfluencesOf = ({ rowStart, weights }: Skin): number =>
  weights.reduce((sum, weight) => sum + (weight > 0 ? 1 : 0), 0) / (rowStart.length - 1);
