// SPDX-License-Identifier: MIT
import { listInputFiles } from './list-input-files.ts';

/** Lists the meshes of a sequence in order: of a folder, 'scan/*.obj' or a.obj+b.obj+c.obj. */
export async function listFrameFiles(input: string): Promise<string[]> {
  const { rest, paths } = await listInputFiles(input);
  return rest === undefined ? paths : [rest, ...paths];
}
