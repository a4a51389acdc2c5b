// SPDX-License-Identifier: MIT
// Frames that cannot be tracked: empty ones, and ones in another unit.
//
// A frame in another unit is larger or smaller in every way. The box alone is not enough: parts that move apart enlarge it. The area does not depend on where the parts are, so the square root of its ratio to the median of all
// frames is the scale of a frame.
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { measureTriangleAreas } from '../../core/mesh/geometry/triangle-areas.ts';
import { checkSize } from '../../core/model/clip/check-range.ts';
import { InputError } from '../../core/model/errors.ts';
import type { ScanFrame } from './register/scan-frame.ts';

/** Maximum scale of a frame: one in inches beside frames in centimetres has 2.54. */
const MAX_SCALE = 2;
/** Maximum distance from the origin, in box diagonals: coordinates of 32 bits are rounded to 0.6 % of the diagonal there. */
const MAX_DISTANCE = 5e4;
/** Minimum area of a surface, relative to the square of the box diagonal: below it, all vertices are on a line but for rounding. A hair of a thousandth of its length has 0.003. */
const MIN_AREA = 1e-6;

/**
 * Throws an InputError about the first frame that cannot be tracked.
 * @param names of the frames
 * @param template a template that is no frame
 * @param templateName its name
 */
export function checkFrames(
  frames: readonly ScanFrame[],
  names: readonly string[],
  template?: ScanFrame,
  templateName = 'the template',
): void {
  const sizes = frames.map((frame, k) => measureFrame(frame, names[k]));
  const usual = sizes.toSorted((a, b) => a - b)[sizes.length >> 1];
  if (template) checkScale(measureFrame(template, templateName) / usual, templateName);
  for (const [k, size] of sizes.entries()) checkScale(size / usual, names[k]);
}

/** The square root of the area. */
function measureFrame({ positions, triangles }: ScanFrame, name: string): number {
  if (triangles.length === 0) throw new InputError(name, 'has no triangles; leave it out, or export its surface');
  // vertices without a triangle do not count
  const corners = Float32Array.from(
    { length: 3 * triangles.length },
    (_, c) => positions[3 * triangles[Math.floor(c / 3)] + (c % 3)],
  );
  const { min, max, diagonal } = measureBounds(corners);
  if (!(diagonal > 0)) throw new InputError(name, 'has no extent; all vertices coincide');
  const size = Math.max(...min.map(Math.abs), ...max.map(Math.abs));
  checkSize(size, name);
  if (size > MAX_DISTANCE * diagonal)
    throw new InputError(
      name,
      'is too far from the origin for the precision of its coordinates; move it to the others',
    );
  const area = measureTriangleAreas(positions, triangles).reduce((sum, one) => sum + one, 0);
  if (!(area > MIN_AREA * diagonal * diagonal))
    throw new InputError(
      name,
      'has hardly any area for its size: its triangles are on a line, or some are very far away; remove those, or leave it out',
    );
  return Math.sqrt(area);
}

function checkScale(scale: number, name: string): void {
  if (scale <= MAX_SCALE && scale >= 1 / MAX_SCALE) return;
  const times = scale > 1 ? scale : 1 / scale;
  throw new InputError(
    name,
    `is ${times >= 10 ? Math.round(times) : times.toFixed(1)} times as ${scale > 1 ? 'large' : 'small'} as the other frames; all frames must have one unit and show the whole body`,
  );
}
