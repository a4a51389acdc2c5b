// SPDX-License-Identifier: MIT
// A small command line for every command that writes, with the files it writes.
import { join } from 'node:path';

/** Work that takes milliseconds. */
const SIZE = ['--resolution', '100', '--frames', '3'];

/** Lines that make the inputs. */
export const INPUT_LINES = [
  ['sample', 'bar-bend', 'bar.pc2', ...SIZE],
  ['sample', 'bar-bend', 'rig.glb', ...SIZE],
];

const CASES = [
  ['info', ['rig.glb', '--report', 'report.json'], ['report.json']],
  ['decompose', ['bar.obj+bar.pc2', 'out.glb', '--bones', '2', '--iterations', '1', '--report', 'report.json']],
  ['skeleton', ['bar.obj+bar.pc2', 'out.glb', '--bones', '2', '--method', 'schaefer']],
  ['reduce', ['rig.glb', 'out.glb', '--method', 'klargest', '--influences', '2']],
  ['mush', ['rig.glb', 'out.glb', '--iterations', '2']],
  ['compress', ['rig.glb', 'out.glb', '--virtual-bones', '4', '--iterations', '1']],
  ['convert', ['rig.glb', 'out.glb', '--helpers', '1', '--samples', '2', '--iterations', '1', '--poses', '4']],
  ['compare', ['bar.obj+bar.pc2', 'bar.obj+bar.pc2', '--page', 'page.html', '--pictures', '1'], ['page.html']],
  ['draw', ['rig.glb', 'picture.png', '--size', '64x64'], ['picture.png']],
  ['sample', ['bar-twist', 'twist.pc2', ...SIZE], ['twist.pc2', 'twist.obj']],
];

/** Cases by command: arguments with paths in a folder, and the files that they write. */
export function makeCases(folder) {
  const place = (word) =>
    /\.(glb|obj|pc2|json|html|png)/.test(word)
      ? word
          .split('+')
          .map((part) => join(folder, part))
          .join('+')
      : word;
  return CASES.map(([command, words, outputs = ['out.glb']]) => ({
    command,
    words: [command, ...words.map(place), '--quiet'],
    outputs: [
      ...outputs,
      ...(words.includes('report.json') && !outputs.includes('report.json') ? ['report.json'] : []),
    ],
  }));
}
