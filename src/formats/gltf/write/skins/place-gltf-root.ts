// SPDX-License-Identifier: MIT

/** Distance of the root from its nearest bone, relative to the distance of neighbouring bones. Not tuned. */
const REACH = 0.5;

/**
 * A place for the common root of bones that have no parent, such that its nearest bone is about half as far away as bones are from one another. Blender
 * draws bones without children as long as their parent, and a parent as long as the distance to its nearest child; bones without a parent are as long as
 * their distance from the origin, which hides the model.
 * @param places 3 per bone
 * @param size length of a bone if there is only one
 */
export function placeGltfRoot(places: Float64Array, size: number): [number, number, number] {
  const count = places.length / 3;
  const near = Float64Array.from({ length: count }, (_, j) => distanceToNearest(places, j));
  const apart = near.filter((distance) => distance > 0 && Number.isFinite(distance));
  const mean = apart.reduce((sum, distance) => sum + distance, 0) / (apart.length || 1);
  const center = [0, 1, 2].map((c) => places.reduce((sum, x, n) => (n % 3 === c ? sum + x : sum), 0) / count);
  let best = 0;
  let bestDistance = Infinity;
  for (let j = 0; j < count; j++) {
    const distance = Math.hypot(...center.map((x, c) => places[3 * j + c] - x));
    if (near[j] > 0 && distance < bestDistance) [best, bestDistance] = [j, distance];
  }
  // At half the distance to the nearest bone or less, no other bone is closer.
  const reach = apart.length > 0 ? REACH * Math.min(mean, near[best]) : size;
  return [places[3 * best], places[3 * best + 1] - reach, places[3 * best + 2]];
}

function distanceToNearest(places: Float64Array, j: number): number {
  let nearest = Infinity;
  for (let k = 0; k < places.length / 3; k++) {
    if (k === j) continue;
    const x = places[3 * j] - places[3 * k];
    const y = places[3 * j + 1] - places[3 * k + 1];
    const z = places[3 * j + 2] - places[3 * k + 2];
    nearest = Math.min(nearest, x * x + y * y + z * z);
  }
  return Math.sqrt(nearest);
}
