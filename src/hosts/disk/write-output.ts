// SPDX-License-Identifier: MIT
// Files are written completely or not at all: each is written to a temporary file in its folder, flushed to the
// disk, and renamed. Several outputs of one command are written together: if a rename fails, the others are
// undone.
import {
  access,
  chmod,
  constants,
  copyFile,
  link,
  open,
  realpath,
  rename,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { InputError } from '../../core/model/errors.ts';
import type { OutputFile } from '../../jobs/engine/index.ts';
import { guardSignals } from './signal-guard.ts';
import { addTemporary, dropTemporary, nameTemporary, removeTemporaries, sweepTemporaries } from './temporary-files.ts';

/**
 * Throws unless every path can be written: its folder exists and is writable, it is not a folder, not an input, and not
 * given twice. Called before solving, so that a typing error does not cost the time of a solve.
 */
export async function checkOutputs(paths: readonly string[], inputs: readonly string[] = []): Promise<void> {
  const seen = new Set<string>();
  const inputPaths = new Set(await Promise.all(inputs.map(settlePath)));
  for (const path of paths) {
    const target = await settleTarget(path);
    if (inputPaths.has(target.path)) throw new InputError(path, 'is an input of this command and would be overwritten');
    if (seen.has(target.path) && !target.isDevice) throw new InputError(path, 'is named for two outputs');
    seen.add(target.path);
  }
}

export interface WriteOptions {
  /** Called when all files are on the disk under temporary names. If it throws, none gets its final name. */
  onStaged?(): Promise<void>;
  /** Called when all files have their final names. If it throws, the files that were there before are put back. */
  onPublished?(): Promise<void>;
  /** Whether the caller removes temporary files of killed processes itself: listing a folder of 10,000 files takes milliseconds. */
  isSwept?: boolean;
}

/** Writes all files, or none. Inputs of the command are never overwritten. */
export async function writeOutputs(
  files: readonly OutputFile[],
  inputs: readonly string[] = [],
  { onStaged, onPublished, isSwept = false }: WriteOptions = {},
): Promise<void> {
  await checkOutputs(
    files.map((file) => file.path),
    inputs,
  );
  const staged: Staged[] = [];
  const swept = isSwept ? undefined : new Set<string>();
  const guard = guardSignals(removeTemporaries);
  try {
    for (const file of files) staged.push(await stage(file, swept));
    await onStaged?.();
    guard.hold();
    for (const item of staged) await publish(item);
    await onPublished?.();
  } catch (error) {
    for (const item of staged.reverse()) await putBack(item);
    throw error;
  } finally {
    for (const item of staged) await discard(item);
    guard.end();
  }
}

interface Target {
  /** Absolute path, with links resolved. */
  path: string;
  mode?: number;
  exists: boolean;
  /** Whether it is a device or a pipe, which is written to and never replaced (renaming over /dev/null would break the system). */
  isDevice: boolean;
}

interface Staged {
  shown: string;
  target: Target;
  temporary?: string;
  backup?: string;
  isPublished: boolean;
}

async function settlePath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return resolve(path);
  }
}

async function settleTarget(path: string): Promise<Target> {
  const name = basename(path);
  if (path === '' || path.endsWith('/') || name === '.' || name === '..') {
    throw new InputError(path === '' ? '""' : path, 'is a folder, not a file to write');
  }
  const folder = dirname(path);
  try {
    const facts = await stat(path);
    const real = await realpath(path);
    if (facts.isDirectory()) throw new InputError(path, 'is a folder, not a file to write');
    const isDevice = !facts.isFile();
    await access(real, constants.W_OK);
    if (!isDevice) await access(dirname(real), constants.W_OK);
    return { path: real, exists: true, isDevice, mode: facts.mode & 0o7777 };
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw describeWriteError(path, error);
  }
  try {
    if (!(await stat(folder)).isDirectory()) throw new InputError(path, `"${folder}" is a file, not a folder`);
    const realFolder = await realpath(folder);
    await access(realFolder, constants.W_OK);
    return { path: join(realFolder, name), exists: false, isDevice: false };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      throw new InputError(path, `the folder "${folder}" does not exist; make it first`, { cause: error });
    }
    throw describeWriteError(path, error);
  }
}

/** @param swept folders without files of killed processes; the folder of this file is added. Absent: none is swept */
async function stage(file: OutputFile, swept: Set<string> | undefined): Promise<Staged> {
  const target = await settleTarget(file.path);
  const item: Staged = { shown: file.path, target, isPublished: false };
  try {
    if (target.isDevice) {
      await writeFile(target.path, file.bytes);
      return item;
    }
    const folder = dirname(target.path);
    if (swept && !swept.has(folder)) await sweepTemporaries(folder);
    swept?.add(folder);
    const temporary = nameTemporary(folder);
    // named before it is made: a signal may come in between
    addTemporary(temporary);
    item.temporary = temporary;
    const handle = await open(temporary, 'wx', target.mode ?? 0o666);
    try {
      await handle.writeFile(file.bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (target.mode !== undefined) await chmod(temporary, target.mode);
    return item;
  } catch (error) {
    await discard(item);
    throw describeWriteError(file.path, error);
  }
}

async function publish(item: Staged): Promise<void> {
  const { target, temporary } = item;
  if (!temporary) return;
  try {
    if (target.exists) {
      const backup = `${temporary}.old`;
      addTemporary(backup);
      item.backup = backup;
      // A hard link costs nothing; file systems without hard links get a copy.
      await link(target.path, backup).catch(() => copyFile(target.path, backup));
    }
    await rename(temporary, target.path);
    dropTemporary(temporary);
    item.temporary = undefined;
    item.isPublished = true;
  } catch (error) {
    throw describeWriteError(item.shown, error);
  }
}

async function putBack(item: Staged): Promise<void> {
  if (!item.isPublished) return;
  if (item.backup) await rename(item.backup, item.target.path).catch(() => undefined);
  else await unlink(item.target.path).catch(() => undefined);
}

async function discard(item: Staged): Promise<void> {
  for (const path of [item.temporary, item.backup]) {
    if (!path) continue;
    await unlink(path).catch(() => undefined);
    dropTemporary(path);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The error for a failed write. */
export function describeWriteError(path: string, error: unknown): Error {
  if (error instanceof InputError) return error;
  const faults: Record<string, string> = {
    EACCES: 'cannot be written: permission denied',
    EPERM: 'cannot be written: permission denied',
    EROFS: 'cannot be written: the file system is read-only',
    ENOSPC: 'cannot be written: the disk is full',
    EDQUOT: 'cannot be written: the disk quota is used up',
    EISDIR: 'is a folder, not a file to write',
    ENOTDIR: 'cannot be written: a part of its path is a file, not a folder',
    ENAMETOOLONG: 'cannot be written: its name is too long',
    ELOOP: 'cannot be written: its links lead in a circle',
  };
  const code = codeOf(error);
  return new InputError(path, faults[code] ?? `cannot be written (${code || String(error)})`, { cause: error });
}
