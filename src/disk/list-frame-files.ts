// SPDX-License-Identifier: MIT
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compareNatural } from '../io/natural-order.ts';
import { InputError } from '../model/errors.ts';
import { isFrame, listInputFiles } from './list-input-files.ts';

/** Lists the meshes of a folder in natural order, or the files that another input names: 'scan/*.obj', a.obj+b.obj+c.obj. */
export async function listFrameFiles(input: string): Promise<string[]> {
  const facts = await stat(input).catch(() => undefined);
  if (!facts?.isDirectory()) {
    const { rest, paths } = await listInputFiles(input);
    return rest === undefined ? paths : [rest, ...paths];
  }
  const names = (await readdir(input)).filter((name) => !name.startsWith('.') && isFrame(name)).sort(compareNatural);
  if (names.length === 0) throw new InputError(input, 'this folder has no mesh files');
  return names.map((name) => join(input, name));
}
