// SPDX-License-Identifier: MIT
import { Vector3 } from 'three';

/** Of every animal, kilograms. */
export const MASS = 60;
/** The same about all axes, so that the response to an impulse needs one number. */
export const INERTIA = 12;

/** Contacts: friction, depth that is left, metres per second that push animals apart per metre of depth, and its limit. */
const FRICTION = 0.4;
const SLOP = 0.005;
const PUSH = 12;
const MAX_PUSH = 1.5;

/** An impulse at a contact that stops the approach, pushes both out of one another, and slows down sliding. */
export function pushApart({ a, b, point, normal, depth }) {
  const velocity = new Vector3().copy(b.velocityAtPoint(point)).sub(a.velocityAtPoint(point));
  const wanted = Math.min(MAX_PUSH, PUSH * Math.max(0, depth - SLOP));
  const pressure = Math.max(0, (wanted - velocity.dot(normal)) * massAlong(a, b, point, normal));
  const slide = velocity.addScaledVector(normal, -velocity.dot(normal));
  const speed = slide.length();
  const impulse = normal.clone().multiplyScalar(pressure);
  if (speed > 1e-6) {
    slide.divideScalar(-speed);
    impulse.addScaledVector(slide, Math.min(FRICTION * pressure, speed * massAlong(a, b, point, slide)));
  }
  b.applyImpulseAtPoint(impulse, point, true);
  a.applyImpulseAtPoint(impulse.negate(), point, true);
}

/** The mass that two bodies oppose to an impulse along a direction at a point. */
function massAlong(a, b, point, direction) {
  const lever = (body) => new Vector3().copy(point).sub(body.worldCom()).cross(direction).lengthSq();
  return 1 / (2 / MASS + (lever(a) + lever(b)) / INERTIA);
}
