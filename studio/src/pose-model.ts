// SPDX-License-Identifier: MIT
// A pose that is changed by hand. Per joint j, with parent p, B its bind matrix without scale and M its bone matrix (rest to posed):
//
//   M̄ⱼ = Bⱼ⁻¹ Mₚ⁻¹ Mⱼ Bⱼ     how the joint is turned about its bind pose, in its own frame; ranges of motion are about its angles, R = Rx Ry Rz
//   Mⱼ = Mₚ Bⱼ M̄ⱼ Bⱼ⁻¹       so children follow
import { Euler, Matrix4, Quaternion, Vector3 } from 'three';
import type { RigView } from './protocol.ts';

export class PoseModel {
  readonly rig: RigView;
  readonly #binds: Matrix4[];
  readonly #inverses: Matrix4[];
  readonly #turns: Matrix4[];
  /** Mⱼ */
  readonly #bones: Matrix4[];
  readonly #euler = new Euler();

  constructor(rig: RigView) {
    this.rig = rig;
    const [at, turn, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    this.#binds = rig.names.map((_, j) => {
      const bind = new Matrix4().fromArray(rig.binds, 16 * j);
      bind.decompose(at, turn, scale);
      return new Matrix4().compose(at, turn, scale.set(1, 1, 1));
    });
    this.#inverses = this.#binds.map((bind) => bind.clone().invert());
    this.#turns = this.#binds.map(() => new Matrix4());
    this.#bones = this.#binds.map(() => new Matrix4());
  }

  /** Starts from bones: boneCount x 16. */
  take(bones: Float64Array): void {
    this.#bones.forEach((bone, j) => {
      bone.fromArray(bones, 16 * j);
    });
    this.#turns.forEach((turn, j) => {
      turn.copy(this.#parentOf(j)).invert().multiply(this.#bones[j]);
      turn.premultiply(this.#inverses[j]).multiply(this.#binds[j]);
    });
  }

  bones(): Float64Array {
    const out = new Float64Array(16 * this.#bones.length);
    this.#bones.forEach((bone, j) => {
      out.set(bone.elements, 16 * j);
    });
    return out;
  }

  /** Place and turn of a joint in model space. */
  frameOf(j: number, out = new Matrix4()): Matrix4 {
    return out.copy(this.#bones[j]).multiply(this.#binds[j]);
  }

  headOf(j: number): Vector3 {
    return new Vector3().setFromMatrixPosition(this.frameOf(j));
  }

  /** Angles about x, y and z from the bind pose, radians. */
  anglesOf(j: number): [number, number, number] {
    const turn = new Quaternion();
    this.#turns[j].decompose(new Vector3(), turn, new Vector3());
    const { x, y, z } = this.#euler.setFromQuaternion(turn, 'XYZ');
    return [x, y, z];
  }

  rangeOf(j: number, axis: number): [number, number] {
    const at = 6 * j + 2 * axis;
    return [this.rig.ranges[at], this.rig.ranges[at + 1]];
  }

  /** Turns a joint to angles, held within its range. */
  setAngles(j: number, angles: readonly number[]): void {
    const held = angles.map((angle, c) => {
      const [low, high] = this.rangeOf(j, c);
      return Math.min(high, Math.max(low, angle));
    });
    const [at, turn, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    this.#turns[j].decompose(at, turn, scale);
    turn.setFromEuler(this.#euler.set(held[0], held[1], held[2], 'XYZ'));
    this.#turns[j].compose(at, turn, scale);
    this.#follow(j);
  }

  /** Turns a joint so that its frame in model space has this rotation, as far as its range lets it. */
  setTurn(j: number, world: Quaternion): void {
    const turn = new Matrix4().makeRotationFromQuaternion(world);
    const frame = new Matrix4().copy(this.#parentOf(j)).multiply(this.#binds[j]);
    const parent = new Quaternion();
    frame.decompose(new Vector3(), parent, new Vector3());
    const local = new Quaternion().setFromRotationMatrix(turn).premultiply(parent.invert());
    const { x, y, z } = this.#euler.setFromQuaternion(local, 'XYZ');
    this.setAngles(j, [x, y, z]);
  }

  /** Turns a joint by a rotation in model space, about its own head. */
  turnBy(j: number, by: Quaternion): void {
    const now = new Quaternion();
    this.frameOf(j).decompose(new Vector3(), now, new Vector3());
    this.setTurn(j, now.premultiply(by));
  }

  #parentOf(j: number): Matrix4 {
    const parent = this.rig.parents[j];
    return parent < 0 ? IDENTITY : this.#bones[parent];
  }

  /** Bones from j on: parents come before their children. */
  #follow(first: number): void {
    for (let j = first; j < this.#bones.length; j++) {
      this.#bones[j]
        .copy(this.#parentOf(j))
        .multiply(this.#binds[j])
        .multiply(this.#turns[j])
        .multiply(this.#inverses[j]);
    }
  }
}

const IDENTITY = new Matrix4();
