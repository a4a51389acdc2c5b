// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import type { JobContext } from '../engine/index.ts';

/** Warns about parts of a file that a job cannot keep or measure after changing its weights. */
export function warnDropped(context: JobContext, { correction, light }: Asset): void {
  if (correction) context.note("dropping the file's corrective shapes: they apply only to its original weights");
  if (light) context.note("dropping the file's light, except its mean in the vertex colours; light the result again");
}
