// SPDX-License-Identifier: MIT
import type { VersionInfo } from '../messages/views.ts';

/** Closed versions that can be opened again. */
const MAX_CLOSED = 3;

/** The open versions, and the last closed ones, which undo can open again. */
export class VersionList {
  readonly open = new Map<number, VersionInfo>();
  readonly #closed: VersionInfo[] = [];
  readonly #drop: (id: number) => void;

  /** @param drop called with versions that cannot be opened again */
  constructor(drop: (id: number) => void) {
    this.#drop = drop;
  }

  close(id: number): VersionInfo | undefined {
    const version = this.open.get(id);
    if (!version) return undefined;
    this.open.delete(id);
    this.#closed.push(version);
    while (this.#closed.length > MAX_CLOSED) this.#drop(this.#closed.shift()!.id);
    return version;
  }

  /** Opens exactly these versions, as far as they are still known. */
  restore(list: readonly VersionInfo[]): void {
    const known = new Set([...this.open.keys(), ...this.#closed.map(({ id }) => id)]);
    const wanted = list.filter(({ id }) => known.has(id));
    for (const id of [...this.open.keys()]) if (!wanted.some((one) => one.id === id)) this.close(id);
    for (const version of wanted) {
      const at = this.#closed.findIndex(({ id }) => id === version.id);
      if (at >= 0) this.#closed.splice(at, 1);
    }
    const sorted = [...wanted].sort((a, b) => a.id - b.id);
    this.open.clear();
    for (const version of sorted) this.open.set(version.id, version);
  }

  /** Replaces a version by a changed one, such as one with another title. */
  replace(version: VersionInfo): void {
    this.open.set(version.id, version);
  }
}
