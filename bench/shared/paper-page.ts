// SPDX-License-Identifier: MIT
import { formatNumber } from '../../src/entry/index.ts';
import { makePaperGrid } from '../../src/hosts/cli/index.ts';
import type { BenchRow, Circumstances, PageFile } from './bench-suite.ts';

/** A page of published tables beside ours, a section per table. */
export function makePaperPage(suite: string, introduction: string, rows: readonly BenchRow[]): PageFile[] {
  const papers = rows.flatMap(({ paper }) => (paper ? [paper] : []));
  const names = [...new Set(papers.map(({ table }) => table))];
  const name = `published-${suite}.md`;
  const sections = names.map((table) => {
    const own = papers.filter((one) => one.table === table);
    const [head, ...body] = makePaperGrid(own, (column) => ({
      published: `${column}, published`,
      ours: `${column}, here`,
    }));
    const lines = [head, head.map(() => '---'), ...body].map((line) => `| ${line.join(' | ')} |`);
    const [example] = own.filter(({ commands }) => commands.length > 0);
    const commands = example ? `\n\nThe row ${example.row}:\n\n\`\`\`sh\n${example.commands.join('\n')}\n\`\`\`` : '';
    return `## ${table}\n\n${own[0].caption}\n\n${lines.join('\n')}${commands}\n`;
  });
  const text = `# Published tables: ${suite}

\`\`\`sh
ossify bench ${suite} --published --page docs/benchmarks/${name}      # writes this page
\`\`\`

${introduction} A dash: the document does not have the number, or it was not measured, mostly because the data is not available here. The captured clips are not part of the repository.

${describeMeasured(rows.flatMap(({ measured = [] }) => measured))}

${sections.join('\n')}`;
  return [{ name, text }];
}

/** A line per machine and day, with the range of loads. */
function describeMeasured(measured: readonly Circumstances[]): string {
  const places = new Map<string, Circumstances[]>();
  for (const one of measured) {
    const threads = one.threads === undefined ? '' : `, --threads ${one.threads}`;
    const place = `Measured on ${one.date}: ${one.machine}${threads}`;
    places.set(place, [...(places.get(place) ?? []), one]);
  }
  const lines = [...places].map(([place, runs]) => {
    const loads = runs.map(({ load }) => load);
    const [low, high] = [Math.min(...loads), Math.max(...loads)].map((load) => formatNumber(load, 2));
    const isBusy = runs.some(({ load, cores }) => load > cores);
    return `${place}, load ${low === high ? low : `${low} to ${high}`} at the start${isBusy ? ': times are much too long' : ''}.`;
  });
  return lines.length === 0 ? 'Nothing was measured.' : lines.join('\n');
}
