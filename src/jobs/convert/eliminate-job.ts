// SPDX-License-Identifier: MIT
// convert --eliminate: a rig without its joints, shapes and triangles that have no visible effect.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { length, option } from '../../core/options/option.ts';
import { bakeAt, listPoseTimes } from '../../deformers/playback/index.ts';
import { type WriteGlbOptions, writeGlb } from '../../formats/gltf/index.ts';
import { eliminateDriven, findInert } from '../../methods/eliminate/index.ts';
import {
  COMMON_OPTIONS,
  formatCount,
  type Job,
  type JobContext,
  type JobFacts,
  listUnread,
  type OpenedInput,
  READ_OPTIONS,
  type Report,
  refuseUnread,
  STORE_OPTIONS,
} from '../engine/index.ts';
import { describeModel, readWritten } from '../report/index.ts';
import { writeDrivenShapes } from './write-driven-shapes.ts';

export const ELIMINATE_OPTION = {
  eliminate: option(
    length,
    'only remove joints, helper bones, shapes and triangles whose largest effect on any vertex is below this length, such as 0.1%; animations are kept',
    { conflicts: ['helpers', 'bones', 'skeleton', 'cage', 'maxError'] },
  ),
};

/** Options that --eliminate reads. */
const ELIMINATE_READ = ['eliminate', ...Object.keys({ ...STORE_OPTIONS, ...READ_OPTIONS, ...COMMON_OPTIONS })];

/** Throws a UsageError for an option that has no effect with --eliminate. */
export function checkEliminate(schema: object, job: Pick<Job, 'options'>): void {
  refuseUnread(
    job,
    listUnread(schema, ELIMINATE_READ),
    'has no effect with --eliminate, which only removes parts; remove it, or convert first and eliminate in the result',
  );
}

/** Frames of the animations to compare. */
const MAX_FRAMES = 100;

/** Removes parts of a rigged file, or of a face. */
export async function runEliminate(
  context: JobContext<{ eliminate?: string }>,
  opened: OpenedInput,
): Promise<JobFacts> {
  const { input } = opened;
  if (opened.asset.ddm || opened.asset.twoLayer || opened.asset.linearTwoLayer)
    throw new InputError(
      input,
      'has Direct Delta Mush weights or two layers, which depend on all of its joints; eliminate in the rig that it was made of, then run mush, compress or reduce again',
    );
  if (!opened.asset.rig && !opened.asset.morphs)
    throw new InputError(input, 'has no joints and no morph targets; --eliminate removes parts of rigs and faces');
  await context.claim([context.output]);
  // formats without nodes of their own become a glTF first
  const asset = opened.asset.source ? opened.asset : await readWritten(await writeGlb(opened.asset, { kind: 'clip' }));
  const { diagonal } = measureBounds(asset.mesh.positions);
  const ratio = context.lengthOf(context.options.eliminate!, opened.asset) / (diagonal || 1);
  if (!(ratio < 1)) throw new UsageError('--eliminate', 'must be less than the size of the model');
  const { write, ...result } = await context.phase('solve', () => (asset.driven ? inFace : inRig)(asset, ratio));
  const bytes = await context.finish('write', () => write(context.storing));
  const error = await context.finish('measure', async () => measureLoss(asset, await readWritten(bytes)));
  return {
    inputs: [opened],
    files: [{ path: context.output, bytes }],
    metrics: {
      ...error,
      rmsePercent: (100 * error.rmse) / (diagonal || 1),
      maxPercent: (100 * error.max) / (diagonal || 1),
    },
    result,
    bytes: { file: bytes.length },
  };
}

interface Eliminated {
  removedJoints: string[];
  removedHelpers: string[];
  removedShapes: string[];
  removedTriangles: number;
  largestEffect: number;
  write(storing: WriteGlbOptions): Promise<Uint8Array<ArrayBuffer>>;
}

/** Finds what to remove of a rig, or of morph targets. */
function inRig(asset: Asset, ratio: number): Eliminated {
  const parts = findInert(asset, ratio);
  const { names } = asset.nodes;
  const isHelper = new Set((asset.helpers ?? []).map(({ bone }) => asset.rig!.nodeOfBone[bone]));
  const shapes = (asset.morphs?.targets ?? []).filter(({ node, weight }) =>
    parts.shapes.some((shape) => shape.node === node && shape.weight === weight),
  );
  return {
    removedJoints: parts.nodes.filter((n) => !isHelper.has(n)).map((n) => names[n]),
    removedHelpers: parts.nodes.filter((n) => isHelper.has(n)).map((n) => names[n]),
    removedShapes: [...new Set(shapes.map(({ name, weight }) => name || `shape ${weight}`))],
    removedTriangles: parts.triangles.length,
    largestEffect: parts.largest,
    write: (storing) => writeGlb(asset, { kind: 'eliminated', parts }, storing),
  };
}

/** Finds what to remove of a face of driven bones. */
function inFace(asset: Asset, ratio: number): Eliminated {
  const { mesh, rig, driven, morphs } = asset;
  const { skeleton, skin } = rig!;
  const { drivers, tracks } = driven!;
  const kept = morphs ? { kept: morphs } : {};
  const face = eliminateDriven({ kind: 'shape-driven', mesh, skeleton, skin, drivers, ...kept }, tracks, ratio);
  return {
    removedJoints: face.bones,
    removedHelpers: [],
    removedShapes: face.shapes,
    removedTriangles: 0,
    largestEffect: face.largest,
    write: (storing) => writeDrivenShapes({ ...asset, animations: [] }, face.model, face.tracks, storing),
  };
}

/** The largest and root mean square distance in the animations, or at rest. */
function measureLoss(asset: Asset, written: Asset): { rmse: number; max: number } {
  let [sum, max, count] = [0, 0, 0];
  for (const { animation, times } of listPoseTimes(asset, MAX_FRAMES)) {
    const other = written.animations.find(({ name }) => name === animation?.name);
    const [a, b] = [bakeAt(asset, animation, times).positions, bakeAt(written, other, times).positions];
    for (let c = 0; c < a.length; c += 3) {
      const square = (a[c] - b[c]) ** 2 + (a[c + 1] - b[c + 1]) ** 2 + (a[c + 2] - b[c + 2]) ** 2;
      sum += square;
      count++;
      if (square > max) max = square;
    }
  }
  return { rmse: Math.sqrt(sum / Math.max(1, count)), max: Math.sqrt(max) };
}

/** Describes a report of an elimination. */
export function describeEliminated(report: Report) {
  const { result, metrics } = report;
  const joints = result.removedJoints as string[];
  const helpers = result.removedHelpers as string[];
  const shapes = result.removedShapes as string[];
  const triangles = Number(result.removedTriangles);
  const list = (names: string[]): string => (names.length === 0 ? '' : `: ${names.join(', ')}`);
  return describeModel(report, {
    before: '',
    after: `without ${formatCount(joints.length, 'joint')}, ${formatCount(helpers.length, 'helper')}, ${formatCount(shapes.length, 'shape')} and ${formatCount(triangles, 'triangle')}`,
    errors: [['eliminated', metrics, 'in the animations, against the input']],
    more: [
      `removed ${formatCount(joints.length, 'joint')}${list(joints)}`,
      ...(helpers.length > 0 ? [`removed ${formatCount(helpers.length, 'helper')}${list(helpers)}`] : []),
      `removed ${formatCount(shapes.length, 'shape')}${list(shapes)}`,
    ],
  });
}
