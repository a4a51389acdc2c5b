// SPDX-License-Identifier: MIT

import { frameCountOf, frameRateOf } from '../../core/model/clip/clip.ts';
import { UsageError } from '../../core/model/errors.ts';
import { count, flag, option } from '../../core/options/option.ts';
import { writeAbc } from '../../formats/alembic/index.ts';
import { writeMdd, writePc2 } from '../../formats/caches/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { writeObj } from '../../formats/meshes/index.ts';
import { writeMorphDrivers } from '../../formats/shared/index.ts';
import { DRIVEN_SAMPLES, makeSample, SAMPLE_DEFAULTS, SAMPLES, type Sample } from '../../samples/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  formatBytes,
  formatCount,
  formatNumber,
  type OutputFile,
  type Report,
  refuseUnread,
} from '../engine/index.ts';
import { checkSampleMemory } from './check-sample-memory.ts';
import { assetOfSample, skinnedOfSample } from './sample-asset.ts';

export const sampleJob = defineJob({
  name: 'sample',
  title: 'Sample',
  summary: 'write a generated example with known truth',
  description:
    'Writes a generated example: a .glb (skinned with its true weights where it has some, otherwise with one morph target per frame), ' +
    'an .abc (its frames), an .obj (its rest pose), or a .pc2 or .mdd point cache with its rest pose as .obj beside it. Samples named rig-… are rigs to convert: the .glb has ' +
    'their plain skin, a point cache the output of their deformer; they have a fixed size.',
  inputs: [
    {
      name: 'name',
      description: 'name of the example (see --list)',
      isOptional: true,
      choices: SAMPLES.map(({ name }) => name),
    },
  ],
  output: {
    description: '.glb, .abc, .obj, .pc2 or .mdd',
    extensions: ['.glb', '.abc', '.obj', '.pc2', '.mdd'],
    isOptional: true,
  },
  examples: [
    { line: 'sample --list', does: 'list the examples' },
    { line: 'sample quadruped walk.glb', does: 'a skinned file' },
    { line: 'sample sheet sheet.pc2 --resolution 5000 --frames 120', does: 'a point cache, with sheet.obj beside it' },
  ],
  options: {
    list: option(flag, 'list the examples and stop'),
    // half a million vertices and an hour of frames: enough for benchmarks; larger values are probably typing errors
    resolution: option(count(100, 500_000), 'approximate number of vertices', { default: SAMPLE_DEFAULTS.resolution }),
    frames: option(count(1, 100_000), 'number of frames', { default: SAMPLE_DEFAULTS.frames }),
    ...COMMON_OPTIONS,
  },
  check({ list }, job) {
    const {
      inputs: [name],
      output,
    } = job;
    if (list) {
      refuseUnread(job, ['resolution', 'frames'], 'has no effect with --list; remove it');
      return;
    }
    if (name === undefined || output === undefined)
      throw new UsageError('sample', 'needs a name and an output file; --list shows the names');
    if (!SAMPLES.some((known) => known.name === name))
      throw new UsageError(
        'sample',
        `there is no example "${name}"; there are ${SAMPLES.map((known) => known.name).join(', ')}`,
      );
  },
  async run(context) {
    const { options, output } = context;
    if (options.list) return { inputs: [], files: [], result: { samples: SAMPLES } };
    const [name] = context.job.inputs;
    await context.claim(listPaths(output, name));
    const { resolution, frames, seed } = options;
    checkSampleMemory(resolution, frames, options.maxMemory);
    const sample = await context.phase('make', () => makeSample(name, { resolution, frames, seed }));
    const files = await context.phase('write', () => encodeSample(sample, output));
    const { clip } = sample;
    if (/\.pc2$/i.test(output))
      context.note(`a .pc2 file has no frame rate; read this one with --fps ${formatNumber(frameRateOf(clip.times))}`);
    return {
      inputs: [],
      files,
      result: {
        sample: name,
        vertices: clip.mesh.positions.length / 3,
        triangles: clip.mesh.triangles.length / 3,
        frames: frameCountOf(clip),
        bones: sample.skeleton?.names.length ?? 0,
      },
      bytes: { file: files.reduce((sum, { bytes }) => sum + bytes.length, 0) },
    };
  },
  describe: describeSample,
});

function describeSample({ result, files }: Report) {
  const samples = result.samples as typeof SAMPLES | undefined;
  if (samples) return [{ rows: samples.map(({ name, description }) => [name, description]) }];
  return [
    `${result.sample}: ${result.vertices} vertices, ${result.triangles} triangles, ${formatCount(Number(result.frames), 'frame')}, ${formatCount(result.bones ?? 0, 'bone')}`,
    { rows: files.map(({ path, bytes }) => ['wrote', path, formatBytes(bytes)]) },
  ];
}

/** The files for an output name; the first has that name. */
function listPaths(output: string, name: string): string[] {
  const stem = output.replace(/\.[^.]*$/, '');
  if (/\.glb$/i.test(output)) return DRIVEN_SAMPLES.includes(name) ? [output, `${stem}.drivers.json`] : [output];
  return /\.(obj|abc)$/i.test(output) ? [output] : [output, `${stem}.obj`];
}

/**
 * The bytes of a sample in the format of the output's name.
 * @internal
 */
export async function encodeSample(sample: Sample, output: string): Promise<OutputFile[]> {
  const [path, besidePath] = listPaths(output, sample.name);
  const { clip } = sample;
  if (/\.glb$/i.test(path)) {
    const { morphs: driven } = sample;
    const morphs = driven && { morphs: driven.morphs, weights: [driven.weights] };
    const model = skinnedOfSample(sample);
    const bytes = await writeGlb(assetOfSample(sample), model ? { kind: 'skin', model, morphs } : { kind: 'clip' });
    const drivers = driven ? [{ path: besidePath, bytes: writeMorphDrivers(driven.drivers) }] : [];
    return [{ path, bytes }, ...drivers];
  }
  if (/\.abc$/i.test(path)) return [{ path, bytes: writeAbc(clip) }];
  const rest = writeObj(clip.mesh);
  if (/\.obj$/i.test(path)) return [{ path, bytes: rest }];
  const bytes = /\.pc2$/i.test(path) ? writePc2(clip, { fps: frameRateOf(clip.times) }) : writeMdd(clip);
  return [
    { path, bytes },
    { path: besidePath, bytes: rest },
  ];
}
