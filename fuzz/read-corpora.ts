// SPDX-License-Identifier: MIT
// Public files, by recipe: corpora.json lists repositories with a commit, and their files with SHA-256. The files are not in this repository; those that are present are read.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { inspect, readAsset } from '../src/entry/index.ts';
import CORPORA from './corpora.json' with { type: 'json' };
import { BUDGET, memoryFor } from './growth/measure-growth.ts';
import { tryFile } from './run/fuzz-files.ts';

/** What became of the files of a repository. */
export interface CorpusResult {
  repository: string;
  listed: number;
  present: number;
  accepted: number;
  /** Path and what is wrong. */
  defects: string[];
}

/** Reads the files of the recipe that are in a folder, wherever they are in it, and judges each by the budget of its bytes. */
export async function readCorpora(folder: string): Promise<CorpusResult[]> {
  const found = existsSync(folder) ? listByHash(folder) : new Map<string, string>();
  const results: CorpusResult[] = [];
  for (const [repository, { files }] of Object.entries(CORPORA)) {
    const result: CorpusResult = { repository, listed: 0, present: 0, accepted: 0, defects: [] };
    for (const [path, hash] of Object.entries(files)) {
      result.listed++;
      const at = found.get(hash);
      if (at === undefined) continue;
      result.present++;
      const bytes = Uint8Array.from(readFileSync(at));
      const limits = {
        time: BUDGET.milliseconds + BUDGET.millisecondsPerByte * bytes.length,
        memory: memoryFor(bytes.length),
      };
      const { isAccepted, defect } = await tryFile({ target: (own) => read(at, own) }, bytes, limits);
      if (isAccepted) result.accepted++;
      if (defect) result.defects.push(`${path}: ${defect.signature}`);
    }
    results.push(result);
  }
  return results;
}

/** Reads a file with those beside it, as info does. */
async function read(path: string, bytes: Uint8Array): Promise<undefined> {
  const resolve = async (uri: string): Promise<Uint8Array> => Uint8Array.from(readFileSync(join(dirname(path), uri)));
  inspect(await readAsset([{ name: basename(path), bytes }], { resolve, topology: 'any' }));
  return undefined;
}

function listByHash(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(createHash('sha256').update(readFileSync(path)).digest('hex'), path);
  }
  return found;
}
