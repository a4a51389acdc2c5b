// SPDX-License-Identifier: MIT
import type { FileBytes, ReadOptions } from '../messages/protocol.ts';
import type { VersionInfo } from '../messages/views.ts';
import type { Studio } from './studio.ts';

/** Opens files and samples, in a way that can be cancelled. */
export class FileOpener {
  readonly #studio: Studio;

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  async open(files: FileBytes[], options: ReadOptions): Promise<VersionInfo | undefined> {
    const studio = this.#studio;
    const { assets } = studio;
    const names = files.map(({ name }) => name).join(', ');
    const controller = new AbortController();
    const stopped = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () =>
        reject(new DOMException(`${names}: opening was cancelled.`, 'AbortError')),
      );
    });
    const reading = assets.call('open', { files, options, project: studio.shown?.project });
    const cancel = (): void => {
      controller.abort();
      void assets.call('cancelOpening', {});
      // a small file may be read by then
      reading.then(
        ({ id }) => assets.call('close', { version: id }),
        () => {},
      );
    };
    const made = await studio.attempt(`Reading ${names}`, () => Promise.race([reading, stopped]), cancel);
    if (made) studio.join(made);
    if (made && studio.state.reference === made.id) studio.origin = {};
    return made;
  }

  async sample(name: string, options: { resolution?: number; frames?: number }): Promise<void> {
    const studio = this.#studio;
    const make = () => studio.assets.call('sample', { name, ...options });
    const made = await studio.attempt(`Making the sample "${name}"`, make);
    if (!made) return;
    studio.join(made);
    studio.origin = { sample: name };
  }
}
