// SPDX-License-Identifier: MIT
// Recent projects in the browser's own storage.

/** A recent project, without its files. */
export interface RecentProject {
  name: string;
  time: number;
  versions: number;
  bytes: number;
}

const DATABASE = 'ossify-studio';
const MAX_RECENT = 6;

/** Keeps the last projects. A browser without storage keeps none; nothing fails. */
export class WorkspaceStore {
  #database: Promise<IDBDatabase> | undefined;

  async list(): Promise<RecentProject[]> {
    const all = await this.#run<RecentProject[]>('recent', 'readonly', (store) => store.getAll());
    return (all ?? []).sort((a, b) => b.time - a.time);
  }

  /** @param packed the project as a file */
  async put(recent: RecentProject, packed: Uint8Array): Promise<void> {
    await this.#run('files', 'readwrite', (store) => store.put(packed, recent.name));
    await this.#run('recent', 'readwrite', (store) => store.put(recent, recent.name));
    for (const { name } of (await this.list()).slice(MAX_RECENT)) await this.remove(name);
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return this.#run<Uint8Array>('files', 'readonly', (store) => store.get(name));
  }

  async remove(name: string): Promise<void> {
    await this.#run('files', 'readwrite', (store) => store.delete(name));
    await this.#run('recent', 'readwrite', (store) => store.delete(name));
  }

  async #run<T>(
    name: string,
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest,
  ): Promise<T | undefined> {
    try {
      this.#database ??= openDatabase();
      const database = await this.#database;
      return await new Promise<T>((resolve, reject) => {
        const request = work(database.transaction(name, mode).objectStore(name));
        request.onsuccess = () => resolve(request.result as T);
        request.onerror = () => reject(request.error);
      });
    } catch {
      return undefined;
    }
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('recent');
      request.result.createObjectStore('files');
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
