// SPDX-License-Identifier: MIT
// ossify help presets: the settings of every target of --for, with their reasons.
import { listSettings, TARGET_NAMES, TARGETS } from '../../../formats/targets/index.ts';

/** Width of a terminal that does not state it. */
const COLUMNS = 80;
const NAME_WIDTH = 14;

const HEAD =
  'Presets of --for. A job with --for TARGET writes a file that meets these settings, and notes every change. A setting that is absent is left as it is in the input.';

/** The page, wrapped to a number of columns. */
export function formatPresets(columns = COLUMNS): string {
  const parts = TARGET_NAMES.map((name) => {
    const target = TARGETS[name];
    const rows = listSettings(target).map(
      (row) => `  ${row.name.padEnd(NAME_WIDTH)}${hang(`${row.value}. ${row.reason}`, columns, NAME_WIDTH + 2)}`,
    );
    return `--for ${name}: ${target.title}\n${rows.join('\n')}`;
  });
  const example = 'Example:\n  $ ossify bake character.glb character.fbx --for unreal';
  return `${hang(HEAD, columns, 0)}\n\n${parts.join('\n\n')}\n\n${example}\n`;
}

/** A text in lines, all but the first after an indent. */
function hang(text: string, columns: number, indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}
