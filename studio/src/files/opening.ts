// SPDX-License-Identifier: MIT
// Opens files: by the file dialog, by dropping, samples, addresses, and the files of `ossify view`.
import { SAMPLES } from '../../../src/entry/sample.ts';
import { find } from '../elements/dom.ts';
import { formatBytes } from '../elements/format.ts';
import { makeMenu } from '../elements/menu.ts';
import type { FileBytes, ReadOptions } from '../messages/protocol.ts';
import type { Studio } from '../state/studio.ts';
import { listDropped } from './dropped-files.ts';
import { groupFiles, isScene, joinClips, MODEL_EXTENSIONS, RESOURCE_EXTENSIONS } from './group-files.ts';
import { readJob } from './share.ts';

/** The inputs that `ossify view` serves with the page. */
interface Session {
  inputs: { options: ReadOptions; files: { name: string; url: string }[] }[];
}

/** Bytes of the largest input: browsers hold no longer arrays in one piece. */
const MAX_BYTES = 2e9;

/**
 * @param readOptions how to read formats that do not state it
 * @param openProject opens a project file
 */
export function makeOpening(
  studio: Studio,
  readOptions: () => ReadOptions,
  openProject: (packed: Uint8Array) => Promise<void>,
): { open(files: File[]): Promise<void> } {
  const input = find<HTMLInputElement>('#files');
  input.accept = [...MODEL_EXTENSIONS, ...RESOURCE_EXTENSIONS, 'ossify'].map((extension) => `.${extension}`).join();
  find('#open').addEventListener('click', () => input.click());
  const open = async (files: File[]): Promise<void> => {
    const isProject = ({ name }: File): boolean => /\.ossify$/i.test(name);
    for (const file of files.filter(isProject))
      await studio.attempt(`Opening ${file.name}`, async () => openProject(new Uint8Array(await file.arrayBuffer())));
    await openFiles(
      studio,
      files.filter((file) => !isProject(file)),
      readOptions(),
    );
  };
  input.addEventListener('change', () => {
    void open([...(input.files ?? [])]);
    input.value = '';
  });
  makeMenu(
    find<HTMLDetailsElement>('#samples'),
    SAMPLES.map(({ name, description }) => ({
      ...{ id: name, title: name, does: description },
      run: () => void studio.openSample(name),
    })),
  );
  makeDropping(open);
  return { open };
}

/** The sentence for files that are too large; undefined if they are not. */
export function sizeFault(files: readonly { name: string; size: number }[]): string | undefined {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size <= MAX_BYTES) return undefined;
  const largest = files.reduce((a, b) => (b.size > a.size ? b : a));
  return `${largest.name} has ${formatBytes(largest.size)}; the page reads files up to ${formatBytes(MAX_BYTES)}. The command line reads larger ones.`;
}

async function openFiles(studio: Studio, files: File[], options: ReadOptions): Promise<void> {
  const groups = groupFiles(files).filter((group) => {
    const fault = sizeFault(group);
    if (fault) studio.complain(fault);
    return !fault;
  });
  const scenes = groups.filter((group) => group.length === 1 && isScene(group[0].name));
  for (const group of groups.filter((one) => !scenes.includes(one) || scenes.length === 1)) {
    const read = await readGroup(studio, group);
    if (read) await studio.open(read, options);
  }
  if (scenes.length > 1) await openScenes(studio, scenes, options);
}

/** Opens several scenes: each alone, but animations without a mesh with the first that has one. */
async function openScenes(studio: Studio, scenes: readonly File[][], options: ReadOptions): Promise<void> {
  const read: FileBytes[][] = [];
  for (const scene of scenes) {
    const own = await readGroup(studio, scene);
    if (own) read.push(own);
  }
  const isClip = await studio.attempt('Reading', () => studio.assets.call('listClips', { groups: read }));
  for (const { files, hasRest } of joinClips(read, isClip ?? []))
    await studio.open(files, hasRest ? { ...options, hasRest } : options);
}

async function readGroup(studio: Studio, group: readonly File[]): Promise<FileBytes[] | undefined> {
  const controller = new AbortController();
  return studio.attempt(
    `Reading ${group[0].name}`,
    () => Promise.all(group.map((file) => readFile(file, controller.signal))),
    () => controller.abort(new DOMException(`${group[0].name}: opening was cancelled.`, 'AbortError')),
  );
}

async function readFile(file: File, signal: AbortSignal): Promise<FileBytes> {
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  const buffer = await Promise.race([file.arrayBuffer(), stopped]);
  return { name: file.name, bytes: new Uint8Array(buffer) };
}

function makeDropping(open: (files: File[]) => Promise<void>): void {
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
    if (event.dataTransfer) void listDropped(event.dataTransfer).then((files) => open(files));
  });
}

/** Opens what the address of the page and `ossify view` name. Until that is known, the page does not count as empty. */
export async function openSession(studio: Studio): Promise<void> {
  const query = new URLSearchParams(location.search);
  // static hosts have no session, so none is requested
  const session = sessionOf();
  studio.isExpecting = session !== undefined || query.has('sample') || query.has('model');
  studio.emit('versions');
  try {
    await openAddress(studio, query);
    if (session) await openServed(studio, session);
  } finally {
    studio.isExpecting = false;
    studio.emit('versions');
  }
}

/** Opens the files of `ossify view`. Two files of one mesh are shown side by side. */
async function openServed(studio: Studio, address: string): Promise<void> {
  const session = await studio.attempt('Reading', async () => (await (await fetch(address)).json()) as Session);
  for (const { options, files } of session?.inputs ?? []) {
    const read = await studio.attempt(`Reading ${files[0].name}`, () => Promise.all(files.map(fetchServed)));
    if (read) await studio.open(read, options);
  }
  if (studio.result) studio.set({ view: 'side' }, 'view', 'frame');
}

/** Opens the sample or the model of the page's address, and runs its job. */
async function openAddress(studio: Studio, query: URLSearchParams): Promise<void> {
  const [sample, model] = [query.get('sample'), query.get('model')];
  if (sample) await studio.openSample(sample);
  if (model) {
    const file = await studio.attempt(`Loading ${model}`, () => fetchModel(model));
    if (file && (await studio.open([file]))) studio.origin = { model };
  }
  const job = await studio.attempt('Reading the job', async () => readJob(location.search));
  if (job && studio.shown) await studio.run(studio.shown.id, job.command, job.options);
}

/** The address of the files of `ossify view`; undefined on other hosts. */
function sessionOf(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name="ossify-session"]')?.content;
}

async function fetchModel(address: string): Promise<FileBytes> {
  const url = new URL(address, location.href);
  const fail = (fault: string): never => {
    throw new Error(`${url.href}: ${fault}`);
  };
  // its server forbids the page to load from other hosts, so that no file can be sent to them
  if (sessionOf() !== undefined && url.origin !== location.origin)
    fail('ossify view loads no files from other hosts; download the file and open it');
  const response = await fetch(url, { credentials: 'omit' }).catch(() =>
    fail('could not be loaded; its host must allow other sites to read it (CORS)'),
  );
  if (!response.ok) fail(`the host answers ${response.status}`);
  const name = decodeURIComponent(url.pathname.replace(/^.*\//, '')) || 'model.glb';
  return { name, bytes: new Uint8Array(await response.arrayBuffer()) };
}

async function fetchServed({ name, url }: { name: string; url: string }): Promise<FileBytes> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name}: could not be read any more; start ossify view again`);
  return { name, bytes: new Uint8Array(await response.arrayBuffer()) };
}
