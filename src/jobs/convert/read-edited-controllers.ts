// SPDX-License-Identifier: MIT
// The file that `convert --controllers` writes, with edits, as the start of another conversion: `inputs` (joints and their ranges) and `keys` (poses in which the helper is given)
// are kept, terms are fitted again.

import { composeEuler } from '../../core/math/euler.ts';
import { compose, multiply } from '../../core/math/mat4.ts';
import { conjugateQuaternion, multiplyQuaternions, rotationVectorFromQuaternion } from '../../core/math/quaternion.ts';
import { CONTROLLER_OUTPUTS, isFollow } from '../../core/model/deformed/helper-bones.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import { type ControllersFile, decodeTerms, type NamedController } from '../../deformers/helper-bones/index.ts';
import { makeDecodeBudget } from '../../deformers/layout/index.ts';
import type { EditedHelper, KeyPose } from '../../methods/convert/index.ts';

/** A pose in which an artist gives the transform of a helper. */
export interface EditedKey {
  /** By name of an input: degrees about x, y and z, R = Rx Ry Rz. Other inputs are at rest. */
  pose: Readonly<Record<string, readonly number[]>>;
  /** In the space of its parent, as at rest in the file; what is absent is fitted. */
  translation?: readonly number[];
  /** Unit quaternion x y z w. */
  rotation?: readonly number[];
  scale?: readonly number[];
}

/** A controller of the file, with edits. */
export interface EditedController extends NamedController {
  keys?: readonly EditedKey[];
  /** Keep the terms: nothing is fitted. */
  locked?: boolean;
}

const NAME = 'controllers';
/** First outputs of a key, by component. */
const COMPONENTS = [
  { name: 'translation', at: 0 },
  { name: 'rotation', at: 3 },
  { name: 'scale', at: 6 },
];
/** 1 - cos(φ/2) of the largest angle φ between poses that count as one: 0.005 degrees, above the rounding of degrees with three digits. */
const SAME_POSE = 1e-9;

/** Reads edited controllers for a skeleton. Throws an InputError that names the helper and the fault. */
export function readEditedControllers(json: unknown, skeleton: Skeleton): EditedHelper[] {
  const { format, helpers } = (json ?? {}) as Partial<ControllersFile>;
  if (format !== 'ossify-helper-bones' || !Array.isArray(helpers))
    throw new InputError(NAME, 'the file is not one that convert --controllers wrote');
  return (helpers as EditedController[]).map((helper, n) => readHelper(helper, n, skeleton));
}

function readHelper(helper: EditedController, n: number, skeleton: Skeleton): EditedHelper {
  const name = String(helper?.name ?? `helper ${n}`);
  const fault = (text: string): never => {
    throw new InputError(NAME, `"${name}": ${text}`);
  };
  const jointOf = (joint: unknown): number => {
    const found = skeleton.names.indexOf(String(joint));
    return found >= 0 ? found : fault(`there is no joint "${joint}" in the rig`);
  };
  const numbers = (value: unknown, size: number, what: string): number[] => {
    const list = Array.isArray(value) ? value : [];
    if (list.length !== size || !list.every(Number.isFinite)) fault(`${what} must be ${size} numbers`);
    return list as number[];
  };
  if (typeof helper !== 'object' || helper === null || !Array.isArray(helper.inputs))
    return fault('inputs must be a list of joints');
  if (helper.inputs.length === 0) fault('inputs must name at least one joint');
  if (helper.locked !== undefined && typeof helper.locked !== 'boolean') fault('locked must be true or false');
  const { inputs, basis = inputs.map(({ joint }) => joint), terms = [], keys = [], follow, locked = false } = helper;
  const parent = jointOf(helper.parent);
  const rest = {
    translation: numbers(helper.translation, 3, 'translation'),
    rotation: numbers(helper.rotation, 4, 'rotation'),
    scale: numbers(helper.scale, 3, 'scale'),
  };
  const local = new Float64Array(16);
  compose(rest.translation, rest.rotation, rest.scale, local);
  const bind = new Float64Array(16);
  multiply(skeleton.bindMatrices, local, bind, 16 * parent);
  const joints = inputs.map(({ joint }) => jointOf(joint));
  const reaches = inputs.map(({ reach }) =>
    reach > 0 && reach <= Math.PI ? reach : fault('every input needs a reach above 0, at most π radians'),
  );
  if (follow && !isFollow(follow)) fault('follow needs a delay above 0 and a damping above 0, at most 1');
  const polynomial = decodeTerms(terms, basis.length, `"${name}"`, makeDecodeBudget(JSON.stringify(terms).length));
  if (locked && (basis.length !== inputs.length || basis.some((joint, i) => joint !== inputs[i].joint)))
    fault('its inputs were changed, so its terms cannot be kept; remove "locked"');
  const poses = keys.map((key, k) =>
    readKey(key, helper, rest, (value, size) => numbers(value, size, `keys[${k}]`), fault),
  );
  refuseSamePose(poses, fault);
  const reachOf = (joint: string) => inputs.find((input) => input.joint === joint)?.reach ?? Math.PI;
  return {
    name,
    given: {
      ...{ parent, bind, joints, reaches, follow: follow ?? null },
      keys: poses,
      ...(locked ? { fixed: polynomial } : {}),
    },
    start: {
      joints: Int32Array.from(basis, jointOf),
      reaches: Float64Array.from(basis, reachOf),
      ...polynomial,
    },
  };
}

