// SPDX-License-Identifier: MIT
// The files of a drop, those in folders included.

/** Maximum files of a folder that are read. */
const MAX_FILES = 5000;

/** Lists what was dropped. Must be called while the event is handled: the browser forgets it afterwards. */
export function listDropped(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
  if (!entries.some((entry) => entry.isDirectory)) return Promise.resolve([...transfer.files]);
  return listEntries(entries);
}

async function listEntries(entries: readonly FileSystemEntry[]): Promise<File[]> {
  const files: File[] = [];
  for (const entry of entries) {
    if (files.length >= MAX_FILES) break;
    if (entry.isFile)
      files.push(await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
    else files.push(...(await listEntries(await readFolder(entry as FileSystemDirectoryEntry))));
  }
  return files;
}

/** A folder gives its entries in portions. */
async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
