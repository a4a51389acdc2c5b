// SPDX-License-Identifier: MIT
// Several files, one job for all, and a table of results.
import { download, h } from '../elements/dom.ts';
import { formatBytes, formatLength } from '../elements/format.ts';
import { groupFiles } from '../files/group-files.ts';
import { sizeFault } from '../files/opening.ts';
import type { SharedJob } from '../files/share.ts';
import type { ReadOptions } from '../messages/protocol.ts';
import type { Studio } from '../state/studio.ts';

interface Row {
  files: File[];
  name: string;
  status: 'waiting' | 'running' | 'done' | 'failed';
  /** The reason, if it failed. */
  fault?: string;
  /** The GLB that was made. */
  bytes?: Uint8Array;
  error?: string;
  size?: number;
  seconds?: number;
}

/** @param jobOf the job that the Solve panel shows */
export function makeQueuePanel(
  studio: Studio,
  jobOf: () => Promise<SharedJob | undefined>,
  readOptions: () => ReadOptions,
): HTMLElement {
  let rows: Row[] = [];
  let isRunning = false;
  const input = h('input', {
    type: 'file',
    multiple: true,
    hidden: true,
    id: 'queue-files',
    'aria-label': 'Files of the queue',
    onchange: () => {
      rows = [
        ...rows,
        ...groupFiles([...(input.files ?? [])]).map((files) => ({
          files,
          name: files[0].name,
          status: 'waiting' as const,
        })),
      ];
      input.value = '';
      paint();
    },
  });
  const add = h('button', { onclick: () => input.click() }, 'Add files…');
  const start = h('button', { class: 'primary', id: 'run-queue', onclick: () => void run() }, 'Run for all');
  const stop = h(
    'button',
    {
      onclick: () => {
        isRunning = false;
        void studio.assets.call('cancel', {});
        paint();
      },
    },
    'Stop',
  );
  const clear = h(
    'button',
    {
      onclick: () => {
        rows = [];
        paint();
      },
    },
    'Clear',
  );
  const body = h('tbody');
  const table = h(
    'table',
    { class: 'queue' },
    h(
      'thead',
      {},
      h('tr', {}, ...['File', 'Error', 'Size', 'Time', ''].map((text) => h('th', { scope: 'col' }, text || 'Result'))),
    ),
    body,
  );
  const root = h(
    'div',
    { class: 'sheet', id: 'queue' },
    h(
      'p',
      {},
      'The job of the Solve panel, with its options, for every file. Results are not opened; save those that you want.',
    ),
    input,
    h('div', { class: 'row wrap' }, add, start, stop, clear),
    table,
  );

  const paint = (): void => {
    table.hidden = rows.length === 0;
    start.disabled = isRunning || !rows.some(({ status }) => status === 'waiting');
    stop.hidden = !isRunning;
    clear.disabled = isRunning;
    body.replaceChildren(
      ...rows.map(({ name, status, fault, error, size, seconds, bytes }) =>
        h(
          'tr',
          { 'data-status': status },
          h('td', { title: name }, name),
          ...(fault === undefined
            ? [
                h('td', {}, error ?? ''),
                h('td', {}, size === undefined ? '' : formatBytes(size)),
                h('td', {}, seconds === undefined ? '' : `${seconds.toFixed(1)} s`),
                h('td', {}, bytes ? makeSave(name, bytes) : h('small', {}, status)),
              ]
            : [h('td', { class: 'fault-note', colspan: 4 }, fault)]),
        ),
      ),
    );
  };
  const makeSave = (name: string, bytes: Uint8Array): HTMLElement => {
    const save = (): void => download(`${name.replace(/\.[^.]*$/, '')}-result.glb`, bytes, 'model/gltf-binary');
    return h('button', { 'aria-label': `Save the result of ${name}`, onclick: save }, 'Save');
  };

  const run = async (): Promise<void> => {
    const job = await jobOf();
    if (!job || studio.job) return;
    isRunning = true;
    for (const row of rows.filter(({ status }) => status === 'waiting')) {
      if (!isRunning) break;
      row.status = 'running';
      paint();
      try {
        await work(row, job);
        row.status = 'done';
      } catch (error) {
        row.status = 'failed';
        row.fault = (error as Error).message;
      }
    }
    isRunning = false;
    paint();
  };
  const work = async (row: Row, job: SharedJob): Promise<void> => {
    const fault = sizeFault(row.files);
    if (fault) throw new Error(fault);
    const files = await Promise.all(
      row.files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    );
    const { assets } = studio;
    const source = await assets.call('open', { files, options: readOptions() });
    try {
      const [made] = await assets.call('run', { version: source.id, job: job.command, values: job.options });
      row.bytes = await assets.call('bytes', { version: made.id });
      const { report } = made;
      const rmse = report?.metrics.rmse;
      row.error = rmse === undefined ? '–' : formatLength(rmse, source.facts.size.metresPerUnit);
      row.size = made.bytes;
      row.seconds = made.seconds;
      await assets.call('close', { version: made.id });
    } finally {
      await assets.call('close', { version: source.id });
    }
  };
  paint();
  return root;
}
