// SPDX-License-Identifier: MIT
// Shapes of a version by name: its morph targets, or the shapes that drive its bones. Names connect a face with its conversion.
import { makeShapeDriver } from '../../../src/entry/deform.ts';
import type { RigView, VersionInfo } from '../messages/views.ts';

/** Weights of shapes by name; zero for shapes that are not listed. */
export type ShapeWeights = ReadonlyMap<string, number>;

/** Names of the shapes of a version. Morph targets of several parts with one name are one shape. */
export function listShapes({ drivers, morphs }: Pick<VersionInfo, 'drivers' | 'morphs'>): string[] {
  return drivers?.shapes ?? [...new Set(morphs)];
}

/** The bones of a version by its drivers: boneCount x 16. Undefined without drivers. */
export function driveBones(
  { drivers, rig }: Pick<VersionInfo, 'drivers'> & { rig?: Pick<RigView, 'names' | 'binds'> },
  weights: ShapeWeights,
): Float64Array | undefined {
  if (!drivers || !rig) return undefined;
  const bones = new Float64Array(16 * rig.names.length);
  makeShapeDriver(drivers, { names: rig.names, bindMatrices: rig.binds }).driveInto(
    drivers.shapes.map((name) => weights.get(name) ?? 0),
    bones,
  );
  return bones;
}
