// SPDX-License-Identifier: MIT
// convert --eliminate: a rig without its joints, shapes and triangles that have no visible effect.

import { bakeAt } from '../deform/bake-at.ts';
import { listPoseTimes } from '../deform/list-pose-times.ts';
import { findInert } from '../drive/find-inert.ts';
import { writeGlb } from '../gltf/write-glb.ts';
import { measureBounds } from '../mesh/bounds.ts';
import type { Asset } from '../model/asset.ts';
import { InputError, UsageError } from '../model/errors.ts';
import { describeModel } from './describe-report.ts';
import { formatCount } from './format-number.ts';
import type { JobFacts, OpenedInput } from './job.ts';
import type { JobContext } from './job-context.ts';
import { length, option } from './option.ts';
import { readWritten } from './read-written.ts';
import type { Report } from './report.ts';

export const ELIMINATE_OPTION = {
  eliminate: option(
    length,
    'only remove joints, shapes and triangles whose largest effect on any vertex is below this length, such as 0.1%; animations are kept',
    { conflicts: ['helpers', 'bones', 'skeleton', 'cage', 'maxError'] },
  ),
};

/** Frames of the animations to compare. */
const MAX_FRAMES = 100;

/** Removes parts of a rigged file, or of a face. */
export async function runEliminate(
  context: JobContext<{ eliminate?: string }>,
  opened: OpenedInput,
): Promise<JobFacts> {
  const { asset, input } = opened;
  if (!asset.source) throw new InputError(input, 'is not a glTF; --eliminate removes parts of glTF files');
  if (asset.ddm || asset.twoLayer || asset.linearTwoLayer || asset.driven || asset.helpers)
    throw new InputError(input, 'has data of Ossify that numbers its joints; eliminate in the rig that it was made of');
  await context.claim([context.output]);
  const { diagonal } = measureBounds(asset.mesh.positions);
  const ratio = context.lengthOf(context.options.eliminate!, asset) / (diagonal || 1);
  if (!(ratio < 1)) throw new UsageError('--eliminate', 'must be less than the size of the model');
  const parts = await context.phase('solve', () => findInert(asset, ratio));
  const bytes = await context.finish('write', () => writeGlb(asset, { kind: 'eliminated', parts }, context.storing));
  const error = await context.finish('measure', async () => measureLoss(asset, await readWritten(bytes)));
  const names = asset.nodes.names;
  const removedShapes = (asset.morphs?.targets ?? []).filter(({ node, weight }) =>
    parts.shapes.some((shape) => shape.node === node && shape.weight === weight),
  );
  return {
    inputs: [opened],
    files: [{ path: context.output, bytes }],
    metrics: {
      ...error,
      rmsePercent: (100 * error.rmse) / (diagonal || 1),
      maxPercent: (100 * error.max) / (diagonal || 1),
    },
    result: {
      removedJoints: parts.nodes.map((n) => names[n]),
      removedShapes: [...new Set(removedShapes.map(({ name, weight }) => name || `shape ${weight}`))],
      removedTriangles: parts.triangles.length,
      largestEffect: parts.largest,
    },
    bytes: { file: bytes.length },
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
  const shapes = result.removedShapes as string[];
  const triangles = Number(result.removedTriangles);
  const list = (names: string[]): string => (names.length === 0 ? '' : `: ${names.join(', ')}`);
  return describeModel(report, {
    before: '',
    after: `without ${formatCount(joints.length, 'joint')}, ${formatCount(shapes.length, 'shape')} and ${formatCount(triangles, 'triangle')}`,
    errors: [['eliminated', metrics, 'in the animations, against the input']],
    more: [
      `removed ${formatCount(joints.length, 'joint')}${list(joints)}`,
      `removed ${formatCount(shapes.length, 'shape')}${list(shapes)}`,
    ],
  });
}
