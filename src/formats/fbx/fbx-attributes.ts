// SPDX-License-Identifier: MIT
// Cameras and lights. FBX 6 has their properties in the model, FBX 7 in an object of its own.
import { quoteName } from '../../core/model/plain-text.ts';
import type { SceneCamera, SceneLight } from '../gltf/index.ts';
import { lightFromScreen } from './fbx-colors.ts';
import type { FbxModel } from './fbx-models.ts';
import { numberOfFbx } from './syntax/fbx-node.ts';
import { type FbxObject, numberProperty, propertyOf } from './syntax/fbx-object.ts';
import type { FbxObjects } from './syntax/fbx-objects.ts';

const RADIANS = Math.PI / 180;
const MILLIMETRES = 25.4;
const KINDS = ['point', 'directional', 'spot'] as const;
/** Cameras of the views of an editor, which version 6 stores with the scene. */
const EDITOR_CAMERA = /^(Producer |Camera Switcher)/;
/** Angles of view that a camera can have, radians. */
const [MIN_ANGLE, MAX_ANGLE] = [1e-3, Math.PI - 1e-3];

/** What nodes carry. */
export interface FbxAttributes {
  cameras: SceneCamera[];
  lights: SceneLight[];
}

/**
 * Reads the cameras and lights of models.
 * @param metres length of a unit of the file
 */
export function readFbxAttributes(
  objects: FbxObjects,
  models: readonly FbxModel[],
  nodeOfModel: Int32Array,
  metres: number,
  log?: (message: string) => void,
): FbxAttributes {
  const cameras: SceneCamera[] = [];
  const lights: SceneLight[] = [];
  models.forEach(({ object, isTurned }, m) => {
    const { type, name } = object;
    if ((type !== 'Camera' && type !== 'Light') || EDITOR_CAMERA.test(name)) return;
    if (!isTurned) {
      log?.(
        `${type === 'Camera' ? 'the camera' : 'the light'} ${quoteName(name)} has nodes below it, and was left out`,
      );
      return;
    }
    const attribute =
      objects.childrenOf(object.id).find((link) => link.object.kind === 'NodeAttribute')?.object ?? object;
    const node = nodeOfModel[m];
    if (type === 'Camera') cameras.push(readCamera(attribute, node, name, metres));
    else lights.push(readLight(attribute, node, name, metres));
  });
  return { cameras, lights };
}

function readCamera(attribute: FbxObject, node: number, name: string, metres: number): SceneCamera {
  const number = (property: string, fallback: number): number => numberProperty(attribute, property, fallback);
  const near = Math.max(1e-4, number('NearPlane', 10) * metres);
  const far = Math.max(2 * near, number('FarPlane', 4000) * metres);
  const [filmWidth, filmHeight] = [number('FilmWidth', 0.816), number('FilmHeight', 0.612)];
  const [across, down] = [number('AspectWidth', filmWidth), number('AspectHeight', filmHeight)];
  const aspect = across > 0 && down > 0 ? across / down : 1;
  if (number('CameraProjectionType', 0) === 1) {
    const height = Math.max(1e-6, number('OrthoZoom', 1) * metres);
    return { node, name, kind: 'orthographic', near, far, width: height * aspect, height };
  }
  const angle = number('FieldOfView', 40) * RADIANS;
  const fromAcross = (value: number): number => 2 * Math.atan(Math.tan(value / 2) / aspect);
  const byMode = [
    () => number('FieldOfViewY', 40) * RADIANS,
    () => fromAcross(angle),
    () => angle,
    () => 2 * Math.atan((MILLIMETRES * filmHeight) / 2 / Math.max(1e-3, number('FocalLength', 35))),
  ];
  const found = (byMode[number('ApertureMode', 2)] ?? byMode[2])();
  const fieldOfView = Math.min(MAX_ANGLE, Math.max(MIN_ANGLE, Number.isFinite(found) ? found : 40 * RADIANS));
  return { node, name, kind: 'perspective', near, far, fieldOfView, aspect };
}

function readLight(attribute: FbxObject, node: number, name: string, metres: number): SceneLight {
  const number = (property: string, fallback: number): number => numberProperty(attribute, property, fallback);
  const kind = KINDS[number('LightType', 0)] ?? 'point';
  const color = propertyOf(attribute, 'Color');
  const [red, green, blue] = [0, 1, 2].map((c) => {
    const value = numberOfFbx(color?.[c]) ?? 1;
    return lightFromScreen(Math.min(1, Math.max(0, Number.isFinite(value) ? value : 1)));
  });
  const end = number('FarAttenuationEnd', 0) * metres;
  const isLimited = number('EnableFarAttenuation', 0) !== 0 && end > 0 && kind !== 'directional';
  const outer = Math.min(90, Math.max(0.1, number('OuterAngle', 45) / 2)) * RADIANS;
  const inner = Math.min(outer - 1e-4, Math.max(0, number('InnerAngle', 0) / 2) * RADIANS);
  return {
    node,
    name,
    kind,
    color: [red, green, blue],
    intensity: Math.max(0, number('Intensity', 100) / 100),
    ...(isLimited ? { range: end } : {}),
    ...(kind === 'spot' ? { cone: [inner, outer] as const } : {}),
  };
}