/** Two keys cannot give the same component in one pose: the controller is a function of the pose. */
function refuseSamePose(keys: readonly KeyPose[], fault: (text: string) => never): void {
  for (let l = 1; l < keys.length; l++)
    for (let k = 0; k < l; k++) {
      const what = COMPONENTS.find(({ at }) => [keys[k], keys[l]].every(({ outputs }) => !Number.isNaN(outputs[at])));
      if (what && isSamePose(keys[k].turns, keys[l].turns))
        fault(`keys[${k}] and keys[${l}] both give the ${what.name} in one pose; keep one of them`);
    }
}

/** Quaternions q and -q are one rotation. */
function isSamePose(a: Float64Array, b: Float64Array): boolean {
  for (let o = 0; o < a.length; o += 4) {
    let dot = 0;
    for (let c = 0; c < 4; c++) dot += a[o + c] * b[o + c];
    if (Math.abs(dot) < 1 - SAME_POSE) return false;
  }
  return true;
}

function readKey(
  key: EditedKey,
  { inputs }: EditedController,
  rest: { translation: number[]; rotation: number[]; scale: number[] },
  numbers: (value: unknown, size: number) => number[],
  fault: (text: string) => never,
): KeyPose {
  const pose = key?.pose ?? {};
  const stranger = Object.keys(pose).find((joint) => !inputs.some((input) => input.joint === joint));
  if (stranger !== undefined) fault(`a key names the joint "${stranger}", which is not among its inputs`);
  const turns = new Float64Array(4 * inputs.length);
  inputs.forEach(({ joint }, n) => {
    const [x, y, z] = pose[joint] ? numbers(pose[joint], 3).map((angle) => (angle * Math.PI) / 180) : [0, 0, 0];
    turns.set(composeEuler(x, y, z), 4 * n);
  });
  if (!key.translation && !key.rotation && !key.scale) fault('a key needs a translation, a rotation or a scale');
  if (key.scale && !numbers(key.scale, 3).every((s) => s > 0)) fault('the scale of a key must be above zero');
  const outputs = new Float64Array(CONTROLLER_OUTPUTS).fill(Number.NaN);
  if (key.translation) outputs.set(numbers(key.translation, 3).map((t, c) => t - rest.translation[c]));
  if (key.rotation) {
    const turn = new Float64Array(4);
    conjugateQuaternion(rest.rotation, turn);
    multiplyQuaternions(turn, numbers(key.rotation, 4), turn);
    const vector = new Float64Array(3);
    rotationVectorFromQuaternion(turn, vector);
    outputs.set(vector, 3);
  }
  if (key.scale)
    outputs.set(
      numbers(key.scale, 3).map((s, c) => s / rest.scale[c] - 1),
      6,
    );
  return { turns, outputs };
}
