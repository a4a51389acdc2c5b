// SPDX-License-Identifier: MIT
// What was done, to be done again: as a command, as settings, and as a link.
import type { Json } from '../../../src/entry/index.ts';
import { h } from '../elements/dom.ts';
import { showToast } from '../elements/toasts.ts';
import type { Studio } from '../state/studio.ts';
import { formatCommand } from './command-line.ts';

/** A job as a value, as links and settings hold it. */
export interface SharedJob {
  command: string;
  options: Record<string, Json>;
}

/** Where the open file came from, if a link can name it. */
export interface Origin {
  model?: string;
  sample?: string;
}

/** Buttons that copy the job of a form. */
export function makeShareRow(
  studio: Studio,
  jobOf: () => Promise<SharedJob | undefined>,
  inputOf: () => number,
): HTMLElement {
  const copy = async (what: string, make: (job: SharedJob) => Promise<string>): Promise<void> => {
    const job = await jobOf();
    if (!job) return;
    const text = await make(job);
    try {
      await navigator.clipboard.writeText(text);
      showToast(`Copied: ${text}`, true);
    } catch {
      // a page that may not write to the clipboard shows the text instead
      showToast(`Copy this ${what}: ${text}`, true);
    }
  };
  const command = ({ command: name, options }: SharedJob): Promise<string> =>
    describeCommand(studio, inputOf(), name, options);
  return h(
    'details',
    { class: 'fine', id: 'share' },
    h('summary', {}, 'Do this again'),
    h(
      'div',
      { class: 'row wrap' },
      h(
        'button',
        { 'data-share': 'command', title: 'Do this in a terminal', onclick: () => void copy('command', command) },
        'Copy command',
      ),
      h(
        'button',
        { 'data-share': 'settings', onclick: () => void copy('settings', async (job) => JSON.stringify(job)) },
        'Copy settings',
      ),
      h(
        'button',
        {
          'data-share': 'link',
          title: 'A link with the job; it names the file if that came from an address',
          onclick: () => void copy('link', async (job) => makeLink(location.href, studio.origin, job)),
        },
        'Copy link',
      ),
    ),
  );
}

/** The command line of a job on an open version. */
async function describeCommand(
  studio: Studio,
  version: number,
  command: string,
  options: Record<string, Json>,
): Promise<string> {
  const { files, readOptions } = await studio.assets.call('files', { version });
  const own = studio.versions.get(version);
  const inputs = own?.parent === -1 ? files.map(({ name }) => name) : [own?.fileName ?? 'input.glb'];
  const output = `${inputs[0].replace(/\.[^.]*$/, '')}-${command}.glb`;
  const line = formatCommand({ command, inputs, output, options, read: readOptions });
  // the files of a sample are written first
  const { sample } = studio.origin;
  return sample && own?.parent === -1 ? `ossify sample ${sample} ${inputs[inputs.length - 1]} && ${line}` : line;
}

/** An address of the page that opens a file and runs a job. */
export function makeLink(page: string, origin: Origin, job: SharedJob): string {
  const url = new URL(page);
  url.search = '';
  url.hash = '';
  for (const [key, value] of Object.entries(origin)) if (value !== undefined) url.searchParams.set(key, value);
  url.searchParams.set('job', JSON.stringify(job));
  return url.href;
}

/** The job of an address; undefined if there is none. Throws if it is no job. */
export function readJob(search: string): SharedJob | undefined {
  const text = new URLSearchParams(search).get('job');
  if (text === null) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('the job of this address is no JSON');
  }
  const { command, options = {} } = (value ?? {}) as Partial<SharedJob>;
  if (typeof command !== 'string' || typeof options !== 'object' || options === null)
    throw new Error('the job of this address needs a command and options');
  return { command, options };
}
