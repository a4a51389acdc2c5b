// SPDX-License-Identifier: MIT
import { determinant3 } from '../../core/math/mat4.ts';
import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import type { LocalTransform } from './fbx-transform.ts';
import { numberProperty } from './syntax/fbx-object.ts';
import type { FbxObjects } from './syntax/fbx-objects.ts';

/** Centimetres per metre: the unit factor counts centimetres. */
const CENTIMETRES = 100;

/**
 * Reads the transform from the axes and the unit of a file to y up and metres: x is the file's coordinate axis, y its up axis, z its
 * front axis. Undefined if they are the same.
 */
export function readFbxAxes({ settings }: FbxObjects, log?: (message: string) => void): LocalTransform | undefined {
  const number = (name: string, fallback: number): number => numberProperty(settings, name, fallback);
  const axes = [number('CoordAxis', 0), number('UpAxis', 1), number('FrontAxis', 2)];
  const signs = [number('CoordAxisSign', 1), number('UpAxisSign', 1), number('FrontAxisSign', 1)];
  const factor = number('UnitScaleFactor', 1);
  const scale = factor > 0 ? factor / CENTIMETRES : 1 / CENTIMETRES;
  const matrix = new Float64Array(16);
  matrix[15] = 1;
  const isKnown = [...axes].sort().join() === '0,1,2' && signs.every((sign) => Math.abs(sign) === 1);
  if (!isKnown) log?.('the axes of the file contradict one another; y is taken as up');
  for (let r = 0; r < 3; r++) matrix[4 * (isKnown ? axes[r] : r) + r] = isKnown ? signs[r] : 1;
  const isMirrored = determinant3(matrix) < 0;
  // a left-handed file is mirrored along x
  if (isMirrored) for (let c = 0; c < 3; c++) matrix[4 * c] *= -1;
  const rotation = new Float64Array(4);
  quaternionFromMatrix(matrix, rotation);
  const local = {
    translation: new Float64Array(3),
    rotation,
    scale: Float64Array.of(scale, scale, scale),
  };
  if (isMirrored) return mirrored(local);
  return rotation[3] === 1 && scale === 1 ? undefined : local;
}

/** The same after a mirror along x: M R = R (Rᵀ M R), which is a scale where R permutes axes. */
function mirrored(local: LocalTransform): LocalTransform {
  const [x, y, z, w] = local.rotation;
  // first row of the rotation: the axis of the file that becomes x
  const row = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)];
  const axis = row.findIndex((value) => Math.abs(value) > 0.5);
  local.scale[axis] *= -1;
  return local;
}
