// SPDX-License-Identifier: MIT
// A better template, once all frames are registered. Where a body bends, its surface stretches, and points slide the more, the more the surface is stretched between the template and a frame. Before registration, frames can be
// compared only by distances (choose-template.ts), which hardly depend on bent limbs. Afterwards the stretch between any two frames is known: with l_n^k = log2 of the distance between two neighbouring patches n in frame k
// (measure-stretch.ts), the stretch of frame k against all others is
//   S_k = mean over n and m of (l_n^k − l_n^m)²,   Σ_m (l_n^k − l_n^m)² = K (l_n^k)² − 2 l_n^k Σ_m l_n^m + Σ_m (l_n^m)² for K frames,
// and the frame with the least stretch is the best template. Vertices of the running fox within 1 %, with each of its ten frames as the template, in the order of the stretch of their edges, with frame 5 as the first template: 96.0, 95.1, 94.5, 93.8,
// 93.0, 91.5, 90.1, 90.7, 87.2, 87.5 %.

import type { ScanSurface } from '../register/make-scan-surface.ts';
import { measureComplete } from './choose-template.ts';
import { StretchMeter } from './measure-stretch.ts';

/** Maximum stretch of a better template, relative to that of the present one: registering all frames again takes time. Chosen by hand. */
const MAX_STRETCH = 0.95;
/** Minimum stretch of the template, a mean square: below it, nothing is stretched but for rounding. */
const MIN_STRETCH = 1e-6;
/** How much less complete (choose-template.ts) it may be. A handle costs 0.1; the area of a body that moves changes by up to 0.06 (fox). */
const MAX_LESS = 0.08;

/**
 * The frame that is least stretched against all others; undefined if the template is almost as good.
 * @param surface the template
 * @param shapes for each frame pointCount x 3: the template in this frame
 * @param frames the surfaces of the frames
 */
export function findLeastStretched(
  surface: ScanSurface,
  shapes: readonly Float64Array[],
  frames: readonly ScanSurface[],
  template: number,
): number | undefined {
  const stretch = measureStretches(surface, shapes);
  const complete = measureComplete(frames);
  let best = template;
  for (let k = 0; k < frames.length; k++)
    if (stretch[k] < stretch[best] && complete[k] >= complete[template] - MAX_LESS) best = k;
  const isBetter = stretch[template] > MIN_STRETCH && stretch[best] < MAX_STRETCH * stretch[template];
  return isBetter ? best : undefined;
}

/** frameCount: the stretch of each frame against all others. */
export function measureStretches(surface: ScanSurface, shapes: readonly Float64Array[]): Float64Array {
  const meter = new StretchMeter(surface);
  const logs = shapes.map((shape) => meter.measureLogs(shape));
  const stretch = new Float64Array(shapes.length);
  for (let n = 0; n < logs[0].length; n++) {
    let [sum, squares] = [0, 0];
    for (const own of logs) {
      sum += own[n];
      squares += own[n] ** 2;
    }
    for (const [k, own] of logs.entries()) stretch[k] += own[n] ** 2 + (squares - 2 * own[n] * sum) / logs.length;
  }
  return stretch.map((sum) => Math.max(0, sum) / Math.max(1, logs[0].length));
}
