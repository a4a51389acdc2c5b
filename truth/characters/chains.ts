// SPDX-License-Identifier: MIT
// Tubes on a chain of joints, each with one thing that players and formats treat differently.
import type { Animation, Node } from '@gltf-transform/core';
import { type Character, glbCharacter } from './character.ts';
import { chainBinds, makeTube, multiply, RigBuilder, type Rotation, TUBE, turn, type Vector } from './rig-builder.ts';

interface Chain {
  builder: RigBuilder;
  joints: readonly Node[];
  node: Node;
  animation: Animation;
}

/** A tube on joints below a node named `rig`, and an animation without keys. */
function makeChain(count = 3, width = 1): Chain {
  const builder = new RigBuilder();
  const primitive = builder.primitive(makeTube());
  const joints = builder.chain(count);
  builder.bind(primitive, joints, TUBE, width);
  const node = builder.skinned('body', [primitive], joints, chainBinds(count));
  builder.scene.addChild(builder.document.createNode('rig').addChild(joints[0]).addChild(node));
  return { builder, joints, node, animation: builder.document.createAnimation('move') };
}

const evenTimes = (count: number, duration = 1) =>
  Array.from({ length: count }, (_, k) => (k / (count - 1)) * duration);
const Z: Vector = [0, 0, 1];

/** Bones that pass y = 90° while they also turn about x and z: Euler angles have no unique answer there. */
async function makeTurning(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain();
  const times = evenTimes(25);
  const values = times.map(
    (t): Rotation => multiply(turn([0, 1, 0], 180 * t), turn([1, 0, 0.3], 50 * Math.sin(6 * t))),
  );
  builder.keys(animation, joints[1], 'rotation', times, values);
  const ends = times.map((t): Rotation => multiply(turn([0, 1, 0], 90), turn([1, 0, 0], 60 * Math.sin(9 * t))));
  builder.keys(animation, joints[2], 'rotation', times, ends);
  return builder.write();
}

/** Keys that jump. */
async function makeStep(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain();
  const times = [0, 0.3, 0.55, 0.8, 1];
  builder.keys(
    animation,
    joints[1],
    'rotation',
    times,
    [0, 50, -30, 20, 0].map((d) => turn(Z, d)),
    'STEP',
  );
  builder.keys(
    animation,
    joints[2],
    'rotation',
    evenTimes(5),
    [0, 20, 40, 20, 0].map((d) => turn([1, 0, 0], d)),
  );
  return builder.write();
}

/** Keys at uneven times: some nearer to one another than a frame. */
async function makeUneven(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain();
  const times = [0, 0.013, 0.2, 0.21, 0.5, 0.53, 1.17];
  builder.keys(
    animation,
    joints[1],
    'rotation',
    times,
    [0, 25, -40, 30, 0, 45, 0].map((d) => turn(Z, d)),
  );
  const other = [0, 0.11, 0.37, 0.377, 1.17];
  builder.keys(animation, joints[0], 'translation', other, [
    [0, 0, 0],
    [0.2, 0, 0],
    [0, 0.1, 0.2],
    [0.3, 0, 0],
    [0, 0, 0],
  ]);
  return builder.write();
}

/** Cubic keys with steep tangents. */
async function makeCubic(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain();
  const zero = [0, 0, 0, 0];
  const bend = [0, 60, -60, 0].flatMap((d) => [zero, [...turn(Z, d)], zero]);
  builder.keys(animation, joints[1], 'rotation', [0, 0.4, 0.6, 1.2], bend, 'CUBICSPLINE');
  const lift = [0, 0.4, 0].flatMap((y) => [
    [0, 3, 0],
    [0, y, 0],
    [2, -3, 0],
  ]);
  builder.keys(animation, joints[0], 'translation', [0, 0.5, 1.2], lift, 'CUBICSPLINE');
  return builder.write();
}

/** A pose without animation. */
async function makeStill(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain(5);
  animation.dispose();
  joints[1].setRotation([...turn(Z, 60)]);
  joints[3].setRotation([...turn([1, 0, 0], -75)]);
  return builder.write();
}

/** A rig in its bind pose without animation. */
async function makeUnposed(): Promise<Uint8Array> {
  const { builder, animation } = makeChain(8);
  animation.dispose();
  return builder.write();
}

