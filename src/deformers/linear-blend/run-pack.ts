// SPDX-License-Identifier: MIT

import type { Compute, KernelCall, Resident } from '../../core/kernels/compute.ts';
import { callDdm, type DdmPack, putPose } from '../../core/kernels/ddm/pack-ddm.ts';
import type { Pose } from '../../core/model/deformed/deformer.ts';
import { InputError } from '../../core/model/errors.ts';

/** Posed shapes. The arrays belong to the run-time and are valid until its next call. */
export interface PosedShapes {
  /** Number of poses. */
  poseCount: number;
  /** poseCount x vertexCount x 3 */
  positions: Float32Array;
  /** poseCount x vertexCount x 3, unit length */
  normals?: Float32Array;
}

export interface PackRunner {
  /** Deforms one pose, or the given number of them. */
  run(poses: Pose | readonly Pose[], poseCount: number): Promise<PosedShapes>;
  /** Ends the runner: later calls throw. Its memory belongs to the given compute. */
  close(): void;
}

/** Scratch memory for a number of poses, kept between calls. */
interface Scratch {
  memory: Compute;
  bones: Resident<Float32Array>;
  origins: Resident<Float32Array>;
  positions: Resident<Float32Array>;
  normals: Resident<Float32Array> | undefined;
}

/** Holds the arrays and arguments of a packed model's calls. Views are renewed only if memory has moved or the number of poses has changed. */
export function makePackRunner(
  compute: Compute,
  pack: DdmPack,
  withNormals: boolean,
  check: (pose: Pose) => void,
): PackRunner {
  let capacity = 0;
  let scratch: Scratch | undefined;
  let call: KernelCall | undefined;
  let shapes: PosedShapes = { poseCount: 0, positions: new Float32Array(0) };
  let isBusy = false;
  let isClosed = false;

  const allocateScratch = (poseCount: number): Scratch => {
    if (scratch && poseCount <= capacity) return scratch;
    scratch?.memory.dispose();
    capacity = poseCount;
    const memory = compute.child();
    const numbers = capacity * pack.vertexCount * 3;
    scratch = {
      memory,
      bones: memory.float32(capacity * pack.boneCount * 16),
      origins: memory.float32(capacity * 4),
      positions: memory.float32(numbers),
      normals: withNormals ? memory.float32(numbers) : undefined,
    };
    shapes = { poseCount: 0, positions: new Float32Array(0) };
    return scratch;
  };

  const showShapes = (made: Scratch, poseCount: number): PosedShapes => {
    const numbers = poseCount * pack.vertexCount * 3;
    // A view of memory that has grown has length zero.
    if (shapes.poseCount !== poseCount || shapes.positions.length !== numbers) {
      shapes = { poseCount, positions: made.positions.view().subarray(0, numbers) };
      if (made.normals) shapes.normals = made.normals.view().subarray(0, numbers);
    }
    return shapes;
  };

  const run = async (poses: Pose | readonly Pose[], poseCount: number): Promise<PosedShapes> => {
    if (isClosed) throw new InputError('deform', 'this run-time was disposed of');
    if (isBusy) throw new InputError('deform', 'the previous call is still running; await it first');
    const poseAt = (k: number): Pose => ('bones' in poses ? poses : poses[k]);
    for (let k = 0; k < poseCount; k++) check(poseAt(k));
    isBusy = true;
    try {
      const before = capacity;
      const made = allocateScratch(poseCount);
      if (capacity !== before || shapes.poseCount !== poseCount) {
        call = callDdm(pack, made, poseCount);
      }
      const bones = made.bones.view();
      const origins = made.origins.view();
      for (let k = 0; k < poseCount; k++) putPose(pack, poseAt(k).bones, bones, origins, k);
      if (call && poseCount > 0) await compute.runAll([call]);
      return showShapes(made, poseCount);
    } finally {
      isBusy = false;
    }
  };
  return {
    run,
    close: () => {
      isClosed = true;
    },
  };
}
