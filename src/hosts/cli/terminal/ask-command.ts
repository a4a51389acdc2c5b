// SPDX-License-Identifier: MIT
// `ossify` without arguments on a terminal: a few questions, then the command line that answers them.
import { parseLength } from '../../../core/options/length.ts';

/** Asks a question and returns the answer; undefined at the end of the input. */
export type Ask = (question: string) => Promise<string | undefined>;

interface Choice {
  title: string;
  command: string;
  /** The result for an input without its extension; absent if there is none. */
  output?: (stem: string) => string;
  /** Further questions; returns words of the command line. */
  more?: (ask: Ask) => Promise<string[]>;
}

const CHOICES: readonly Choice[] = [
  {
    title: 'bones for cloth, a creature, a simulation: anything that moves',
    command: 'decompose',
    output: (stem) => `${stem}.bones.glb`,
    more: askBones,
  },
  {
    title: 'a skeleton with joints from the motion of a creature',
    command: 'skeleton',
    output: (stem) => `${stem}.skeleton.glb`,
  },
  {
    title: 'fewer weights per vertex for a skinned character',
    command: 'reduce',
    output: (stem) => `${stem}.reduced.glb`,
    more: async (ask) => ['--influences', (await ask('Weights per vertex [4]: '))?.trim() || '4'],
  },
  {
    title: 'plain bones and helper bones instead of a heavy rig',
    command: 'convert',
    output: (stem) => `${stem}.helpers.glb`,
  },
  {
    title: 'another format (GLB, FBX, USD, Alembic, PC2 …)',
    command: 'bake',
    output: (stem) => `${stem}.converted.glb`,
  },
  {
    title: 'a texture of bones for many copies in a game',
    command: 'bake',
    output: (stem) => `${stem}.bones`,
    more: async () => ['--as', 'bone-texture'],
  },
  { title: 'what a file contains', command: 'info' },
];

/** Asks what to do with which file. Returns the words of the command line, or undefined if there was no answer. */
export async function askCommand(ask: Ask, write: (text: string) => void): Promise<string[] | undefined> {
  write('What do you want to make?\n');
  CHOICES.forEach(({ title }, n) => {
    write(`  ${n + 1}  ${title}\n`);
  });
  let choice: Choice | undefined;
  while (!choice) {
    const answer = await ask(`A number from 1 to ${CHOICES.length} [1]: `);
    if (answer === undefined) return undefined;
    choice = CHOICES[Number(answer.trim() || '1') - 1];
  }
  let input = '';
  while (input === '') {
    const answer = await ask('Your file (cloth.abc, walk.glb, rest.obj+motion.pc2): ');
    if (answer === undefined) return undefined;
    input = answer.trim().replace(/^(['"])(.*)\1$/, '$2');
  }
  const words = [choice.command, input];
  if (choice.output) {
    const proposed = choice.output(stemOf(input));
    const answer = await ask(`Result [${proposed}]: `);
    if (answer === undefined) return undefined;
    words.push(answer.trim() || proposed);
  }
  if (choice.more) words.push(...(await choice.more(ask)));
  return words;
}

/** The command line as a shell reads it. */
export function formatCommand(words: readonly string[]): string {
  const quoted = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`));
  return `ossify ${quoted.join(' ')}`;
}

/** A number of bones, or an error with a unit or a percent sign. */
async function askBones(ask: Ask): Promise<string[]> {
  for (;;) {
    const answer = (await ask('Number of bones, or maximum error such as 1mm or 0.5% [20]: '))?.trim() || '20';
    if (/^\d+$/.test(answer)) return ['--bones', answer];
    try {
      parseLength(answer);
      return ['--max-error', answer];
    } catch {
      // asked again
    }
  }
}

/** A name for results: the first file or folder, without its extension and pattern. */
function stemOf(input: string): string {
  const first = input
    .split('+')[0]
    .replace(/[/\\]+$/, '')
    .replace(/\*.*$/, 'sequence');
  return first.replace(/\.[^./\\]+$/, '') || 'result';
}
