// SPDX-License-Identifier: MIT

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { matchShape } from '../../core/mesh/topology/match-shape.ts';
import type { Asset } from '../../core/model/asset.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { normalizeAxes } from '../../core/model/mesh/normalize-axes.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { file, type OptionsOf, option } from '../../core/options/option.ts';
import { checkPath, defineStep, type Path, type Step, schemaOf } from '../../core/options/step.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import { editRest } from '../../deformers/posing/index.ts';
import { COMMON_INFLUENCES } from '../../measure/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  FRAME_OPTIONS,
  formatBytes,
  formatCount,
  formatNumber,
  type JobContext,
  type JobFacts,
  READ_OPTIONS,
  type Report,
  STORE_OPTIONS,
} from '../engine/index.ts';
import { describePlayers } from '../report/index.ts';
import {
  ALL_EXTENSIONS,
  FRAMES_EXTENSIONS,
  findOutputFormat,
  isGlb,
  listExtensions,
  writeAssetGlb,
} from '../shared/index.ts';
import { bakeFrames } from './bake-frames.ts';
import { describeBakedErrors, measureAsset } from './measure-baked.ts';

/** The normals of an edited shape are those of the file, turned. */
const { shading: _shading, ...STORED } = STORE_OPTIONS;
const { frames, animation, rate } = FRAME_OPTIONS;
const FRAMES_ONLY = { frames, animation, rate };

const NEEDS_EDITED = 'give the edited shape, such as --edited shape.obj';

const SHAPES = defineStep({
  name: 'shapes',
  options: {
    edited: option(file, 'the edited rest shape: any file with a mesh (required)'),
    original: option(
      file,
      'the rest shape before the edit, if the program that edited it changed the order of the vertices',
    ),
  },
});
const STORE = defineStep({ name: 'store', options: STORED });
const READ = defineStep({ name: 'read', options: READ_OPTIONS });
const FRAMES = defineStep({ name: 'frames', options: FRAMES_ONLY });
const COMMON = defineStep({ name: 'common', options: COMMON_OPTIONS });

const OPTIONS = schemaOf([SHAPES, STORE, READ, FRAMES, COMMON]);
type Context = JobContext<OptionsOf<typeof OPTIONS>>;

/** By path, what is written. */
const CACHE: Path = {
  of: 'frames',
  steps: [SHAPES, READ, FRAMES, COMMON],
  faults: faultsOf(STORE, 'has no effect on frames; it applies to .glb'),
};
const CHARACTER: Path = {
  of: 'characters',
  steps: [SHAPES, STORE, READ, COMMON],
  faults: faultsOf(
    FRAMES,
    `selects frames, and this output keeps all animations; remove it, or write ${listExtensions(FRAMES_EXTENSIONS)}`,
  ),
};

/** One fault for all options of a step. */
function faultsOf({ options }: Step, fault: string): Record<string, string> {
  return Object.fromEntries(Object.keys(options).map((key) => [key, fault]));
}

export const editJob = defineJob({
  name: 'edit',
  title: 'Edit',
  summary: 'carry an edited rest shape through a skin to all frames',
  description:
    'Gives a skinned file another rest shape: sculpted, scaled or deformed, with the same vertices. Every frame follows, since an edit turns with the bones. Weights, bones, ' +
    'corrections, morph targets, materials and animations are kept. An output for caches gets the positions of every frame.',
  inputs: [{ name: 'input', description: 'a file with bones and weights' }],
  output: { description: listExtensions(ALL_EXTENSIONS), extensions: ALL_EXTENSIONS, isCharacter: true },
  examples: [
    { line: 'bake cat.glb rest.obj --rest-pose', does: 'the shape to edit, in a sculpting program' },
    { line: 'edit cat.glb ogre.glb --edited sculpted.obj', does: 'the same animations on the edited shape' },
    {
      line: 'edit cat.glb ogre.glb --edited sculpted.obj --original rest.obj',
      does: 'vertices matched by their place before the edit',
    },
    { line: 'edit cat.glb ogre.abc --edited sculpted.obj', does: 'the edited clip as a cache' },
  ],
  options: OPTIONS,
  check({ edited }, job) {
    if (edited === undefined) throw new UsageError('--edited', NEEDS_EDITED);
    checkPath(findOutputFormat(job.output ?? '').holds === 'frames' ? CACHE : CHARACTER, job.options ?? {});
  },
  run: runEdit,
  describe: describeEdit,
});

