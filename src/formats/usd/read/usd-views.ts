// SPDX-License-Identifier: MIT
// Cameras and lights of a stage.
import type { SceneCamera, SceneLight } from '../../gltf/index.ts';
import type { UsdPrim } from '../syntax/usd-layer.ts';
import { numbersOf, textOf, usdValueAt } from '../syntax/usd-values-at.ts';
import { candelaOfSphere } from '../usd-light-units.ts';
import { dictionaryOf, nameOf } from './usd-scene.ts';

/** What UsdGeomCamera has where nothing is stated. */
const CAMERA = { near: 1, far: 1_000_000, focalLength: 50, width: 20.955, height: 15.2908 };
/** Smallest distance of the near plane, metres: glTF does not allow zero. */
const MIN_NEAR = 1e-4;
/** Largest field of view, radians. */
const MAX_FIELD = Math.PI - 1e-3;
const TENTHS = 10;
const RADIANS = Math.PI / 180;

/**
 * Reads a Camera prim.
 * @param unit metres per unit of the stage
 */
export function readUsdCamera(prim: UsdPrim, node: number, unit: number): SceneCamera {
  const number = (name: string, fallback: number): number => numberOf(prim, name, fallback);
  const range = numbersOf(prim, 'clippingRange');
  const [near, far] = range && range.length >= 2 ? [range[0], range[1]] : [CAMERA.near, CAMERA.far];
  const own = { node, name: nameOf(prim), near: Math.max(MIN_NEAR, near * unit) };
  const end = far >= CAMERA.far || !(far * unit > own.near) ? {} : { far: far * unit };
  const [width, height] = [number('horizontalAperture', CAMERA.width), number('verticalAperture', CAMERA.height)].map(
    (x, n) => (x > 0 ? x : n === 0 ? CAMERA.width : CAMERA.height),
  );
  if (textOf(prim, 'projection') === 'orthographic') {
    const half = (aperture: number): number => (aperture * unit) / TENTHS / 2;
    return { ...own, kind: 'orthographic', width: half(width), height: half(height), ...end };
  }
  const focalLength = number('focalLength', CAMERA.focalLength);
  const fieldOfView = Math.min(
    MAX_FIELD,
    2 * Math.atan(height / 2 / (focalLength > 0 ? focalLength : CAMERA.focalLength)),
  );
  return { ...own, kind: 'perspective', fieldOfView, aspect: width / height, ...end };
}

/** Reads a light of UsdLux: areas shine as points. */
export function readUsdLight(prim: UsdPrim, node: number, unit: number): SceneLight {
  // before 21.02, inputs had no prefix
  const number = (name: string, fallback: number): number =>
    numberOf(prim, `inputs:${name}`, numberOf(prim, name, fallback));
  const color = numbersOf(prim, 'inputs:color') ?? numbersOf(prim, 'color') ?? [1, 1, 1];
  const [r, g, b] = Array.from(color, (x) => Math.min(1, Math.max(0, Number.isFinite(x) ? x : 1)));
  const strength = Math.max(0, number('intensity', 1) * 2 ** number('exposure', 0));
  const isNormalized = usdValueAt(prim.properties.get('inputs:normalize')) === true;
  const own = { node, name: nameOf(prim), color: [r ?? 1, g ?? 1, b ?? 1] as const };
  if (prim.typeName === 'DistantLight') return { ...own, kind: 'directional', intensity: finite(strength) };
  const intensity = finite(candelaOfSphere(strength, number('radius', 0.5) * unit, isNormalized));
  const range = dictionaryOf(prim.customData?.ossify)?.range;
  const limit = typeof range === 'number' && range > 0 ? { range } : {};
  const angle = number('shaping:cone:angle', 180) * RADIANS;
  if (!(angle < Math.PI / 2)) return { ...own, kind: 'point', intensity, ...limit };
  const outer = Math.max(1e-3, angle);
  const softness = Math.min(1, Math.max(0, number('shaping:cone:softness', 0)));
  // the inner angle of glTF is smaller than the outer one
  const inner = Math.min(outer * (1 - softness), outer * (1 - 1e-6));
  return { ...own, kind: 'spot', intensity, cone: [inner, outer], ...limit };
}

function finite(x: number): number {
  return Number.isFinite(x) ? Math.min(x, 1e12) : 0;
}

function numberOf(prim: UsdPrim, name: string, fallback: number): number {
  const value = numbersOf(prim, name)?.[0];
  return value !== undefined && Number.isFinite(value) ? value : fallback;
}
