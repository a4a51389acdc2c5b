// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { BatchRow } from '../../run-batch.ts';
import { makeBatchPage } from '../batch-page.ts';
import { countRows } from '../batch-report.ts';

function makeRow(output: string, more: Partial<BatchRow> = {}): BatchRow {
  const empty = { files: [], resources: [], result: {}, metrics: {}, seconds: 1 };
  return { id: output, status: 'done', command: 'mush', inputs: ['a'], output, attempts: 1, ...empty, ...more };
}

async function pageOf(rows: BatchRow[]): Promise<string> {
  let page = '';
  for await (const piece of makeBatchPage(rows, async (row) => (row.status === 'done' ? 'cGln' : undefined)))
    page += piece;
  return page;
}

const gate = { maxError: 1, max: 2, isMet: false };

describe('the page of a batch', () => {
  it('has a row and a picture per job, failed jobs first, then limits that were not met, then the largest errors', async () => {
    const page = await pageOf([
      makeRow('good.glb', { metrics: { maxPercent: 0.1 } }),
      makeRow('poor.glb', { metrics: { maxPercent: 5 } }),
      makeRow('missed.glb', { gate }),
      makeRow('broken.glb', { status: 'failed', error: 'no such file' }),
    ]);
    const places = ['broken', 'missed', 'poor', 'good'].map((name) => page.lastIndexOf(`>${name}.glb<`));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(page.match(/<img /g)).toHaveLength(3);
    expect(page).toContain('failed: no such file');
    expect(page).toContain('1 error limit not met');
  });

  it('shows the ten worst of many jobs before all jobs', async () => {
    const page = await pageOf(
      Array.from({ length: 30 }, (_, n) => makeRow(`${n}.glb`, { metrics: { maxPercent: n } })),
    );
    const [top, all] = page.split('All jobs');
    expect(top.match(/<tr id/g)).toHaveLength(10);
    expect(top).toContain('>29.glb<');
    expect(all.match(/<tr id/g)).toHaveLength(30);
  });

  it('escapes names, and loads nothing from elsewhere', async () => {
    const page = await pageOf([makeRow('<script>alert(1)</script>', { status: 'failed', error: '<b onload="x">' })]);
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<b onload');
    expect(page).not.toMatch(/(src|href)="?(https?:)?\/\//);
  });

  it('counts what became of the jobs', () => {
    const rows = [makeRow('a'), makeRow('b', { status: 'kept', gate }), makeRow('c', { status: 'failed' })];
    expect(countRows(rows)).toEqual({ jobs: 3, done: 1, kept: 1, failed: 1, stopped: 0, gatesMissed: 1 });
  });
});
