// SPDX-License-Identifier: MIT
// A damped spring, ẍ = ω² (u − x) − 2 ζ ω ẋ, whose target u is linear between two times: the exact solution, so that the result does not depend on the length of the steps.
//   x(t) = u(t) − 2ζṡ/ω + e^(−ζωt) (a c(t) + b s(t)),   u(t) = u₀ + ṡt
// with c, s = cos, sin of ω√(1−ζ²) t, or 1 and t for ζ = 1. The spring lags behind a steady target by 2ζ/ω seconds, its delay.
import type { HelperFollow } from '../../core/model/deformed/helper-bones.ts';

/** Values that follow their targets. */
export interface Spring {
  /**
   * Moves values and their speeds on, in place.
   * @param values size
   * @param speeds size, per second
   * @param from targets at the start
   * @param to targets at the end
   */
  advance(values: Float64Array, speeds: Float64Array, from: Float64Array, to: Float64Array, seconds: number): void;
}

/** Makes the spring of a delay and a damping ratio. */
export function makeSpring({ delay, damping }: HelperFollow): Spring {
  const omega = (2 * damping) / delay;
  const isCritical = damping === 1;
  const turning = omega * Math.sqrt(1 - damping * damping);
  return {
    advance(values, speeds, from, to, seconds) {
      if (seconds <= 0) return;
      const decay = Math.exp(-damping * omega * seconds);
      const c = isCritical ? 1 : Math.cos(turning * seconds);
      const s = isCritical ? seconds : Math.sin(turning * seconds);
      // derivatives of c and s
      const dc = isCritical ? 0 : -turning * s;
      const ds = isCritical ? 1 : turning * c;
      for (let e = 0; e < values.length; e++) {
        const slope = (to[e] - from[e]) / seconds;
        const lag = delay * slope;
        const a = values[e] - (from[e] - lag);
        const b = (speeds[e] - slope + damping * omega * a) / (isCritical ? 1 : turning);
        values[e] = to[e] - lag + decay * (a * c + b * s);
        speeds[e] = slope + decay * (a * dc + b * ds - damping * omega * (a * c + b * s));
      }
    },
  };
}
