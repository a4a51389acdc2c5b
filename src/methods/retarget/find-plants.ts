// SPDX-License-Identifier: MIT
// When a foot stands: its contact point (the ball of the foot, else the ankle) is slow and low for some frames. Lengths are relative to the leg. Chosen by hand: walking feet that stand move by less than 0.1 legs per second, swinging ones
// by more than 2.

/** Frames from first to last in which a foot stands. */
export interface Plant {
  first: number;
  last: number;
}

/** Legs per second. */
const SLOW = 0.3;
/** Height above the lowest one of the clip, legs. */
const LOW = 0.12;
/** Seconds. */
const MIN_DURATION = 0.08;

/** @param point frameCount x 3: the contact point */
export function findPlants(point: Float64Array, times: ArrayLike<number>, legLength: number): Plant[] {
  const count = times.length;
  let low = Infinity;
  for (let k = 0; k < count; k++) low = Math.min(low, point[3 * k + 1]);
  const speedAt = (k: number): number => {
    const [a, b] = [Math.max(0, k - 1), Math.min(count - 1, k + 1)];
    const span = times[b] - times[a];
    if (!(span > 0)) return 0;
    const away = Math.hypot(...[0, 1, 2].map((c) => point[3 * b + c] - point[3 * a + c]));
    return away / span / legLength;
  };
  const plants: Plant[] = [];
  let first = -1;
  for (let k = 0; k <= count; k++) {
    const stands = k < count && point[3 * k + 1] - low < LOW * legLength && speedAt(k) < SLOW;
    if (stands && first < 0) first = k;
    if (stands || first < 0) continue;
    if (times[k - 1] - times[first] >= MIN_DURATION) plants.push({ first, last: k - 1 });
    first = -1;
  }
  return plants;
}
