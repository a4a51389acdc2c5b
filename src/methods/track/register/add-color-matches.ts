// SPDX-License-Identifier: MIT
// Matches by colour, where both surfaces have colours.
//
// J. Park, Q.-Y. Zhou, V. Koltun, "Colored point cloud registration revisited", ICCV 2017: a point moves along the surface of the frame until it has its own colour there. With the colour C of the template's point, the
// colour c of the frame at the matched point q and its gradient g along the surface, the residual of a channel is C − c − g · (x − q). As a match this is a plane with the normal g / |g| at q + g (C − c) / |g|², and
// the weight (γ |g|)², limited to that of a match by distance.
import type { Matches, PlacedSurface } from './find-matches.ts';

/** Length γ that counts as much as the largest difference of colours, relative to the box diagonal. */
const COLOR_SCALE = 0.05;
/** Gradients below this, in colours per box diagonal, do not say where a point is. */
const MIN_GRADIENT = 0.5;

/** Points of a surface: corners and their weights. */
export interface SurfacePlace {
  corners: readonly number[];
  blends: readonly number[];
}

/**
 * Adds a match for each colour channel to a match by distance.
 * @param at the match by distance
 * @param place its point of the frame
 */
export function addColorMatches(
  matches: Matches,
  at: number,
  template: PlacedSurface,
  frame: PlacedSurface,
  place: SurfacePlace,
  sigma: number,
): void {
  const [own, other] = [template.surface.colors, frame.surface.colors];
  if (!own || !other) return;
  const { corners, blends, targets, normals, weights } = matches;
  for (let channel = 0; channel < 3; channel++) {
    let difference = 0;
    const g = [0, 0, 0];
    for (let n = 0; n < 3; n++) {
      difference += blends[3 * at + n] * own.values[3 * corners[3 * at + n] + channel];
      difference -= place.blends[n] * other.values[3 * place.corners[n] + channel];
      for (let a = 0; a < 3; a++) g[a] += place.blends[n] * other.gradients[9 * place.corners[n] + 3 * channel + a];
    }
    const length = Math.hypot(g[0], g[1], g[2]);
    const shift = difference / length;
    if (!(length > MIN_GRADIENT)) continue;
    const next = matches.count++;
    for (let a = 0; a < 3; a++) {
      corners[3 * next + a] = corners[3 * at + a];
      blends[3 * next + a] = blends[3 * at + a];
      targets[3 * next + a] = targets[3 * at + a] + (g[a] / length) * shift;
      normals[3 * next + a] = g[a] / length;
    }
    const robust = (sigma * sigma) / (sigma * sigma + shift * shift);
    weights[next] = weights[at] * robust * robust * Math.min(1, COLOR_SCALE * length) ** 2;
  }
}
