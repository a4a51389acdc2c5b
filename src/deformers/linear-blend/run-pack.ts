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

/** Makes a runner of a packed model. */
export function makePackRunner(
  compute: Compute,
  pack: DdmPack,
  withNormals: boolean,
  check: (pose: Pose) => void,
): PackRunner {
  return new PackCalls(compute, pack, withNormals, check);
}

/** Holds the arrays and arguments of a packed model's calls. Views are renewed only if memory has moved or the number of poses has changed. */
class PackCalls implements PackRunner {
  readonly #compute: Compute;
  readonly #pack: DdmPack;
  readonly #withNormals: boolean;
  readonly #check: (pose: Pose) => void;
  #capacity = 0;
  #scratch: Scratch | undefined;
  #call: KernelCall | undefined;
  #shapes: PosedShapes = { poseCount: 0, positions: new Float32Array(0) };
  #isBusy = false;
  #isClosed = false;

  constructor(compute: Compute, pack: DdmPack, withNormals: boolean, check: (pose: Pose) => void) {
    this.#compute = compute;
    this.#pack = pack;
    this.#withNormals = withNormals;
    this.#check = check;
  }

  async run(poses: Pose | readonly Pose[], poseCount: number): Promise<PosedShapes> {
    if (this.#isClosed) throw new InputError('deform', 'this run-time was disposed of');
    if (this.#isBusy) throw new InputError('deform', 'the previous call is still running; await it first');
    const poseAt = (k: number): Pose => ('bones' in poses ? poses : poses[k]);
    for (let k = 0; k < poseCount; k++) this.#check(poseAt(k));
    this.#isBusy = true;
    try {
      const before = this.#capacity;
      const made = this.#allocateScratch(poseCount);
      if (this.#capacity !== before || this.#shapes.poseCount !== poseCount) {
        this.#call = callDdm(this.#pack, made, poseCount);
      }
      const bones = made.bones.view();
      const origins = made.origins.view();
      for (let k = 0; k < poseCount; k++) putPose(this.#pack, poseAt(k).bones, bones, origins, k);
      if (this.#call && poseCount > 0) await this.#compute.runAll([this.#call]);
      return this.#showShapes(made, poseCount);
    } finally {
      this.#isBusy = false;
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  #allocateScratch(poseCount: number): Scratch {
    if (this.#scratch && poseCount <= this.#capacity) return this.#scratch;
    this.#scratch?.memory.dispose();
    this.#capacity = poseCount;
    const memory = this.#compute.child();
    const numbers = poseCount * this.#pack.vertexCount * 3;
    this.#scratch = {
      memory,
      bones: memory.float32(poseCount * this.#pack.boneCount * 16),
      origins: memory.float32(poseCount * 4),
      positions: memory.float32(numbers),
      normals: this.#withNormals ? memory.float32(numbers) : undefined,
    };
    this.#shapes = { poseCount: 0, positions: new Float32Array(0) };
    return this.#scratch;
  }

  #showShapes(made: Scratch, poseCount: number): PosedShapes {
    const numbers = poseCount * this.#pack.vertexCount * 3;
    // A view of memory that has grown has length zero.
    if (this.#shapes.poseCount !== poseCount || this.#shapes.positions.length !== numbers) {
      this.#shapes = { poseCount, positions: made.positions.view().subarray(0, numbers) };
      if (made.normals) this.#shapes.normals = made.normals.view().subarray(0, numbers);
    }
    return this.#shapes;
  }
}
