// SPDX-License-Identifier: MIT
// The table of all decompositions as a page: one table and two plots per clip.

import { makePlot } from '../../src/entry/draw.ts';
import { formatNumber } from '../../src/entry/index.ts';
import { formatMachine, type Machine } from '../../src/hosts/cli/index.ts';
import type { PageFile } from '../shared/bench-suite.ts';
import type { TableRow } from './decompose-table.ts';

const COLORS: Record<string, string> = {
  SSDR: '#2b6cb0',
  'SSDR affine': '#63b3ed',
  FSD: '#c05621',
  'SMA rigid': '#2f855a',
  'SMA affine': '#68d391',
  LSSP: '#805ad5',
};
const FALLBACK_COLOR = '#718096';

/** The page (decompose.md) and its plots. */
export function makeDecompositionsPage(rows: readonly TableRow[], machine: Machine, date: Date): PageFile[] {
  const names = [...new Set(rows.map(({ table }) => table.data))];
  const files: PageFile[] = [];
  const sections = names.map((name) => {
    const own = rows.filter(({ table }) => table.data === name);
    const plots = [
      { key: 'bones', label: 'bones' },
      { key: 'kilobytes', label: 'kilobytes of the file' },
    ].map(({ key, label }) => {
      const file = `images/decompositions-${name}-${key}.svg`;
      files.push({ name: file, text: plotOf(own, key, label) });
      return `![${name}: E_RMS over ${label}](${file})`;
    });
    return `## ${name}\n\n${tableOf(own)}\n\n${plots.join('\n')}\n`;
  });
  const day = date.toISOString().slice(0, 10);
  const page = `${INTRODUCTION}
Measured on ${day}: ${formatMachine(machine)}${machine.load > 0 ? `, load ${formatNumber(machine.load, 2)} at the end` : ''}.

${sections.join('\n')}`;
  return [{ name: 'decompose.md', text: page }, ...files];
}

const INTRODUCTION = `# Decompositions compared

\`\`\`sh
ossify bench decompose --page docs/benchmarks/decompose.md      # writes this page: all methods, same data, same metrics
\`\`\`

| method | bones | weights | page |
|---|---|---|---|
| SSDR | rigid (or similarity, or affine) | convex, at most K | [SSDR](../../src/methods/decompose/ssdr/README.md) |
| FSD | affine | convex, at most K | [FSD](../../src/methods/decompose/fsd/README.md) |
| SMA | rigid or affine; finds their number | not negative, at most K | [SMA](../../src/methods/decompose/sma/README.md) |
| LSSP | rigid | sparse by an L1 penalty, reduced to K | [LSSP](../../src/methods/decompose/lssp/README.md) |

Every method gives connected parts that move rigidly one bone each, exactly, and solves the rest of the mesh with the other bones (\`methods/decompose/pieces/pieces-first.ts\`); \`ossify info\` prints
the number of such parts.

\`--method auto\` chooses SSDR or FSD by the near-rigid fraction η of the clip and a quick trial, and prints the reason.

Each row is one run of \`ossify decompose … --bones N\` (SMA: \`--epsilon ε\`, 0.1, 0.05 and 0.03) with the defaults of the method and at most four weights per vertex, in a separate process. *E_RMS* is measured on the
written file ([metrics](../reference/metrics.md)); *kB* is the size of that file, *s* the seconds of solving, *MB* the peak memory of the process. Captured clips are not part of the repository; without them the page contains only generated ones.
`;

function tableOf(rows: readonly TableRow[]): string {
  const lines = rows.map(({ table, timings, figures = {} }) =>
    [
      table.method,
      formatNumber(figures.bones),
      formatNumber(figures.eRms, 3),
      formatNumber(figures.kilobytes, 3),
      formatNumber(timings.solve.least / 1000, 2),
      figures.peakMegabytes === undefined ? '–' : formatNumber(figures.peakMegabytes, 3),
    ].join(' | '),
  );
  return [
    '| method | bones | E_RMS | kB | s | MB |',
    '|---|---|---|---|---|---|',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
}

/** E_RMS over a figure, a line per method. */
function plotOf(rows: readonly TableRow[], key: string, xLabel: string): string {
  const x = [...new Set(rows.map(({ figures }) => figures?.[key] ?? 0))].sort((a, b) => a - b);
  const methods = [...new Set(rows.map(({ table }) => table.method))];
  const series = methods.map((method) => {
    const points = rows
      .filter(({ table }) => table.method === method)
      .map(({ figures = {} }) => ({ x: figures[key] ?? 0, y: figures.eRms ?? 0 }))
      .sort((a, b) => a.x - b.x);
    return {
      label: method,
      values: x.map((at) => valueAt(points, at)),
      color: COLORS[method] ?? FALLBACK_COLOR,
    };
  });
  return makePlot({ x, xLabel, yLabel: 'E_RMS', series }).svg;
}

/** On the line through the points; nothing beyond its ends. */
function valueAt(points: readonly { x: number; y: number }[], x: number): number {
  for (let n = 0; n < points.length; n++) {
    if (points[n].x === x) return points[n].y;
    if (n > 0 && points[n - 1].x < x && x < points[n].x) {
      const part = (x - points[n - 1].x) / (points[n].x - points[n - 1].x);
      return points[n - 1].y + part * (points[n].y - points[n - 1].y);
    }
  }
  return Number.NaN;
}
