// SPDX-License-Identifier: MIT
// One file of compress: written, read back and measured.

import { measureTwoLayerBytes, virtualBoneCountOf } from '../../core/model/deformed/two-layer.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import type { PosedAsset } from '../../fit/poses/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { type MeasuredCompressed, measureCompressed } from '../../methods/compress/index.ts';
import {
  type JobFacts,
  makeGate,
  makeGoalGate,
  type OpenedInput,
  type OutputFile,
  type ReportResult,
  reportMetricsOf,
} from '../engine/index.ts';
import { MUSH_DEFAULTS } from '../mush/index.ts';
import { briefErrors, readWritten, reportPlayers } from '../report/index.ts';
import { isGlb, playWritten, reportPoses, reportSize, shrinkContent } from '../shared/index.ts';
import type { CompressAssetResult } from './compress.ts';
import type { CompressContext } from './compress-options.ts';

/** A file, and its part of the report. */
export interface CompressedFile {
  file: OutputFile;
  facts: Pick<JobFacts, 'metrics' | 'bytes'> & { result: ReportResult };
  gate: JobFacts['gate'];
}

/** An input with its poses. */
export interface PosedInput extends OpenedInput {
  posed: PosedAsset;
}

/** A number of virtual bones, undefined if it is found or the default, with the file and the maximum error in file units. */
export interface CompressTarget {
  virtualBones: number | undefined;
  path: string;
  limit: number | undefined;
}

/** Writes one model. */
export async function writeCompressed(
  context: CompressContext,
  { asset, input, posed }: PosedInput,
  solved: CompressAssetResult,
  { path, limit }: CompressTarget,
): Promise<CompressedFile> {
  const content = { kind: 'two-layer', model: solved.model, skin: solved.skin } as const;
  const reference = { input, asset: { ...asset, ddm: solved.ddm } };
  const small = context.options.for === 'size' ? await shrinkContent(context, reference, asset, content) : undefined;
  const plain = await context.finish('write', () => writeGlb(asset, content, context.storing));
  const bytes = small?.bytes ?? plain;
  const played = playWritten(posed, await context.finish('measure', () => readWritten(bytes)));
  const measured = await context.finish('measure', async () =>
    measureCompressed(played, posed.asset, solved.ddm, context.measuring),
  );
  const players = await context.finish('measure', () => reportPlayers(context, played, listReferences(posed.asset)));
  // other formats than glTF hold the plain skin only
  const error = isGlb(path) ? measured.error : measured.plain;
  const between = isGlb(path) ? measured.between : undefined;
  const entries = solved.ddm.multiWeights.boneIndices.length;
  const vertices = asset.mesh.positions.length / 3;
  const ddmBytes = { float32: 44 * entries + 4 * vertices, float64: 84 * entries + 4 * vertices };
  return {
    file: { path, bytes },
    gate: small ? makeGoalGate(small.goal, small.written) : makeGate(limit, Math.max(error.max, between?.max ?? 0)),
    facts: {
      metrics: {
        ...reportMetricsOf(error),
        rmseFit: solved.rmseFit,
        rmseFitPercent: percentOf(solved.rmseFit, error.height),
        ddmVsLbs: measured.lbs.rmseOfHeight,
      },
      result: {
        ...resultOf(context.options, solved, measured),
        ...reportPoses(posed, measured.frames),
        ...(between ? { between: { eRms: between.eRms, rmse: between.rmse, max: between.max } } : {}),
        ...players,
        ddmBytes,
        ...(small ? reportSize(small) : {}),
      },
      bytes: { file: bytes.length, model: measureTwoLayerBytes(solved.model).total, ddm: ddmBytes.float32 },
    },
  };
}

/** No error is 0 %, also of a mesh without height. */
function percentOf(error: number, height: number): number {
  return error === 0 ? 0 : (100 * error) / height;
}

function resultOf(
  options: CompressContext['options'],
  solved: CompressAssetResult,
  measured: MeasuredCompressed,
): ReportResult {
  const { model, iterations, status, ddm } = solved;
  const { error, plain, lbs } = measured;
  const { virtualBones, skin } = model;
  const boneCount = virtualBoneCountOf(model);
  const percent = (value: number) => percentOf(value, error.height);
  return {
    virtualBones: boneCount,
    influences: maxInfluencesOf(skin),
    blendsPerVertex: skin.weights.length / (skin.rowStart.length - 1),
    bones: new Set(virtualBones.boneIndices).size,
    entriesPerVirtualBone: virtualBones.boneIndices.length / boneCount,
    ...{ iterations, status, objective: options.objective },
    ...{ examples: options.examples, norm: options.norm, smoothness: options.smoothness },
    fit: {
      rmseFit: solved.rmseFit,
      rmseFitPercent: percent(solved.rmseFit),
      rmseFitUndivided: solved.rmseFitUndivided,
      rmseFitUndividedPercent: percent(solved.rmseFitUndivided),
      objective: solved.objective,
      objectivePercent: percent(solved.objective),
      history: solved.history,
    },
    frames: measured.frames,
    quantized: options.quantize ?? false,
    ddm: {
      settings: ddm.settings,
      entriesPerVertex: ddm.multiWeights.boneIndices.length / (ddm.multiWeights.rowStart.length - 1),
    },
    plain: { influences: MUSH_DEFAULTS.influences, ...briefErrors(reportMetricsOf(plain)) },
    lbs: briefErrors(reportMetricsOf(lbs)),
    ...(solved.tried.length > 0 ? { tried: solved.tried } : {}),
  };
}
