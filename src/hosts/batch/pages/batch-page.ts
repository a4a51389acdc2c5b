// SPDX-License-Identifier: MIT
// The page of a batch: a table of all jobs with pictures, in one file without references to others. Names come from untrusted files, so every text is escaped.
import { escapeHtml } from '../../../draw/index.ts';
import { formatCount } from '../../../jobs/engine/index.ts';
import type { BatchRow } from '../run-batch.ts';
import { BATCH_COLUMNS, badnessOf, countRows, statusOf } from './batch-report.ts';

/** Jobs at the top of the page. */
const WORST = 10;

/**
 * Makes the page piece by piece, so that the pictures of 10,000 jobs are never in memory together.
 * @param ahead pictures that are drawn at once
 * @param draw returns a picture as base64 of a PNG; undefined for a job without one
 */
export async function* makeBatchPage(
  rows: readonly BatchRow[],
  draw: (row: BatchRow) => Promise<string | undefined>,
  ahead = 4,
): AsyncGenerator<string> {
  const counts = countRows(rows);
  const ordered = rows.map((row, n) => ({ row, n })).sort((a, b) => badnessOf(b.row) - badnessOf(a.row) || a.n - b.n);
  const missed = ordered.filter(({ row }) => row.gate && !row.gate.isMet);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<title>Batch of ${escapeHtml(formatCount(counts.jobs, 'job'))}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(formatCount(counts.jobs, 'job'))}</h1>
<p class="counts">${counts.done} done, ${counts.kept} done before, <b class="${counts.failed > 0 ? 'bad' : ''}">${counts.failed} failed</b>, <b class="${counts.gatesMissed > 0 ? 'bad' : ''}">${formatCount(counts.gatesMissed, 'error limit')} not met</b>${counts.stopped > 0 ? `, ${counts.stopped} not done` : ''}</p>
`;
  if (missed.length > 0) {
    yield '<h2>Error limits not met</h2>\n<ul>\n';
    for (const { row } of missed)
      yield `<li><code>${escapeHtml(nameOf(row))}</code>: ${escapeHtml(statusOf(row))}, error ${escapeHtml(String(row.gate?.max))}</li>\n`;
    yield '</ul>\n';
  }
  const pictured = async ({ row, n }: { row: BatchRow; n: number }) => formatRow(row, n, await draw(row));
  const head = `<table><thead><tr><th>picture</th>${BATCH_COLUMNS.map(({ title }) => `<th><button>${escapeHtml(title)}</button></th>`).join('')}</tr></thead><tbody>\n`;
  // pictures of the worst jobs are drawn twice: keeping them is not worth it
  if (ordered.length > WORST) {
    yield `<h2>The ${WORST} worst</h2>\n${head}`;
    yield* mapAhead(ordered.slice(0, WORST), ahead, pictured);
    yield '</tbody></table>\n<h2>All jobs</h2>\n';
  }
  yield head;
  yield* mapAhead(ordered, ahead, pictured);
  yield `</tbody></table>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`;
}

/** Results in order; a few are made ahead of the one that is used. */
async function* mapAhead<T, R>(items: readonly T[], ahead: number, make: (item: T) => Promise<R>): AsyncGenerator<R> {
  const pending: Promise<R>[] = [];
  for (const item of items) {
    pending.push(make(item));
    if (pending.length > ahead) yield (await pending.shift()) as R;
  }
  for (const one of pending) yield await one;
}

function nameOf({ output, inputs }: BatchRow): string {
  return output ?? inputs.join(' ');
}

function formatRow(row: BatchRow, n: number, png: string | undefined): string {
  const picture = png ? `<img src="data:image/png;base64,${png}" alt="" width="96" height="72">` : '';
  const isBad = row.status === 'failed' || (row.gate && !row.gate.isMet);
  const cells = BATCH_COLUMNS.map(({ text, value, isNumber }) => {
    const sorted = value ? ` data-value="${value(row)}"` : '';
    return `<td${isNumber ? ' class="n"' : ''}${sorted}>${escapeHtml(text(row))}</td>`;
  });
  return `<tr id="job-${n}"${isBad ? ' class="bad"' : ''}><td>${picture}</td>${cells.join('')}</tr>\n`;
}

const STYLE = `
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem; color: #1b1b1f; background: #fff }
table { border-collapse: collapse; margin: 0 0 2rem }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: middle; max-width: 40rem; overflow-wrap: anywhere }
th { position: sticky; top: 0; background: #f4f4f6 }
th button { all: unset; cursor: pointer; font-weight: 600 }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
tr.bad td, b.bad { color: #b3261e }
img { display: block }
`;

const SCRIPT = `
for (const table of document.querySelectorAll('table')) {
  table.querySelectorAll('th').forEach((th, column) => {
    th.querySelector('button')?.addEventListener('click', () => {
      const body = table.tBodies[0];
      const sign = th.dataset.sign === '1' ? -1 : 1;
      th.dataset.sign = String(sign);
      const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const rows = [...body.rows].map((row) => ({ row, key: key(row) }));
      const isNumber = rows.every(({ key }) => key !== '' && !Number.isNaN(Number(key)));
      rows.sort((a, b) => sign * (isNumber ? Number(a.key) - Number(b.key) : a.key.localeCompare(b.key)));
      body.append(...rows.map(({ row }) => row));
    });
  });
}
`;
