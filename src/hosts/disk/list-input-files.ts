// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, extname, join, sep } from 'node:path';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { ASSET_FORMATS, compareNatural } from '../../formats/assets/index.ts';
import type { AssetFormat } from '../../formats/shared/index.ts';
import { describeReadError } from './read-bytes.ts';

/** The files that an input names. */
export interface InputFiles {
  /** The rest pose of a sequence, if it is a separate file. */
  rest?: string;
  /** In order: the mesh and its caches, or the frames of a sequence. */
  paths: string[];
}

/**
 * Lists the files of an input, written as on the command line: a file; `rest.obj+motion.pc2`; `rest.obj+a.pc2,b.pc2`; `frames/*.obj` (natural
 * order); `rest.obj+frames/*.obj` (a sequence with a separate rest pose); PLY, STL, GLB or Alembic files likewise; a folder of such files. A name
 * that exists is not parsed, so names of files may contain + , * and ?.
 */
export async function listInputFiles(input: string, rest?: string): Promise<InputFiles> {
  if (input === '') throw new UsageError('', 'the input is empty; name a file');
  if (existsSync(input)) {
    const paths = await listFolder(input);
    return rest === undefined ? { paths } : { rest, paths };
  }
  const [first, ...others] = input.split('+');
  if (others.length === 0) {
    const paths = await expandPattern(input);
    return rest === undefined ? { paths } : { rest, paths };
  }
  // An existing name may end in a comma; a list may not.
  const names = others.flatMap((part) => (existsSync(part) ? [part] : part.split(',')));
  if (first === '' || names.includes('')) {
    throw new UsageError('', `"${input}" is not an input; write rest.obj+motion.pc2`);
  }
  if (rest !== undefined) throw new UsageError('--rest', `cannot be used with "${input}", which names its rest pose`);
  const paths = (await Promise.all(names.map(expandPattern))).flat();
  const isSequence = paths.every(isFrame);
  return isSequence ? { rest: first, paths } : { paths: [first, ...paths] };
}

/** The frames in a folder, in natural order; a file is returned unchanged. */
async function listFolder(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => !name.startsWith('.') && isFrame(name)).sort(compareNatural);
    const [first, other] = new Set(names.map((name) => formatOf(name)));
    if (first === undefined)
      throw new InputError(
        path,
        'is a folder without meshes; name a file, or a folder of .obj, .ply, .stl or .glb files',
      );
    if (other !== undefined)
      throw new InputError(
        path,
        `is a folder of ${first.label} and ${other.label} files; name those of one format, as "${join(path, `*.${first.extensions[0]}`)}"`,
      );
    return names.map((name) => join(path, name));
  } catch (error) {
    throw describeReadError(path, error);
  }
}

/** Whether a file can be a frame of a sequence: its format has faces, so it is no point cache. */
function isFrame(path: string): boolean {
  const format = formatOf(path);
  return format !== undefined && format.kind !== 'cache';
}

function formatOf(path: string): AssetFormat | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return ASSET_FORMATS.find(({ extensions }) => extensions.includes(extension));
}

/** The files that match a pattern, * and ? in the last part of the path, in natural order; a name without * and ? is returned unchanged. */
async function expandPattern(pattern: string): Promise<string[]> {
  if (!/[*?]/.test(pattern) || existsSync(pattern)) return [pattern];
  const folder = dirname(pattern);
  const { prefix, name } = splitPattern(pattern);
  if (/[*?]/.test(prefix)) throw new UsageError(`"${pattern}"`, '* and ? are allowed only in the last part of a path');
  let entries: string[];
  try {
    entries = await readdir(folder);
  } catch (error) {
    throw describeReadError(pattern, error);
  }
  const names = entries.filter((entry) => matchesPattern(entry, name)).sort(compareNatural);
  if (names.length === 0) throw new InputError(pattern, 'no file matches');
  return names.map((entry) => (prefix === '' ? entry : join(folder, entry)));
}

/** The folder of a pattern, with its separator, and the rest. Windows has two separators; elsewhere a backslash is a character of a name. */
export function splitPattern(pattern: string, separator = sep): { prefix: string; name: string } {
  const end = Math.max(pattern.lastIndexOf('/'), pattern.lastIndexOf(separator)) + 1;
  return { prefix: pattern.slice(0, end), name: pattern.slice(end) };
}

/**
 * Whether a name matches a pattern of * and ?. Two pointers with backtracking to the last star: linear for practical patterns, whereas a
 * regular expression with many stars takes exponential time. Names that start with a dot need a pattern that starts with a dot.
 */
export function matchesPattern(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  let n = 0;
  let p = 0;
  let star = -1;
  let mark = 0;
  while (n < name.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) {
      n++;
      p++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
