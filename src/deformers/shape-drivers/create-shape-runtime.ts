// SPDX-License-Identifier: MIT

import { makeIdentities } from '../../core/math/mat4.ts';
import { checkShapeDrivenSkin, type ShapeDrivenSkin } from '../../core/model/deformed/shape-drivers.ts';
import { InputError } from '../../core/model/errors.ts';
import { createBlendRuntime, type DdmRuntimeOptions, type PosedShapes } from '../direct-delta-mush/index.ts';
import { makeShapeDriver } from './make-shape-driver.ts';

/** A driven face on WebAssembly and threads. */
export interface ShapeRuntime {
  readonly vertexCount: number;
  readonly shapeCount: number;
  /**
   * Deforms the face by weights of its shapes. The arrays are valid until the next call.
   * @param joints boneCount x 16, rest to posed, if driven bones follow joints; default: the bind pose
   */
  deform(weights: ArrayLike<number>, joints?: Float64Array): Promise<PosedShapes>;
  /** Frees memory and threads. */
  dispose(): void;
}

/**
 * Makes the fast run-time of a driven face: its drivers, then linear blend skinning in single precision. Faces with remaining morph targets are not supported: use
 * makeShapeDriven.
 * @example
 * ```ts
 * import { createShapeRuntime } from 'ossify/deform';
 *
 * const runtime = await createShapeRuntime(face, { threads: 1 });
 * const { positions } = await runtime.deform(shapeWeights); // valid until the next call
 * runtime.dispose();
 * ```
 */
export async function createShapeRuntime(
  model: ShapeDrivenSkin,
  options: DdmRuntimeOptions = {},
): Promise<ShapeRuntime> {
  checkShapeDrivenSkin(model);
  if (model.kept)
    throw new InputError('shape drivers', 'the model has morph targets; makeShapeDriven evaluates such models');
  const driver = makeShapeDriver(model.drivers, model.skeleton);
  const bones = new Float64Array(16 * driver.boneCount);
  const identities = makeIdentities(driver.boneCount);
  const runtime = await createBlendRuntime(model.mesh, model.skin, driver.boneCount, options);
  return {
    vertexCount: runtime.vertexCount,
    shapeCount: driver.shapeCount,
    deform(weights, joints) {
      bones.set(joints ?? identities);
      driver.poseInto(weights, bones);
      return runtime.deformMany([{ bones }]);
    },
    dispose: () => runtime.dispose(),
  };
}
