// SPDX-License-Identifier: MIT
// --hierarchy: joints from a file.
import { InputError } from '../../core/model/errors.ts';
import { type GivenHierarchy, parseHierarchy } from '../../methods/skeleton/index.ts';
import { type JobContext, readJsonFile } from '../engine/index.ts';

/** Reads the joints of a skinned glTF, or of a list in JSON. */
export async function readHierarchy(file: string, context: JobContext): Promise<GivenHierarchy> {
  if (!/\.json$/i.test(file)) {
    const { asset } = await context.open(file);
    if (!asset.rig) throw new InputError(file, 'has no bones; --hierarchy needs a skinned glTF or a JSON list');
    const { names, parents, bindMatrices } = asset.rig.skeleton;
    const positions = Float64Array.from(
      { length: 3 * names.length },
      (_, e) => bindMatrices[16 * Math.floor(e / 3) + 12 + (e % 3)],
    );
    return { names, parents, positions };
  }
  return parseHierarchy(file, await readJsonFile(file, 'hierarchy', context));
}
