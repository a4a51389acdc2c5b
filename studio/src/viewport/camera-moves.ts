// SPDX-License-Identifier: MIT
// Moves of the camera by keys: along an axis, around its target, closer and farther.
import { type PerspectiveCamera, Spherical, Vector3 } from 'three';
import type { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

export type Standpoint = 'front' | 'right' | 'top';
const DIRECTIONS: Record<Standpoint, [number, number, number]> = {
  front: [0, 0, 1],
  right: [1, 0, 0],
  // a camera that looks straight down would have no upright
  top: [0, 1, 0.001],
};

export function lookAlong(camera: PerspectiveCamera, controls: OrbitControls, standpoint: Standpoint): void {
  const distance = camera.position.distanceTo(controls.target);
  camera.position.copy(controls.target).add(new Vector3(...DIRECTIONS[standpoint]).setLength(distance));
  controls.update();
}

/** Turns the camera about its target, radians. */
export function orbitBy(camera: PerspectiveCamera, controls: OrbitControls, azimuth: number, elevation: number): void {
  const offset = new Spherical().setFromVector3(camera.position.clone().sub(controls.target));
  offset.theta += azimuth;
  offset.phi += elevation;
  offset.makeSafe();
  camera.position.setFromSpherical(offset).add(controls.target);
  controls.update();
}

export function zoomBy(camera: PerspectiveCamera, controls: OrbitControls, factor: number): void {
  camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
  controls.update();
}
