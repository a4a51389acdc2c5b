// SPDX-License-Identifier: MIT
import { type Command, Option } from 'commander';
import type { UpAxis } from '../model/asset.ts';
import type { FrameRange } from '../recipe/select-frames.ts';
import type { CommonOptions } from './command.ts';
import { positiveNumber, readValue, unitInMetres, upAxis } from './option-values.ts';
import { parseFrames } from './parse-frames.ts';

/** Options of commands that read files. */
export interface ReadOptions extends CommonOptions {
  fps?: number;
  /** Metres per file unit. */
  unit?: number;
  up?: UpAxis;
  scale?: number;
  rest?: string;
}

/** Those, and which frames to use. */
export interface FrameOptions extends ReadOptions {
  frames?: FrameRange;
  /** Name, or index as text. */
  animation?: string;
  rate?: number;
}

/** Options of commands that read clips. */
export interface ClipOptions extends FrameOptions {
  keys?: boolean;
  /** Files with Direct Delta Mush, two layers or corrections move by their plain skin. */
  plain?: boolean;
}

/** Adds the options that say how to read a clip where its format does not. */
export function addReadOptions(command: Command): void {
  command
    .optionsGroup('Input options:')
    .addOption(
      new Option('--fps <n>', 'frames per second of files that do not say (default: 24)').argParser(positiveNumber),
    )
    .addOption(
      new Option('--unit <unit>', 'length of one file unit: mm, cm, m, in, … or metres').argParser(unitInMetres),
    )
    .addOption(new Option('--up <axis>', 'up axis of files that do not say: x, y, z (default: y)').argParser(upAxis))
    .addOption(new Option('--scale <factor>', 'multiply all positions').argParser(positiveNumber))
    .option('--rest <file>', 'rest pose of a sequence (default: its first file)');
}

/** Adds those, and the options that say which frames to use. */
export function addFrameOptions(command: Command): void {
  addReadOptions(command);
  command
    .optionsGroup('Frame options:')
    .addOption(
      new Option('--frames <range>', 'frames to use, from 0, both ends included: 10:50, 10:, :50, ::2').argParser(
        readValue(parseFrames),
      ),
    )
    .option('--animation <name>', 'the animation to use, by name or by index')
    .addOption(
      new Option(
        '--rate <n>',
        'sample skinned and morphing files at n frames per second (default: as their keys are)',
      ).argParser(positiveNumber),
    );
}

/** Adds those, and sampling at keys. */
export function addClipOptions(command: Command): void {
  addFrameOptions(command);
  command
    .addOption(new Option('--keys', 'sample skinned and morphing files at the times of their keys').conflicts('rate'))
    .option(
      '--plain',
      'show files with Direct Delta Mush, two layers or corrections by their plain skin, as other viewers do',
    );
}
