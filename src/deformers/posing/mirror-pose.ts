// SPDX-License-Identifier: MIT
import { conjugateQuaternion, multiplyQuaternions, quaternionFromMatrix } from '../../core/math/quaternion.ts';
import type { EditedRig, PoseEditor } from './pose-editor.ts';

/** Parts of names that tell the sides apart, each with its counterpart. */
const SIDES: [RegExp, (name: string) => string][] = [
  [/left/i, (name) => name.replace(/left/i, (word) => alike(word, 'right'))],
  [/right/i, (name) => name.replace(/right/i, (word) => alike(word, 'left'))],
  [/(^|[_.\-\s\d])L(?=$|[_.\-\s\d]|[A-Z])/, (name) => name.replace(/(^|[_.\-\s\d])L(?=$|[_.\-\s\d]|[A-Z])/, '$1R')],
  [/(^|[_.\-\s\d])R(?=$|[_.\-\s\d]|[A-Z])/, (name) => name.replace(/(^|[_.\-\s\d])R(?=$|[_.\-\s\d]|[A-Z])/, '$1L')],
  [/(^|[_.\-\s\d])l(?=$|[_.\-\s\d])/, (name) => name.replace(/(^|[_.\-\s\d])l(?=$|[_.\-\s\d])/, '$1r')],
  [/(^|[_.\-\s\d])r(?=$|[_.\-\s\d])/, (name) => name.replace(/(^|[_.\-\s\d])r(?=$|[_.\-\s\d])/, '$1l')],
];

/**
 * The bone on the other side of each bone, found by name (LeftArm and RightArm, arm.L and arm.R, Leg0LFoot and Leg0RFoot); a bone in the middle is its own.
 * @internal
 */
export function listMirrorBones(names: readonly string[]): Int32Array {
  const place = new Map(names.map((name, j) => [name, j]));
  return Int32Array.from(names, (name, j) => {
    const rule = SIDES.find(([pattern]) => pattern.test(name));
    return (rule && place.get(rule[1](name))) ?? j;
  });
}

/**
 * Mirrors a pose at the plane x = 0: each bone gets the reflected rotation of the bone on its other side, as far as its range allows.
 * @internal
 */
export function mirrorPose(editor: PoseEditor<EditedRig & { names: readonly string[] }>): void {
  const { names, binds } = editor.rig;
  const other = listMirrorBones(names);
  const turns = names.map((_, j) => {
    const [posed, rest] = [new Float64Array(4), new Float64Array(4)];
    quaternionFromMatrix(editor.frameOf(j), posed);
    quaternionFromMatrix(binds.subarray(16 * j, 16 * j + 16), rest);
    conjugateQuaternion(rest, rest);
    multiplyQuaternions(posed, rest, posed);
    return posed;
  });
  for (let j = 0; j < names.length; j++) {
    const [x, y, z, w] = turns[other[j]];
    const rest = new Float64Array(4);
    quaternionFromMatrix(binds.subarray(16 * j, 16 * j + 16), rest);
    multiplyQuaternions([x, -y, -z, w], rest, rest);
    editor.setRotation(j, rest);
  }
}

function alike(word: string, other: string): string {
  if (word === word.toUpperCase()) return other.toUpperCase();
  return word[0] === word[0].toUpperCase() ? other[0].toUpperCase() + other.slice(1) : other;
}
