// SPDX-License-Identifier: MIT
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning, MACHINE } from './temporary-files.ts';

/** Folders of this process that are in use. */
const folders = new Set<string>();

/**
 * Makes a folder that is removed by the next call if this process is killed: its name says which process of which machine made it. Folders of killed processes of this
 * machine and this user are removed first.
 * @param kind part of the name: what uses the folder
 */
export async function makeTemporaryFolder(parent: string, kind: string): Promise<string> {
  await sweepFolders(parent, kind);
  const folder = await mkdtemp(join(parent, `ossify-${kind}-${MACHINE}-${process.pid}-`));
  folders.add(folder);
  return folder;
}

export async function removeTemporaryFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  folders.delete(folder);
}

async function sweepFolders(parent: string, kind: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const [, own, machine, pid] = /^ossify-([a-z]+)-([0-9a-f]{8})-(\d+)-\w{6}$/.exec(name) ?? [];
    const path = join(parent, name);
    if (own !== kind || machine !== MACHINE || folders.has(path) || isRunning(Number(pid))) continue;
    // others can make any name in a temporary folder of the system
    const facts = await lstat(path).catch(() => undefined);
    const isOwn = facts?.isDirectory() && (process.getuid === undefined || facts.uid === process.getuid());
    if (isOwn) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
