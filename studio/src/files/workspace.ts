// SPDX-License-Identifier: MIT
// The work of the page as a project: stored in the browser while one works, saved as a file, and opened again.
import { find, h } from '../elements/dom.ts';
import { formatBytes, formatCount } from '../elements/format.ts';
import {
  type Project,
  packProject,
  type StoredPose,
  type StoredVersion,
  unpackProject,
} from '../state/project-file.ts';
import type { Studio } from '../state/studio.ts';
import type { Viewport } from '../viewport/viewport.ts';
import { WorkspaceStore } from './workspace-store.ts';

/** Milliseconds after a change until it is stored. */
const DELAY = 2500;
/** Bytes of the largest project that is stored in the browser. */
const MAX_STORED = 250e6;

export class Workspace {
  readonly #studio: Studio;
  readonly #viewport: Viewport | undefined;
  readonly #store = new WorkspaceStore();
  #timer = 0;
  /** Poses that were saved. */
  readonly poses: StoredPose[] = [];

  constructor(studio: Studio, viewport: Viewport | undefined) {
    this.#studio = studio;
    this.#viewport = viewport;
    studio.on(['versions', 'history', 'comparison'], () => this.#later());
    studio.on(['versions'], () => studio.versions.size === 0 && void this.#showRecent());
    void this.#showRecent();
  }

  /** The project as a file. Its results count as saved. */
  async pack(): Promise<Uint8Array> {
    const packed = packProject(await this.#collect());
    for (const id of [...this.#studio.unsaved]) this.#studio.unsaved.delete(id);
    return packed;
  }

  /** Opens a project in place of what is open. */
  async open(packed: Uint8Array): Promise<void> {
    const studio = this.#studio;
    const project = unpackProject(packed);
    for (const id of [...studio.versions.keys()]) studio.close(id);
    const ids = new Map<number, number>();
    for (const { id, ...version } of project.versions) {
      const made = await studio.assets.call('restore', {
        version: { ...version, parent: ids.get(version.parent) ?? -1 },
      });
      ids.set(id, made.id);
      studio.versions.set(made.id, made);
    }
    this.poses.splice(0, this.poses.length, ...project.poses);
    const { reference = -1, result = -1, motion, ...state } = project.state;
    studio.show({ reference: ids.get(reference) ?? [...ids.values()][0] ?? -1, result: ids.get(result) ?? -1 });
    if (motion) studio.setMotion(motion);
    studio.set(state, 'versions', 'shown', 'view', 'frame', 'pose');
    this.#viewport?.setCamera(project.camera);
  }

  async #collect(): Promise<Project> {
    const studio = this.#studio;
    const versions: StoredVersion[] = [];
    for (const version of studio.versions.values()) {
      const { id, parent, title, fileName, job, options, seconds, report, isStopped } = version;
      const { files, readOptions } = await studio.assets.call('files', { version: id });
      versions.push({ id, parent, title, fileName, job, options, seconds, report, isStopped, readOptions, files });
    }
    const { isPlaying: _, between: __, bone: ___, ...state } = studio.state;
    return {
      name: versions.find(({ parent }) => parent < 0)?.title ?? versions[0]?.title ?? 'Project',
      time: Date.now(),
      state,
      camera: this.#viewport?.cameraNumbers ?? [],
      poses: this.poses,
      versions,
    };
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#keep(), DELAY);
  }

  /** Stores the project in the browser. */
  async #keep(): Promise<void> {
    const studio = this.#studio;
    const bytes = [...studio.versions.values()].reduce((sum, version) => sum + version.bytes, 0);
    if (studio.versions.size === 0 || bytes > MAX_STORED || studio.job) return;
    try {
      const project = await this.#collect();
      const { name, time } = project;
      await this.#store.put({ name, time, versions: project.versions.length, bytes }, packProject(project));
    } catch {
      // a version may be closed meanwhile; the next change stores it
    }
  }

  /** Lists recent projects on the empty page. */
  async #showRecent(): Promise<void> {
    const list = await this.#store.list();
    const root = find('#recent');
    root.hidden = list.length === 0;
    root.replaceChildren(
      h('h3', {}, 'Recent'),
      ...list.map(({ name, versions, bytes }) =>
        h(
          'div',
          { class: 'row' },
          h(
            'button',
            { class: 'grow', 'data-recent': name, onclick: () => void this.#reopen(name) },
            h('b', {}, name),
            h('small', {}, `${formatCount(versions, 'version')}, ${formatBytes(bytes)}`),
          ),
          h(
            'button',
            {
              class: 'quiet',
              'aria-label': `Forget ${name}`,
              title: 'Forget',
              onclick: async () => {
                await this.#store.remove(name);
                await this.#showRecent();
              },
            },
            '×',
          ),
        ),
      ),
    );
  }

  async #reopen(name: string): Promise<void> {
    await this.#studio.attempt(`Opening ${name}`, async () => {
      const packed = await this.#store.get(name);
      if (!packed) throw new Error(`${name} is not stored any more`);
      await this.open(packed);
    });
  }
}
