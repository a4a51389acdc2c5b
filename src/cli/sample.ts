// SPDX-License-Identifier: MIT
import { basename, dirname, extname, join } from 'node:path';
import { type Command, Option } from 'commander';
import { writeGlb } from '../gltf/write-glb.ts';
import { writeMorphDrivers } from '../io/morph-driver-file.ts';
import { writeMdd } from '../io/write-mdd.ts';
import { writeObj } from '../io/write-obj.ts';
import { writePc2 } from '../io/write-pc2.ts';
import { frameCountOf, frameRateOf } from '../model/clip.ts';
import { DRIVEN_SAMPLES, makeSample, SAMPLES } from '../sample/make-sample.ts';
import { SAMPLE_DEFAULTS, type Sample } from '../sample/sample.ts';
import { assetOfSample, skinnedOfSample } from './asset-of-sample.ts';
import type { CommandSpec, CommonOptions } from './command.ts';
import { EXIT_DONE, UsageError } from './exit-status.ts';
import { formatBytes, formatCount, formatNumber } from './format-number.ts';
import { wholeNumber } from './option-values.ts';
import { checkResults, saveResults } from './save-results.ts';
import { formatTable } from './table.ts';
import type { OutputFile } from './write-output.ts';

interface SampleCommandOptions extends CommonOptions {
  list?: boolean;
  resolution: number;
  frames: number;
}

/** Half a million vertices and an hour of frames: enough for benchmarks, and a bound on typing errors. */
const LEAST_RESOLUTION = 100;
const MOST_RESOLUTION = 500_000;
const MOST_FRAMES = 100_000;

export const sampleCommand: CommandSpec<SampleCommandOptions> = {
  name: 'sample',
  summary: 'write a generated example with known truth',
  description:
    'Writes a generated example: a .glb (skinned with its true weights where it has some, else with one morph target per frame), ' +
    'an .obj (its rest pose), or a .pc2 or .mdd point cache with its rest pose as .obj beside it. Samples called rig-… are rigs to convert: the .glb holds ' +
    'their plain skin, a point cache what their deformer makes of it; they come in one size.',
  arguments: [
    { name: '[name]', description: 'which example (see --list)', choices: SAMPLES.map(({ name }) => name) },
    { name: '[output]', description: '.glb, .obj, .pc2 or .mdd' },
  ],
  examples: [
    { line: 'sample --list', does: 'the examples, one line each' },
    { line: 'sample quadruped walk.glb', does: 'a skinned file' },
    { line: 'sample sheet sheet.pc2 --resolution 5000 --frames 120', does: 'a point cache, and sheet.obj beside it' },
  ],
  configure(command: Command) {
    command
      .option('--list', 'list the examples and stop')
      .addOption(
        new Option('--resolution <n>', 'vertices, about')
          .default(SAMPLE_DEFAULTS.resolution)
          .argParser(wholeNumber(LEAST_RESOLUTION, MOST_RESOLUTION)),
      )
      .addOption(
        new Option('--frames <n>', 'number of frames')
          .default(SAMPLE_DEFAULTS.frames)
          .argParser(wholeNumber(1, MOST_FRAMES)),
      );
  },
  async run(context) {
    const { options, args } = context;
    if (options.list) {
      context.tell(SAMPLES);
      context.say(formatTable(SAMPLES.map(({ name, description }) => [name, description])));
      return EXIT_DONE;
    }
    const [name, output] = args;
    if (name === undefined || output === undefined) {
      throw new UsageError('sample: give a name and an output file, or --list to see the names');
    }
    checkName(name);
    const paths = listPaths(output, name);
    await checkResults(context, paths, []);
    const sample = await context.phase('make', () =>
      makeSample(name, { resolution: options.resolution, frames: options.frames, seed: options.seed }),
    );
    const files = await context.phase('write', () => encodeSample(sample, output));
    const written = files.map(({ path, bytes }) => ({ path, bytes: bytes.length }));
    await saveResults(context, files, [], {
      result: { files: written },
      bytes: { file: written.reduce((sum, file) => sum + file.bytes, 0) },
    });
    const { clip } = sample;
    const facts = {
      vertices: clip.mesh.positions.length / 3,
      triangles: clip.mesh.triangles.length / 3,
      frames: frameCountOf(clip),
      bones: sample.skeleton?.names.length ?? 0,
    };
    context.tell({ sample: name, ...facts, files: written });
    context.say(
      `${name}: ${facts.vertices} vertices, ${facts.triangles} triangles, ${formatCount(facts.frames, 'frame')}, ${formatCount(facts.bones, 'bone')}\n`,
    );
    context.say(formatTable(written.map(({ path, bytes }) => ['wrote', path, formatBytes(bytes)])));
    if (extname(output).toLowerCase() === '.pc2') {
      context.note(
        `a .pc2 does not say its frame rate; read this one with --fps ${formatNumber(frameRateOf(clip.times))}`,
      );
    }
    return EXIT_DONE;
  },
};

function checkName(name: string): void {
  if (SAMPLES.some((known) => known.name === name)) return;
  throw new UsageError(
    `sample: there is no example "${name}"; there are ${SAMPLES.map((known) => known.name).join(', ')}`,
  );
}

/** The files that an output name stands for; the first is the one given. */
function listPaths(output: string, name?: string): string[] {
  const extension = extname(output).toLowerCase();
  if (extension === '.glb' && name !== undefined && DRIVEN_SAMPLES.includes(name)) {
    return [output, join(dirname(output), `${basename(output, extname(output))}.drivers.json`)];
  }
  if (extension === '.glb' || extension === '.obj') return [output];
  if (extension === '.pc2' || extension === '.mdd') {
    return [output, join(dirname(output), `${basename(output, extname(output))}.obj`)];
  }
  throw new UsageError(`sample: the output must end in .glb, .obj, .pc2 or .mdd, not "${output}"`);
}

/** The bytes of a sample in the format that the output's name asks for. */
export async function encodeSample(sample: Sample, output: string): Promise<OutputFile[]> {
  const [path, restPath] = listPaths(output, sample.name);
  const extension = extname(path).toLowerCase();
  const { clip } = sample;
  if (extension === '.glb') {
    const { morphs: driven } = sample;
    const morphs = driven && { morphs: driven.morphs, weights: [driven.weights] };
    const model = skinnedOfSample(sample);
    const bytes = await writeGlb(assetOfSample(sample), model ? { kind: 'skin', model, morphs } : { kind: 'clip' });
    return driven
      ? [
          { path, bytes },
          { path: restPath, bytes: writeMorphDrivers(driven.drivers) },
        ]
      : [{ path, bytes }];
  }
  if (extension === '.obj') return [{ path, bytes: writeObj(clip.mesh) }];
  const bytes = extension === '.pc2' ? writePc2(clip, { fps: frameRateOf(clip.times) }) : writeMdd(clip);
  return [
    { path, bytes },
    { path: restPath, bytes: writeObj(clip.mesh) },
  ];
}
