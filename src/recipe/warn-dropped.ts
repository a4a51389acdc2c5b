// SPDX-License-Identifier: MIT
import type { Asset } from '../model/asset.ts';
import type { JobContext } from './job-context.ts';

/** Notes what a job that changes the weights of a file cannot keep or measure. */
export function warnDropped(context: JobContext, { correction, animations, rig }: Asset): void {
  if (correction) context.note("dropping the file's corrective shapes: they apply only to its original weights");
  if (rig && animations.length === 0) context.note('the file has no animation; errors are measured in its rest pose');
}