async function runEdit(context: Context): Promise<JobFacts> {
  const { output, job } = context;
  const opened = await context.open(job.inputs[0]);
  const { asset } = opened;
  if (!asset.rig) throw new InputError(opened.input, 'has no skin to carry an edit; decompose its motion first');
  const { edited, original } = await openShapes(context, asset);
  const changed = await context.phase('edit', () => editRest(asset, matchShape(asset.mesh, edited, original)));
  const result = measureEdit(asset.mesh, changed.mesh);
  if (result.moved === 0) context.note('the edited shape equals the rest shape');
  const format = findOutputFormat(output);
  if (format.holds === 'frames') {
    const { files, frames, metrics, measured } = await bakeFrames(context, { ...opened, asset: changed }, format);
    const file = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return { inputs: [opened], files, metrics, result: { ...result, frames, ...measured }, bytes: { file } };
  }
  await context.claim([output]);
  const bytes = await context.phase('write', () => writeEdited(context, opened.input, changed, result.moved));
  return {
    ...{ inputs: [opened], files: [{ path: output, bytes }], result, bytes: { file: bytes.length } },
    measure: (file) => measureAsset(context, file, listReferences(changed)),
    expected: changed,
  };
}

/** The edited shape, and the shape before the edit if it is given. */
async function openShapes(context: Context, asset: Asset): Promise<{ edited: Mesh; original?: Mesh }> {
  const { edited: path, original: before } = context.options;
  if (path === undefined) throw new UsageError('--edited', NEEDS_EDITED);
  const edited = await openShape(context, path, asset, 'edited shape');
  if (before === undefined) return { edited };
  return { edited, original: await openShape(context, before, asset, 'shape before the edit') };
}

/** Writes the character; a copy of the input if nothing changes. */
function writeEdited(context: Context, input: string, changed: Asset, moved: number): Promise<Uint8Array> {
  const { quantize, meshopt } = context.options;
  // weights that players of four do not read are sorted when they are written
  const isPlain = changed.rig !== undefined && maxInfluencesOf(changed.rig.skin) <= COMMON_INFLUENCES;
  const isCopy = moved === 0 && isPlain && !quantize && !meshopt && [input, context.output].every(isGlb);
  if (isCopy) return context.read(input, input);
  return writeAssetGlb(changed, { kind: 'shape' }, { ...context.storing, shading: 'keep' });
}

/** The mesh of another file, with the up axis of the input. Errors about the subject name that file. */
async function openShape(context: JobContext, path: string, { up }: Asset, subject: string): Promise<Mesh> {
  context.name(subject, path);
  const { asset } = await context.open(path);
  return (asset.up === up ? asset : normalizeAxes(asset)).mesh;
}

/** Number of vertices that the edit moved, and the largest distance, in file units and percent of the box diagonal. */
function measureEdit(before: Mesh, after: Mesh): { moved: number; max: number; maxPercent: number } {
  let [moved, max] = [0, 0];
  for (let c = 0; c < before.positions.length; c += 3) {
    const [x, y, z] = [0, 1, 2].map((r) => after.positions[c + r] - before.positions[c + r]);
    const distance = Math.hypot(x, y, z);
    if (distance > 0) moved++;
    max = Math.max(max, distance);
  }
  const { diagonal } = measureBounds(before.positions);
  return { moved, max, maxPercent: diagonal > 0 ? (100 * max) / diagonal : 0 };
}

function describeEdit(report: Report) {
  const { files, inputs, result } = report;
  const { moved, maxPercent } = result as Record<string, number>;
  const frames = result.frames === undefined ? '' : `, ${formatCount(Number(result.frames), 'frame')}`;
  return [
    `moved ${formatCount(moved, 'vertex', 'vertices')} of ${inputs[0].vertices}, at most by ${formatNumber(maxPercent)} % of the size${frames}`,
    { rows: files.slice(0, 2).map(({ path, bytes }) => ['wrote', path, formatBytes(bytes)]) },
    ...describeBakedErrors(report),
    ...describePlayers(report),
  ];
}
