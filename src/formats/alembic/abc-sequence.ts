// SPDX-License-Identifier: MIT
import type { MeshFrame, MeshSequence } from '../../core/model/clip/mesh-frame.ts';
import { makePointFrame } from '../meshes/index.ts';
import { joinAbcMeshes } from './abc-join.ts';
import type { AbcMesh } from './abc-scene.ts';
import type { AbcArchive } from './archive/abc-archive.ts';

/** Reads every frame by itself, for archives whose topology changes. Frames without faces are left out, with a note. */
export function readAbcSequence(
  archive: AbcArchive,
  meshes: readonly AbcMesh[],
  times: Float64Array,
  { name, log }: { name: string; log?: (message: string) => void },
): MeshSequence {
  const frames: MeshFrame[] = [];
  const kept: number[] = [];
  for (const [k, time] of times.entries()) {
    const joined = joinAbcMeshes(archive, meshes, time);
    if (!joined) continue;
    const frame = makePointFrame(joined.polygons, name);
    // what a frame takes beside the bytes that were read: several frames may share them
    archive.file.spend(frame.positions.byteLength + frame.triangles.byteLength);
    frames.push({ ...frame, name: `${name} ${k + 1}` });
    kept.push(time - times[0]);
  }
  const missing = times.length - frames.length;
  if (missing > 0)
    log?.(
      `${missing} ${missing === 1 ? 'frame has' : 'frames have'} no faces and ${missing === 1 ? 'is' : 'are'} left out`,
    );
  return { frames, times: Float64Array.from(kept) };
}
