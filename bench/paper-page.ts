// SPDX-License-Identifier: MIT
import { formatMachine, type Machine } from '../src/cli/machine.ts';
import { formatNumber } from '../src/recipe/format-number.ts';
import type { BenchRow, PageFile } from './bench-suite.ts';

const DIGITS = 3;

/** A page of published tables beside ours, a section per table. */
export function makePaperPage(
  suite: string,
  introduction: string,
  rows: readonly BenchRow[],
  machine: Machine,
): PageFile[] {
  const papers = rows.flatMap(({ paper }) => (paper ? [paper] : []));
  const names = [...new Set(papers.map(({ table }) => table))];
  const name = `published-${suite}.md`;
  const sections = names.map((table) => {
    const own = papers.filter((one) => one.table === table);
    const columns = [...new Set(own.flatMap(({ cells }) => cells.map(({ column }) => column)))];
    const isPublished = own.some(({ cells }) => cells.some(({ published }) => published !== undefined));
    const head = [
      '',
      ...columns.flatMap((column) => (isPublished ? [`${column}, published`, `${column}, here`] : [column])),
    ];
    const body = own.map(({ row, cells, digits = DIGITS }) => [
      row,
      ...columns.flatMap((column) => {
        const { published, ours } = cells.find((cell) => cell.column === column) ?? {};
        return (isPublished ? [published, ours] : [ours]).map((value) =>
          value === undefined ? '–' : formatNumber(value, digits),
        );
      }),
    ]);
    const lines = [head, head.map(() => '---'), ...body].map((line) => `| ${line.join(' | ')} |`);
    const [example] = own.filter(({ commands }) => commands.length > 0);
    const commands = example ? `\n\nThe row ${example.row}:\n\n\`\`\`sh\n${example.commands.join('\n')}\n\`\`\`` : '';
    return `## ${table}\n\n${own[0].caption}\n\n${lines.join('\n')}${commands}\n`;
  });
  const text = `# Published tables: ${suite}

\`\`\`sh
ossify bench ${suite} --published --page docs/${name}      # writes this page
\`\`\`

${introduction} A dash: the document does not have the number, or it was not measured, mostly because the data is not available here. The captured clips are not part of the repository.

Measured on ${new Date().toISOString().slice(0, 10)}: ${formatMachine(machine)}${describeLoad(machine)}.

${sections.join('\n')}`;
  return [{ name, text }];
}

/** Times of a busy machine are no measure. */
function describeLoad({ load, cores }: Machine): string {
  const text = `, load ${formatNumber(load, 2)} at the start`;
  return load > cores ? `${text}: times are much too long` : text;
}
