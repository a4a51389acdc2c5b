// SPDX-License-Identifier: MIT
// Cameras and lights of a scene.
import type { SceneCamera, SceneLight } from '../../../gltf/index.ts';
import { lightAreaFactor } from '../../usd-light-units.ts';
import { makeUsdDraft, type UsdDraftPrim, type UsdDraftProperty } from '../usd-draft.ts';

/** Focal length, in tenths of a unit; only its ratio to the aperture counts. */
const FOCAL_LENGTH = 50;
/** Width by height of a view that states neither. */
const ASPECT = 1.5;
const TENTHS = 10;
/** The far plane of USD's cameras without one. */
const FAR = 1_000_000;
const DEGREES = 180 / Math.PI;

/** A Camera prim without transform. */
export function makeUsdCamera(camera: SceneCamera, name: string): UsdDraftPrim {
  const float = (key: string, value: number): UsdDraftProperty => ({ name: key, type: 'float', value });
  const range = { name: 'clippingRange', type: 'float2', value: [camera.near, camera.far ?? FAR] };
  if (camera.kind === 'orthographic')
    return makeUsdDraft('Camera', name, [
      { name: 'projection', type: 'token', value: 'orthographic' },
      float('horizontalAperture', 2 * TENTHS * camera.width),
      float('verticalAperture', 2 * TENTHS * camera.height),
      range,
    ]);
  const height = 2 * FOCAL_LENGTH * Math.tan(camera.fieldOfView / 2);
  return makeUsdDraft('Camera', name, [
    { name: 'projection', type: 'token', value: 'perspective' },
    float('focalLength', FOCAL_LENGTH),
    float('horizontalAperture', height * (camera.aspect ?? ASPECT)),
    float('verticalAperture', height),
    range,
  ]);
}

/** A light of UsdLux without transform. Spots are spheres with a cone. */
export function makeUsdLight(light: SceneLight, name: string): UsdDraftPrim {
  const { kind, color, intensity, range, cone } = light;
  const isDistant = kind === 'directional';
  const prim = makeUsdDraft(isDistant ? 'DistantLight' : 'SphereLight', name, [
    { name: 'inputs:color', type: 'color3f', value: color },
    { name: 'inputs:intensity', type: 'float', value: intensity * (isDistant ? 1 : lightAreaFactor()) },
    { name: 'inputs:normalize', type: 'bool', value: true },
  ]);
  if (!isDistant)
    prim.properties.push(
      { name: 'inputs:radius', type: 'float', value: 0 },
      { name: 'treatAsPoint', type: 'bool', value: true },
    );
  if (kind === 'spot') {
    const [inner, outer] = cone ?? [0, Math.PI / 4];
    prim.apis = ['ShapingAPI'];
    prim.properties.push(
      { name: 'inputs:shaping:cone:angle', type: 'float', value: outer * DEGREES },
      { name: 'inputs:shaping:cone:softness', type: 'float', value: outer > 0 ? 1 - inner / outer : 0 },
    );
  }
  if (range !== undefined) prim.data = { ossify: { range } };
  return prim;
}
