// SPDX-License-Identifier: MIT

import type { Compute, Resident } from '../kernels/compute.ts';
import { argsOfDdm, type DdmPack, freeDdm, putPose } from '../kernels/pack-ddm.ts';
import type { Pose } from '../model/deformer.ts';
import { InputError } from '../model/errors.ts';

/** Posed shapes. The arrays are the run-time's own: they hold until its next call. */
export interface PosedShapes {
  poseCount: number;
  /** poseCount x vertexCount x 3 */
  positions: Float32Array;
  /** poseCount x vertexCount x 3, unit length */
  normals?: Float32Array;
}

export interface PackRunner {
  /** Deforms one pose, or the given number of them. */
  run(poses: Pose | readonly Pose[], poseCount: number): Promise<PosedShapes>;
  free(): void;
}

/** What one number of poses needs, kept between calls. */
interface Room {
  bones: Resident<Float32Array>;
  origins: Resident<Float32Array>;
  positions: Resident<Float32Array>;
  normals: Resident<Float32Array> | undefined;
}

/** Keeps the arrays and arguments of a packed model's calls. Views are taken anew only where memory has moved or the number of poses has changed. */
export function makePackRunner(
  compute: Compute,
  pack: DdmPack,
  withNormals: boolean,
  check: (pose: Pose) => void,
): PackRunner {
  let capacity = 0;
  let room: Room | undefined;
  let call = { args: [] as (Resident | number)[], chunkCount: 0 };
  let shapes: PosedShapes = { poseCount: 0, positions: new Float32Array(0) };
  let isBusy = false;
  let isFreed = false;

  const reserve = (poseCount: number): Room => {
    if (room && poseCount <= capacity) return room;
    if (room) freeRoom(room);
    capacity = poseCount;
    const numbers = capacity * pack.vertexCount * 3;
    room = {
      bones: compute.float32(capacity * pack.boneCount * 16),
      origins: compute.float32(capacity * 4),
      positions: compute.float32(numbers),
      normals: withNormals ? compute.float32(numbers) : undefined,
    };
    shapes = { poseCount: 0, positions: new Float32Array(0) };
    return room;
  };

  const showShapes = (made: Room, poseCount: number): PosedShapes => {
    const numbers = poseCount * pack.vertexCount * 3;
    // A view of memory that has grown has length zero.
    if (shapes.poseCount !== poseCount || shapes.positions.length !== numbers) {
      shapes = { poseCount, positions: made.positions.view().subarray(0, numbers) };
      if (made.normals) shapes.normals = made.normals.view().subarray(0, numbers);
    }
    return shapes;
  };

  const run = async (poses: Pose | readonly Pose[], poseCount: number): Promise<PosedShapes> => {
    if (isFreed) throw new InputError('deform', 'this run-time has been disposed of');
    if (isBusy) throw new InputError('deform', 'the last call has not ended; await it before the next');
    const poseAt = (k: number): Pose => ('bones' in poses ? poses : poses[k]);
    for (let k = 0; k < poseCount; k++) check(poseAt(k));
    isBusy = true;
    try {
      const before = capacity;
      const made = reserve(poseCount);
      if (capacity !== before || shapes.poseCount !== poseCount) {
        call = argsOfDdm(pack, made.bones, made.origins, made.positions, made.normals, poseCount);
      }
      const bones = made.bones.view();
      const origins = made.origins.view();
      for (let k = 0; k < poseCount; k++) putPose(pack, poseAt(k).bones, bones, origins, k);
      if (poseCount > 0) await compute.run('ddm', call.args, call.chunkCount);
      return showShapes(made, poseCount);
    } finally {
      isBusy = false;
    }
  };
  return {
    run,
    free: () => {
      if (isFreed) return;
      isFreed = true;
      if (room) freeRoom(room);
      freeDdm(pack);
    },
  };
}

function freeRoom(room: Room): void {
  for (const array of [room.bones, room.origins, room.positions, room.normals]) array?.free();
}
