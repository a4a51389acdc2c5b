// SPDX-License-Identifier: MIT
import { measureBounds } from '../mesh/bounds.ts';
import { SurfaceMeter } from '../metric/measure-surface-distance.ts';
import type { ScanFrame } from '../track/scan-frame.ts';

/** Distances between a moving surface and the frames it was made from, both ways, in percent of the box diagonal of each frame. */
export interface TrackedDistance {
  /** Mean over the frames. */
  mean: number;
  /** The largest mean of a frame. */
  worst: number;
  /** The largest distance of any frame: the Hausdorff distance. */
  max: number;
  /** frameCount: mean of each frame */
  perFrame: number[];
}

/**
 * Measures surfaces that all have the same triangles against frames with other ones, from the vertices of each, and the midpoints of edges and centers of triangles of the
 * coarser one, to the nearest point of the other.
 * @param shapes for each surface, its positions in frame k
 */
export function measureTracked(
  frames: readonly ScanFrame[],
  triangles: Uint32Array,
  shapes: readonly ((k: number) => Float32Array)[],
): TrackedDistance[] {
  const found = shapes.map((): TrackedDistance => ({ mean: 0, worst: 0, max: 0, perFrame: [] }));
  for (const [k, frame] of frames.entries()) {
    const meter = new SurfaceMeter(frame.triangles, triangles);
    const percent = 100 / measureBounds(frame.positions).diagonal;
    for (const [n, shapeAt] of shapes.entries()) {
      const { mean, max } = meter.measure(frame.positions, shapeAt(k));
      const own = found[n];
      own.perFrame.push(percent * mean);
      own.mean += (percent * mean) / frames.length;
      own.worst = Math.max(own.worst, percent * mean);
      own.max = Math.max(own.max, percent * max);
    }
  }
  return found;
}
