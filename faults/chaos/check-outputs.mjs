// SPDX-License-Identifier: MIT
// What must hold in an output folder at any moment and at the end.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function hash(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Names of outputs that have their final name. */
export function listOutputs(out) {
  if (!existsSync(out)) return [];
  return readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => /^\d\/\d+\.glb$/.test(name));
}

/** Defects of a folder at the end: outputs that are missing, differ, or have no record. */
export function checkFolder(out, expected) {
  const defects = [];
  for (const [output, digest] of expected) {
    const path = join(out, output);
    if (!existsSync(path)) defects.push(`${output} is missing`);
    else if (hash(readFileSync(path)) !== digest) defects.push(`${output} differs from the sequential run`);
  }
  for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' }))
    if (/\.tmp(\.old)?$/.test(name)) defects.push(`${name} is left`);
  return defects;
}

/** Records of finished jobs: how many jobs have one, and how many have more. */
export function countRecords(out) {
  const runs = new Map();
  for (const name of readdirSync(out).filter((one) => one.endsWith('.jsonl')))
    for (const line of readFileSync(join(out, name), 'utf8').split('\n')) {
      const [, id] = /"record":\{"id":"(\w+)","status":"done"/.exec(line) ?? [];
      if (id && line.endsWith('}')) runs.set(id, (runs.get(id) ?? 0) + 1);
    }
  return { finished: runs.size, repeated: [...runs.values()].filter((count) => count > 1).length };
}
