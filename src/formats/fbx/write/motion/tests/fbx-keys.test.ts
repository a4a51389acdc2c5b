// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { slerpInto } from '../../../../../core/math/quaternion.ts';
import { makeRandom } from '../../../../../core/math/random.ts';
import type { Track } from '../../../../../core/model/clip/animation.ts';
import { degreesFromQuaternionInto } from '../../../fbx-degrees.ts';
import { quaternionFromDegreesInto } from '../../../fbx-transform.ts';
import type { FbxKeys } from '../fbx-linear-keys.ts';
import { makeLinearKeys } from '../fbx-linear-keys.ts';
import { makeRotationKeys, middleOfRotations } from '../fbx-rotation-keys.ts';

const NO_TURN = Float64Array.of(0, 0, 0, 1);

/** Angle between two rotations, degrees. */
function angleBetween(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const length = Math.hypot(b[0], b[1], b[2], b[3]);
  let [near, far] = [0, 0];
  for (let c = 0; c < 4; c++) {
    near += (a[c] - b[c] / length) ** 2;
    far += (a[c] + b[c] / length) ** 2;
  }
  return (4 * Math.asin(Math.sqrt(Math.min(near, far)) / 2) * 180) / Math.PI;
}

/** A rotation as angle curves or as quaternions between keys, as engines and as three.js play it. */
function play({ times, values }: FbxKeys, time: number, by: 'angles' | 'turns'): Float64Array {
  let k = 0;
  while (k + 2 < times.length && times[k + 1] <= time) k++;
  const ratio = Math.min(1, Math.max(0, (time - times[k]) / (times[k + 1] - times[k])));
  const [a, b] = [values.slice(3 * k, 3 * k + 3), values.slice(3 * k + 3, 3 * k + 6)];
  const out = new Float64Array(4);
  if (by === 'angles') {
    quaternionFromDegreesInto(
      a.map((x, c) => x + ratio * (b[c] - x)),
      [0, 1, 2],
      out,
    );
    return out;
  }
  const [from, to] = [new Float64Array(4), new Float64Array(4)];
  quaternionFromDegreesInto(a, [0, 1, 2], from);
  quaternionFromDegreesInto(b, [0, 1, 2], to);
  slerpInto(from, to, ratio, out);
  return out;
}

describe('angles of rotations', () => {
  it('are exact near y = ±90°, also for quaternions of 32-bit numbers', () => {
    const random = makeRandom(7);
    const [exact, back, angles] = [new Float64Array(4), new Float64Array(4), new Float64Array(3)];
    let worst = 0;
    for (let n = 0; n < 4000; n++) {
      const near = 10 ** (-9 * random.next());
      const y = (n % 2 === 0 ? 90 : -90) + (n % 3 === 0 ? 0 : near * (random.next() - 0.5));
      quaternionFromDegreesInto([360 * random.next(), y, 360 * random.next()], [0, 1, 2], exact);
      const single = Float32Array.from(exact);
      degreesFromQuaternionInto(single, 0, angles, 0);
      quaternionFromDegreesInto(angles, [0, 1, 2], back);
      worst = Math.max(worst, angleBetween(back, single));
    }
    expect(worst).toBeLessThan(2e-5);
  });

  it('do not depend on the length of the quaternion', () => {
    const angles = new Float64Array(3);
    degreesFromQuaternionInto([0.3, 0.9, 0.6, 1.2], 0, angles, 0);
    const longer = new Float64Array(3);
    degreesFromQuaternionInto([3, 9, 6, 12], 0, longer, 0);
    longer.forEach((x, c) => {
      expect(x).toBeCloseTo(angles[c], 10);
    });
  });
});

