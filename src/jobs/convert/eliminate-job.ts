// SPDX-License-Identifier: MIT
// convert --eliminate: a rig without its joints, shapes and triangles that have no visible effect.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { InputError } from '../../core/model/errors.ts';
import type { OptionsOfSteps } from '../../core/options/step.ts';
import { bakeAt, listPoseTimes } from '../../deformers/playback/index.ts';
import { type WriteGlbOptions, writeGlb } from '../../formats/gltf/index.ts';
import { type Eliminated, type EliminateOptions, eliminateMethod } from '../../methods/eliminate/index.ts';
import { formatCount, type JobContext, type JobFacts, type OpenedInput, type Report } from '../engine/index.ts';
import { describeModel, readWritten } from '../report/index.ts';
import type { ELIMINATION } from './convert-paths.ts';
import { writeDrivenShapes } from './write-driven-shapes.ts';

/** Frames of the animations to compare. */
const MAX_FRAMES = 100;

/** Removes parts of a rigged file, or of a face. */
export async function runEliminate(
  context: JobContext,
  opened: OpenedInput,
  options: OptionsOfSteps<(typeof ELIMINATION)['steps']>,
): Promise<JobFacts> {
  checkParts(opened);
  await context.claim([context.output]);
  // formats without nodes of their own become a glTF first
  const asset = opened.asset.source ? opened.asset : await readWritten(await writeGlb(opened.asset, { kind: 'clip' }));
  const { write, ...result } = await context.phase('solve', () =>
    eliminate(asset, opened.asset, { eliminate: options.eliminate }),
  );
  const bytes = await context.finish('write', () => write(context.storing));
  const error = await context.finish('measure', async () => measureLoss(asset, await readWritten(bytes)));
  const diagonal = measureBounds(asset.mesh.positions).diagonal || 1;
  const percents = { rmsePercent: (100 * error.rmse) / diagonal, maxPercent: (100 * error.max) / diagonal };
  return {
    inputs: [opened],
    files: [{ path: context.output, bytes }],
    metrics: { ...error, ...percents },
    result,
    bytes: { file: bytes.length },
  };
}

/** Throws an InputError for a file from which nothing can be removed. */
function checkParts({ input, asset }: OpenedInput): void {
  if (asset.ddm || asset.twoLayer || asset.linearTwoLayer)
    throw new InputError(
      input,
      'has Direct Delta Mush weights or two layers, which depend on all of its joints; eliminate in the rig that it was made of, then run mush, compress or reduce again',
    );
  if (!asset.rig && !asset.morphs)
    throw new InputError(input, 'has no joints and no morph targets; --eliminate removes parts of rigs and faces');
}

/** What was removed, for the report, and how the rest is written. */
interface Removed {
  removedJoints: string[];
  removedHelpers: string[];
  removedShapes: string[];
  removedTriangles: number;
  largestEffect: number;
  write(storing: WriteGlbOptions): Promise<Uint8Array<ArrayBuffer>>;
}

async function eliminate(asset: Asset, measured: Asset, options: EliminateOptions): Promise<Removed> {
  const { solve } = await eliminateMethod.load();
  const found = await solve({}, { asset, measured }, options);
  return found.kind === 'rig' ? inRig(asset, found.parts) : inFace(asset, found.face);
}

/** Parts of a rig, or of morph targets. */
function inRig(asset: Asset, parts: Extract<Eliminated, { kind: 'rig' }>['parts']): Removed {
  const { names } = asset.nodes;
  const isHelper = new Set((asset.helpers ?? []).map(({ bone }) => asset.rig?.nodeOfBone[bone]));
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

/** Parts of a face of driven bones. */
function inFace(asset: Asset, face: Extract<Eliminated, { kind: 'face' }>['face']): Removed {
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
