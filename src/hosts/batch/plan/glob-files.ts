// SPDX-License-Identifier: MIT
import { readdir, stat } from 'node:fs/promises';
import { InputError, UsageError } from '../../../core/model/errors.ts';
import { compareNatural } from '../../../formats/assets/index.ts';
import { describeReadError, matchesPattern } from '../../disk/index.ts';

/** Maximum patterns that braces expand to. */
const MAX_PATTERNS = 1000;

/** A file that a pattern matches. */
export interface MatchedFile {
  path: string;
  /** Its path below the part of the pattern that has no special characters. */
  below: string;
}

/**
 * Lists the files that a pattern matches, in natural order: `*` and `?` within a name, `**` for any number of folders, `{a,b}` for alternatives. A
 * name that exists is not parsed. Folders and files that start with a dot need a pattern that starts with a dot, and links to folders are
 * not followed by `**`.
 */
export async function globFiles(pattern: string): Promise<MatchedFile[]> {
  const facts = await stat(pattern).catch(() => undefined);
  if (facts?.isFile()) return [{ path: pattern, below: pattern.replace(/^.*[/\\]/, '') }];
  if (facts?.isDirectory())
    throw new InputError(pattern, `is a folder; give a pattern such as '${pattern.replace(/\/+$/, '')}/**/*.glb'`);
  if (!/[*?{]/.test(pattern)) throw new InputError(pattern, 'no such file');
  const found = new Map<string, MatchedFile>();
  for (const one of expandBraces(pattern)) {
    const { base, parts } = splitBase(one);
    for (const path of await walk(base, parts)) {
      const below = path.slice(base === '' ? 0 : base.length).replace(/^\/+/, '');
      if (!found.has(path)) found.set(path, { path, below });
    }
  }
  if (found.size === 0) throw new InputError(pattern, 'no file matches');
  return [...found.values()].sort((a, b) => compareNatural(a.path, b.path));
}

/** The patterns of all combinations of alternatives in braces. Braces may be nested. */
export function expandBraces(pattern: string): string[] {
  const patterns: string[] = [];
  const pending = [pattern];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    const end = one.indexOf('}');
    const start = end < 0 ? -1 : one.lastIndexOf('{', end);
    if (start < 0) patterns.push(one);
    else {
      const [before, after] = [one.slice(0, start), one.slice(end + 1)];
      for (const word of one
        .slice(start + 1, end)
        .split(',')
        .reverse())
        pending.push(before + word + after);
    }
    if (patterns.length + pending.length > MAX_PATTERNS)
      throw new UsageError(`"${pattern}"`, `expands to more than ${MAX_PATTERNS} patterns`);
  }
  return patterns;
}

/** The folders before the first special character, and the parts after them. */
function splitBase(pattern: string): { base: string; parts: string[] } {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => /[*?]/.test(part));
  const count = first < 0 ? parts.length - 1 : first;
  const base = parts.slice(0, count).join('/');
  const isRoot = base === '' && pattern.startsWith('/');
  return { base: isRoot ? '/' : base, parts: parts.slice(count).filter((part) => part !== '') };
}

async function walk(folder: string, parts: readonly string[]): Promise<string[]> {
  const [part, ...rest] = parts;
  let entries: Awaited<ReturnType<typeof list>>;
  try {
    entries = await list(folder === '' ? '.' : folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw describeReadError(folder, error);
  }
  const join = (name: string) => (folder === '' ? name : `${folder.replace(/\/$/, '')}/${name}`);
  const found: string[] = [];
  if (part === '**') {
    found.push(...(await walk(folder, rest.length > 0 ? rest : ['*'])));
    for (const entry of entries)
      if (entry.isDirectory() && !entry.name.startsWith('.')) found.push(...(await walk(join(entry.name), parts)));
    return found;
  }
  for (const entry of entries) {
    if (!matchesPattern(entry.name, part)) continue;
    const path = join(entry.name);
    if (rest.length > 0) {
      if (!entry.isFile()) found.push(...(await walk(path, rest)));
    } else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(path)))) found.push(path);
  }
  return found;
}

const list = (folder: string) => readdir(folder, { withFileTypes: true });

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