describe('keys of rotations', () => {
  const turns = [
    [0, 0, 0, 1],
    [0.6, 0.5, -0.4, 0.48],
    [-0.2, 0.69, 0.1, 0.69],
    [0.9, 0.1, 0.4, -0.14],
  ].map((q) => q.map((x) => x / Math.hypot(...q)));
  const track: Track = {
    node: 0,
    path: 'rotation',
    interpolation: 'LINEAR',
    times: Float32Array.of(0, 0.5, 0.6, 1.5),
    values: Float32Array.from(turns.flat()),
  };

  it.each(['angles', 'turns'] as const)('follow the shortest arc between uneven keys, played by %s', (by) => {
    const pre = middleOfRotations([track]) ?? NO_TURN;
    const inverse = [-pre[0], -pre[1], -pre[2], pre[3]];
    const keys = makeRotationKeys(track, { pre, flip: NO_TURN });
    expect(keys.times.length).toBeLessThan(400);
    for (let n = 0; n <= 300; n++) {
      const time = (1.5 * n) / 300;
      const k = time < 0.5 ? 0 : time < 0.6 ? 1 : 2;
      const truth = new Float64Array(4);
      slerpInto(turns[k], turns[k + 1], (time - track.times[k]) / (track.times[k + 1] - track.times[k]), truth);
      const played = play(keys, time, by);
      const [x, y, z, w] = inverse;
      const [a, b, c, d] = truth;
      const local = [
        w * a + x * d + y * c - z * b,
        w * b - x * c + y * d + z * a,
        w * c + x * b - y * a + z * d,
        w * d - x * a - y * b - z * c,
      ];
      expect(angleBetween(played, local)).toBeLessThan(0.03);
    }
  });

  it('have no half turn between two keys, where rounding would decide which way round a player goes', () => {
    // the animated cube of the Khronos samples: single precision makes the half turns go on in one direction
    const values = Float32Array.of(0, 0, 0, 1, 0, -1, 0, 4.371139e-8, 0, -8.742278e-8, 0, -1);
    const track: Track = {
      ...{ node: 0, path: 'rotation', interpolation: 'LINEAR', times: Float32Array.of(0, 1, 2), values },
    };
    const keys = makeRotationKeys(track, { pre: NO_TURN, flip: NO_TURN });
    expect(keys.times.length).toBeGreaterThanOrEqual(5);
    for (let k = 1; k < keys.times.length; k++) {
      const [a, b] = [k - 1, k].map((n) => {
        const q = new Float64Array(4);
        quaternionFromDegreesInto(keys.values.slice(3 * n, 3 * n + 3), [0, 1, 2], q);
        return q;
      });
      expect(angleBetween(a, b)).toBeLessThan(175);
    }
  });

  it('hold in steps, with a key before each jump for players that know straight lines only', () => {
    const keys = makeRotationKeys({ ...track, interpolation: 'STEP' }, { pre: NO_TURN, flip: NO_TURN });
    expect(keys.isStepped).toBe(true);
    const before = play(keys, 0.4998, 'turns');
    expect(angleBetween(before, turns[0])).toBeLessThan(1e-4);
    expect(angleBetween(play(keys, 0.5, 'turns'), turns[1])).toBeLessThan(1e-4);
  });
});

describe('keys of splines', () => {
  it('are straight lines close to the spline', () => {
    const values = Float32Array.of(0, 0, 0, 0, 1, 2, 4, 0, 0, 3, 2, 1, 0, -5, 0, 0, 0, 0);
    const track: Track = {
      node: 0,
      path: 'translation',
      interpolation: 'CUBICSPLINE',
      times: Float32Array.of(0, 1),
      values,
    };
    const { times, values: out } = makeLinearKeys(track);
    for (let n = 0; n < 100; n++) {
      const t = n / 100;
      let k = 0;
      while (times[k + 1] <= t) k++;
      const ratio = (t - times[k]) / (times[k + 1] - times[k]);
      const x = out[3 * k] + ratio * (out[3 * k + 3] - out[3 * k]);
      const exact =
        (t ** 3 - 2 * t ** 2 + t) * values[6] + (3 * t ** 2 - 2 * t ** 3) * values[12] + (t ** 3 - t ** 2) * values[9];
      expect(Math.abs(x - exact)).toBeLessThan(1e-3);
    }
  });
});
