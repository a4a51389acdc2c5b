// SPDX-License-Identifier: MIT
import type { PlayedCounts } from '../players/played-scene.ts';
import type { PrintedReport } from './read-printed.ts';

/** What a player reads of every format: FBX gives each vertex four weights there. */
const MOST_IN_FBX = 4;

/** Counts of a report that are not those of the file, in words. */
export function compareCounts(
  { output, files = [] }: Pick<PrintedReport, 'output' | 'files'>,
  played: PlayedCounts,
  file: { path: string; bytes: number },
): string[] {
  const stated = files.find(({ path }) => path === file.path)?.bytes;
  const wrong = stated === file.bytes ? [] : [`${stated} bytes instead of ${file.bytes}`];
  if (!output) return [...wrong, 'no counts'];
  for (const kind of ['vertices', 'triangles', 'joints', 'influences', 'animations'] as const) {
    const found = played[kind];
    if (found === undefined) continue;
    const isCut = kind === 'influences' && file.path.endsWith('.fbx');
    const own = isCut ? Math.min(output[kind], MOST_IN_FBX) : output[kind];
    if (own !== found) wrong.push(`${output[kind]} ${kind} instead of ${found}`);
  }
  return wrong;
}
