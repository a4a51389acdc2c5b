// SPDX-License-Identifier: MIT
// Opens files: by the file dialog, by dropping, samples, and the files of `ossify view`.
import { SAMPLES } from '../../src/sample.ts';
import { find, h } from './dom.ts';
import { groupFiles } from './group-files.ts';
import type { FileBytes, ReadOptions } from './protocol.ts';
import type { Studio } from './studio.ts';

/** The inputs that `ossify view` serves with the page. */
interface Session {
  inputs: { options: ReadOptions; files: { name: string; url: string }[] }[];
}

export function makeOpening(studio: Studio): void {
  const input = find<HTMLInputElement>('#files');
  find('#open').addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    void openFiles(studio, [...(input.files ?? [])]);
    input.value = '';
  });
  const menu = find<HTMLDetailsElement>('#samples');
  find('#samples .drawer').append(
    ...SAMPLES.map(({ name, description }) =>
      h(
        'button',
        {
          role: 'menuitem',
          onclick: () => {
            menu.open = false;
            void studio.openSample(name);
          },
        },
        h('b', {}, name),
        h('small', {}, description),
      ),
    ),
  );
  makeDropping(studio);
  void openSession(studio);
}

async function openFiles(studio: Studio, files: File[]): Promise<void> {
  for (const group of groupFiles(files)) {
    const read = await studio.attempt(`Reading ${group[0].name}`, () =>
      Promise.all(group.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }))),
    );
    if (read) await studio.open(read);
  }
}

function makeDropping(studio: Studio): void {
  const sign = find('#drop');
  let depth = 0;
  addEventListener('dragenter', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    depth++;
    sign.hidden = false;
  });
  addEventListener('dragleave', () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) sign.hidden = true;
  });
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    sign.hidden = true;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) void openFiles(studio, files);
  });
}

async function openSession(studio: Studio): Promise<void> {
  // static hosts have no session, so none is requested
  const address = document.querySelector<HTMLMetaElement>('meta[name="ossify-session"]')?.content;
  const sample = new URLSearchParams(location.search).get('sample');
  if (sample) await studio.openSample(sample);
  if (!address) return;
  const session = await studio.attempt('Reading', async () => (await (await fetch(address)).json()) as Session);
  for (const { options, files } of session?.inputs ?? []) {
    const read = await studio.attempt(`Reading ${files[0].name}`, () => Promise.all(files.map(readFile)));
    if (read) await studio.open(read, options);
  }
}

async function readFile({ name, url }: { name: string; url: string }): Promise<FileBytes> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name}: could not be read any more; start ossify view again`);
  return { name, bytes: new Uint8Array(await response.arrayBuffer()) };
}
