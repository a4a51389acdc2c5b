// SPDX-License-Identifier: MIT
// The driver file: which joints drive the morph targets of a skinned glTF, and how. JSON, version 1; docs/reference/samples.md describes it.

import type { MorphDriver, MorphDriverPose } from '../../core/model/deformed/morph-drivers.ts';
import { FormatError } from '../../core/model/errors.ts';
import { quoteName, shortName } from '../../core/model/plain-text.ts';

const FORMAT = 'morph-drivers';
const VERSION = 1;
const DEGREES = Math.PI / 180;
/** Maximum number of poses in a file, to limit memory. */
const MAX_POSES = 100_000;

/**
 * Writes morph drivers as a driver file (JSON).
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { type MorphDriver, writeMorphDrivers } from 'ossify';
 *
 * const bend = [Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const;
 * const elbow: MorphDriver = { joints: ['elbow.L'], radius: 1, poses: [{ rotations: [bend], targets: { bulge: 1 } }] };
 * await writeFile('character.drivers.json', writeMorphDrivers([elbow]));
 * ```
 */
export function writeMorphDrivers(drivers: readonly MorphDriver[]): Uint8Array<ArrayBuffer> {
  const listed = drivers.map(({ joints, radius, poses }) => {
    const lines = poses.map((pose) => `        ${JSON.stringify(pose)}`).join(',\n');
    const head = `      "joints": ${JSON.stringify(joints)},\n      "radius": ${JSON.stringify(radius / DEGREES)}`;
    return `    {\n${head},\n      "poses": [\n${lines}\n      ]\n    }`;
  });
  const text = `{\n  "format": "${FORMAT}",\n  "version": ${VERSION},\n  "drivers": [\n${listed.join(',\n')}\n  ]\n}\n`;
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

/**
 * Reads a driver file. Its joint and target names are not checked: convert does that against the model.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { convert, readMorphDrivers } from 'ossify';
 *
 * const drivers = readMorphDrivers(await readFile('character.drivers.json'));
 * const converted = await convert({ kind: 'asset', asset }, { drivers, helpers: 8 });
 * ```
 */
export function readMorphDrivers(bytes: Uint8Array): MorphDriver[] {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    fail('syntax', 'this is not JSON');
  }
  const file = objectOf(json, 'the file');
  if (file.format !== FORMAT) fail('magic', `the format must be "${FORMAT}", got ${show(file.format)}`);
  if (file.version !== VERSION) fail('version', `version ${show(file.version)} is not read, only ${VERSION}`);
  let poseCount = 0;
  return arrayOf(file.drivers, 'drivers').map((given, n) => {
    const driver = objectOf(given, `driver ${n}`);
    const joints = arrayOf(driver.joints, `joints of driver ${n}`).map((name) => {
      if (typeof name !== 'string') fail('syntax', `driver ${n} names a joint ${show(name)}`);
      return name;
    });
    const radius = numberOf(driver.radius, `the radius of driver ${n}`);
    if (!(radius > 0 && radius <= 360))
      fail('value', `the radius of driver ${n} must be above 0 and at most 360 degrees, got ${radius}`);
    const poses = arrayOf(driver.poses, `poses of driver ${n}`);
    poseCount += poses.length;
    if (poseCount > MAX_POSES) fail('limit', `more than ${MAX_POSES} poses`);
    return { joints, radius: radius * DEGREES, poses: poses.map((pose, k) => readPose(pose, joints.length, n, k)) };
  });
}

function readPose(given: unknown, jointCount: number, n: number, k: number): MorphDriverPose {
  const where = `pose ${k} of driver ${n}`;
  const pose = objectOf(given, where);
  const rotations = arrayOf(pose.rotations, `rotations of ${where}`).map((q) => {
    const numbers = arrayOf(q, `a rotation of ${where}`).map((x) => numberOf(x, `a rotation of ${where}`));
    if (numbers.length !== 4) fail('length', `a rotation of ${where} must be x y z w, got ${numbers.length} numbers`);
    if (Math.abs(Math.hypot(...numbers) - 1) > 1e-4)
      fail('value', `a rotation of ${where} is not a unit quaternion: ${shortName(numbers.join(' '))}`);
    return numbers as [number, number, number, number];
  });
  if (rotations.length !== jointCount)
    fail('mismatch', `${where} has ${rotations.length} rotations for ${jointCount} joints`);
  const targets = Object.entries(objectOf(pose.targets, `targets of ${where}`)).map(
    ([name, amount]) => [name, numberOf(amount, `the target ${quoteName(name)} of ${where}`)] as const,
  );
  return { rotations, targets: Object.fromEntries(targets) };
}

/** What a value is, short enough for a message. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
  return typeof value === 'string' ? quoteName(value) : String(value);
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail('syntax', `${what} must be an object`);
  return value as Record<string, unknown>;
}

function arrayOf(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) fail('syntax', `${what}: expected a list, got ${show(value)}`);
  return value as unknown[];
}

function numberOf(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    fail('value', `${what} must be a number, got ${show(value)}`);
  return value as number;
}

function fail(code: ConstructorParameters<typeof FormatError>[1], message: string): never {
  throw new FormatError(FORMAT, code, message, undefined, 'morph drivers');
}
