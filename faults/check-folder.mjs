// SPDX-License-Identifier: MIT
// What must hold in a folder after a fault: every output is the old or the new file, whole, and nothing else was left there.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const OLD = 'the file that was there before\n';

/** Puts the old files in place, or removes all. */
export function resetOutputs(folder, outputs, hasOld) {
  for (const name of outputs) {
    if (hasOld) writeFileSync(join(folder, name), OLD);
    else rmSync(join(folder, name), { force: true });
  }
}

/** 'old', 'none', 'new', 'best' (whole, but of an interrupted solve or with other times), or 'broken'. */
export function stateOf(folder, name, expected) {
  const path = join(folder, name);
  if (!existsSync(path)) return 'none';
  const bytes = readFileSync(path);
  if (bytes.equals(Buffer.from(OLD))) return 'old';
  if (bytes.equals(expected)) return 'new';
  return isWhole(name, bytes) ? 'best' : 'broken';
}

function isWhole(name, bytes) {
  if (name.endsWith('.json')) {
    try {
      return JSON.parse(bytes.toString('utf8')).reportVersion > 0;
    } catch {
      return false;
    }
  }
  if (!name.endsWith('.glb') || bytes.length < 20) return false;
  return bytes.readUInt32LE(0) === 0x46546c67 && bytes.readUInt32LE(8) === bytes.length;
}

/** Files in a folder that are neither inputs nor outputs. */
export function listLeftovers(folder, known) {
  return readdirSync(folder).filter((name) => !known.includes(name));
}