/** A scaled joint above a joint that turns: its matrix has shear. */
async function makeShear(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain();
  const times = evenTimes(9);
  const scales = times.map((t) => [1 + 0.8 * Math.sin(3 * t), 1 - 0.4 * Math.sin(3 * t), 1]);
  builder.keys(animation, joints[1], 'scale', times, scales);
  builder.keys(
    animation,
    joints[2],
    'rotation',
    times,
    times.map((t) => turn(Z, 70 * Math.sin(4 * t))),
  );
  return builder.write();
}

/** A joint that vanishes: scale zero, by jumps. */
async function makeFlicker(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain();
  const ones = [1, 1, 1];
  const none = [0, 0, 0];
  builder.keys(animation, joints[2], 'scale', [0, 0.4, 0.6, 0.8, 1], [ones, none, ones, none, ones], 'STEP');
  builder.keys(
    animation,
    joints[1],
    'rotation',
    evenTimes(5),
    [0, 30, 60, 30, 0].map((d) => turn(Z, d)),
  );
  return builder.write();
}

/** A mirrored rig: negative scale above the joints. */
async function makeMirrored(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain();
  joints[0].getParentNode()?.setScale([-1, 1, 1]);
  const times = evenTimes(7);
  builder.keys(
    animation,
    joints[1],
    'rotation',
    times,
    times.map((t) => multiply(turn([0, 1, 0], 100 * t), turn(Z, 50 * t))),
  );
  return builder.write();
}

/** Eight influences per vertex. */
async function makeEight(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain(10, 4.5);
  const times = evenTimes(9);
  for (const [j, joint] of joints.entries())
    builder.keys(
      animation,
      joint,
      'rotation',
      times,
      times.map((t) => turn(j % 2 ? Z : [1, 0, 0], 25 * Math.sin(5 * t + j))),
    );
  return builder.write();
}

/** Large steps between few keys, and a first key after zero. */
async function makeSparse(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain();
  builder.keys(
    animation,
    joints[1],
    'rotation',
    [0.5, 1, 1.5],
    [0, 160, 0].map((d) => turn([0.2, 1, 0.3], d)),
  );
  builder.keys(
    animation,
    joints[2],
    'rotation',
    [0.5, 0.9, 1.5],
    [0, 110, -20].map((d) => turn(Z, d)),
  );
  return builder.write();
}

/** Two animations of different length and rate. */
async function makeTwoClips(): Promise<Uint8Array> {
  const { builder, joints, animation } = makeChain(4);
  const walk = evenTimes(13);
  builder.keys(
    animation,
    joints[1],
    'rotation',
    walk,
    walk.map((t) => turn(Z, 40 * Math.sin(6.283 * t))),
  );
  const other = builder.document.createAnimation('nod');
  const times = evenTimes(6, 2.3);
  builder.keys(
    other,
    joints[3],
    'rotation',
    times,
    times.map((t) => turn([1, 0, 0], 55 * Math.sin(3 * t))),
  );
  builder.keys(
    other,
    joints[2],
    'translation',
    times,
    times.map((t) => [0, 0.5 + 0.1 * t, 0]),
  );
  return builder.write();
}

export const CHAINS: readonly Character[] = [
  glbCharacter('turning', 'skinned', 'bones through y = 90°', makeTurning),
  glbCharacter('step', 'skinned', 'STEP keys', makeStep),
  glbCharacter('uneven', 'skinned', 'uneven keys', makeUneven),
  glbCharacter('cubic', 'skinned', 'CUBICSPLINE keys', makeCubic),
  glbCharacter('still', 'posed', 'a pose, no animation', makeStill),
  glbCharacter('unposed', 'posed', 'a bind pose, no animation', makeUnposed),
  glbCharacter('shear', 'skinned', 'shear in the animation', makeShear),
  glbCharacter('flicker', 'skinned', 'zero scale in the animation', makeFlicker),
  glbCharacter('mirrored', 'skinned', 'a negative scale above the joints', makeMirrored),
  glbCharacter('eight', 'skinned', 'eight influences', makeEight),
  glbCharacter('sparse', 'skinned', 'turns of 160° between keys, from 0.5 s on', makeSparse),
  glbCharacter('two-clips', 'skinned', 'two animations', makeTwoClips),
];
