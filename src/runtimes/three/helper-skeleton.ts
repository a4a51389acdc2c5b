// SPDX-License-Identifier: MIT
// Helper bones of a three.js scene (docs/formats/extensions/OSSIFY_helper_bones.md).
import { type Bone, Matrix4, type Object3D, Quaternion, Skeleton, Vector3 } from 'three';
import { CONTROLLER_OUTPUTS, monomialCountOf } from '../../core/model/deformed/helper-bones.ts';
import { jointTermsInto, MIN_HELPER_SCALE } from '../../deformers/helper-bones/index.ts';

/** The controller of one helper bone. Bones are indices into the skeleton's bones. */
export interface SceneController {
  /** The helper. */
  bone: number;
  /** The bone that it is attached to. */
  parent: number;
  /** The joints that it reads: the joint, its parent (-1: the file's scene), its rotation at rest, and its maximum angle in radians. */
  inputs: { bone: number; parent: number; rest: Quaternion; reach: number }[];
  /** Translation at rest, in the parent's space. */
  translation: Vector3;
  /** Rotation at rest. */
  rotation: Quaternion;
  /** Scale at rest. */
  scale: Vector3;
  /** Order of the polynomial. */
  order: number;
  /** 9 x inputs x terms, as in HelperController */
  coefficients: Float64Array;
}

const position = new Vector3();
const scale = new Vector3();
const world = new Quaternion();
const turn = new Quaternion();
const axis = new Vector3();
const local = new Matrix4();
const numbers = new Float64Array(4);
const deltas = new Float64Array(CONTROLLER_OUTPUTS);

/**
 * A skeleton whose helper bones follow its joints in any pose: keys, physics or inverse kinematics. Renderers update skeletons before drawing, and helpers
 * with them. ossifyPlugin makes them.
 */
export class HelperSkeleton extends Skeleton {
  /** One per helper bone. */
  readonly controllers: readonly SceneController[];
  /** Number of levels from the first bone up to the object of the file's scene. */
  readonly frameDepth: number;
  readonly #terms: Float64Array;

  constructor(bones: Bone[], inverses: Matrix4[], controllers: readonly SceneController[], frameDepth: number) {
    super(bones, inverses);
    this.controllers = controllers;
    this.frameDepth = frameDepth;
    this.#terms = new Float64Array(controllers.reduce((most, { order }) => Math.max(most, monomialCountOf(order)), 0));
  }

  /** Poses the helpers from the world matrices of the joints. */
  drive(): void {
    const frame = this.#findFrame();
    for (const controller of this.controllers) {
      const { inputs, order, coefficients } = controller;
      const count = monomialCountOf(order);
      const width = inputs.length * count;
      deltas.fill(0);
      for (const [n, input] of inputs.entries()) {
        rotationOf(input.parent < 0 ? frame : this.bones[input.parent], turn).invert();
        turn.multiply(rotationOf(this.bones[input.bone], world));
        turn.premultiply(world.copy(input.rest).invert());
        jointTermsInto(turn.toArray(numbers), order, input.reach, this.#terms);
        for (let c = 0; c < CONTROLLER_OUTPUTS; c++)
          for (let t = 0; t < count; t++) deltas[c] += coefficients[c * width + n * count + t] * this.#terms[t];
      }
      this.#move(controller);
    }
  }

  /** Poses the helpers, then updates the bone matrices as Skeleton does. */
  override update(): void {
    this.drive();
    super.update();
  }

  /** Returns a skeleton with the same bones and controllers. */
  override clone(): this {
    return new HelperSkeleton(this.bones, this.boneInverses, this.controllers, this.frameDepth) as this;
  }

  #findFrame(): Object3D | undefined {
    let frame: Object3D | null | undefined = this.bones[0];
    for (let step = 0; step < this.frameDepth && frame?.parent; step++) frame = frame.parent;
    return frame ?? undefined;
  }

  #move({ bone: place, parent: parentPlace, translation, rotation, scale: rest }: SceneController): void {
    const bone = this.bones[place];
    const parent = this.bones[parentPlace];
    axis.fromArray(deltas, 3);
    const angle = axis.length();
    turn.setFromAxisAngle(angle > 0 ? axis.divideScalar(angle) : axis, angle).premultiply(rotation);
    position.fromArray(deltas).add(translation);
    for (let c = 0; c < 3; c++)
      scale.setComponent(c, rest.getComponent(c) * Math.max(MIN_HELPER_SCALE, 1 + deltas[6 + c]));
    bone.matrixWorld.multiplyMatrices(parent.matrixWorld, local.compose(position, turn, scale));
    if (bone.parent !== parent) return;
    // keep the local transform consistent for code that reads the scene
    bone.position.copy(position);
    bone.quaternion.copy(turn);
    bone.scale.copy(scale);
    bone.matrix.copy(local);
  }
}

/** The world rotation of an object, without its scale. */
function rotationOf(object: Object3D | undefined, out: Quaternion): Quaternion {
  if (!object) return out.identity();
  object.matrixWorld.decompose(position, out, scale);
  return out;
}
