// SPDX-License-Identifier: MIT
// Biovision Hierarchy: a tree of offsets, then a line of numbers per frame. Rotations apply in the order of their channels: "Zrotation Xrotation Yrotation" is Rz Rx Ry, degrees. Positions replace the offset of
// their joint. End sites become nodes without channels, "<parent>_end". The format has no unit: numbers are kept.
import { multiplyQuaternions, quaternionFromAxisAngle } from '../../core/math/quaternion.ts';
import type { Animation, Track } from '../../core/model/clip/animation.ts';
import { FormatError } from '../../core/model/errors.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';
import type { Scene } from '../gltf/index.ts';

/** Reads a BVH file as a scene without meshes. Throws FormatError on a bad file. */
export async function readBvh(bytes: Uint8Array, { name = 'bvh' }: { name?: string } = {}): Promise<Scene> {
  const words = new WordReader(new TextDecoder().decode(bytes));
  const joints = readHierarchy(words);
  const animation = readMotion(words, joints, name);
  return { nodes: nodesOf(joints), shapes: [], animations: [animation], look: { materials: [], images: [] } };
}

/** For inputs that need a mesh. */
export async function readBvhAsset(bytes: Uint8Array): Promise<never> {
  await readBvh(bytes);
  throw fail('empty', 'the file has motion and no mesh; use it after a character (rig.glb+walk.bvh), or in retarget');
}

const fail = (code: ConstructorParameters<typeof FormatError>[1], fault: string): FormatError =>
  new FormatError('bvh', code, fault);

interface BvhJoint {
  name: string;
  parent: number;
  offset: number[];
  /** Axis (0, 1, 2) and kind of each channel, in their order. */
  channels: { axis: number; isPosition: boolean }[];
}

/** Larger numbers are refused: single precision must hold their products. */
const LARGEST = 1e16;

/** Words and numbers, one after the other, without a list of all. */
class WordReader {
  readonly #pattern = /\S+/g;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Words that can be left, at most. */
  get left(): number {
    return Math.ceil((this.#text.length - this.#pattern.lastIndex) / 2);
  }

  next(): string {
    const found = this.#pattern.exec(this.#text);
    if (!found) throw fail('truncated', 'the file ends too early');
    return found[0];
  }

  expect(word: string): void {
    const found = this.next();
    if (found.toLowerCase() !== word.toLowerCase())
      throw fail('syntax', `"${word}" is expected and "${found.slice(0, 40)}" was found`);
  }

  number(): number {
    const word = this.next();
    const value = Number(word);
    if (!Number.isFinite(value)) throw fail('syntax', `a number is expected and "${word.slice(0, 40)}" was found`);
    if (Math.abs(value) > LARGEST) throw fail('value', `the number ${word.slice(0, 40)} is too large`);
    return value;
  }

  /** The rest of the line. */
  line(): string {
    const start = this.#pattern.lastIndex;
    const end = this.#text.indexOf('\n', start);
    this.#pattern.lastIndex = end < 0 ? this.#text.length : end;
    return this.#text.slice(start, end < 0 ? undefined : end).trim();
  }
}

/** Bones deeper than this are refused, as are more than this many. */
const MAX_JOINTS = 65536;

function readHierarchy(words: WordReader): BvhJoint[] {
  words.expect('HIERARCHY');
  const joints: BvhJoint[] = [];
  const stack: number[] = [];
  for (;;) {
    const word = words.next();
    if (word === '}') {
      if (stack.pop() === undefined) throw fail('syntax', 'a bracket is closed that was not opened');
    } else if (/^motion$/i.test(word)) {
      if (stack.length > 0) throw fail('syntax', 'the motion begins inside of a joint');
      if (joints.length === 0) throw fail('empty', 'the file has no joint');
      return joints;
    } else if (/^(root|joint)$/i.test(word)) {
      const isRoot = /^root$/i.test(word);
      if (isRoot !== (stack.length === 0)) throw fail('syntax', `a ${word} is in a wrong place`);
      const line = words.line();
      // a bracket may be on the line of the name
      const own = line.replace(/\s*\{$/, '');
      if (own === line) words.expect('{');
      stack.push(openJoint(joints, own || `joint ${joints.length}`, stack));
    } else if (/^end$/i.test(word)) {
      const [parent] = stack.slice(-1);
      if (parent === undefined) throw fail('syntax', 'an end site is outside of a joint');
      words.expect('site');
      words.expect('{');
      stack.push(openJoint(joints, `${joints[parent].name}_end`, stack));
    } else if (/^offset$/i.test(word)) {
      currentOf(joints, stack).offset = [words.number(), words.number(), words.number()];
    } else if (/^channels$/i.test(word)) {
      currentOf(joints, stack).channels = readChannels(words);
    } else throw fail('syntax', `"${word.slice(0, 40)}" is not known in a hierarchy`);
  }
}

function openJoint(joints: BvhJoint[], name: string, stack: readonly number[]): number {
  if (joints.length >= MAX_JOINTS) throw fail('limit', `there are more than ${MAX_JOINTS} joints`);
  return joints.push({ name, parent: stack[stack.length - 1] ?? -1, offset: [0, 0, 0], channels: [] }) - 1;
}

function currentOf(joints: BvhJoint[], stack: readonly number[]): BvhJoint {
  const joint = joints[stack[stack.length - 1]];
  if (!joint) throw fail('syntax', 'an offset or channels are outside of a joint');
  return joint;
}

/** A position and a rotation have three channels each. */
const MAX_CHANNELS = 6;

function readChannels(words: WordReader): BvhJoint['channels'] {
  const count = words.number();
  if (!(Number.isInteger(count) && count >= 0 && count <= MAX_CHANNELS))
    throw fail('syntax', `a joint has ${count} channels`);
  return Array.from({ length: count }, () => {
    const word = words.next();
    const found = /^([xyz])(position|rotation)$/i.exec(word);
    if (!found) throw fail('syntax', `the channel "${word.slice(0, 40)}" is not known`);
    return { axis: 'xyz'.indexOf(found[1].toLowerCase()), isPosition: /position/i.test(found[2]) };
  });
}

function nodesOf(joints: readonly BvhJoint[]): NodeTree {
  return {
    names: joints.map(({ name }) => name),
    parents: Int32Array.from(joints, ({ parent }) => parent),
    translations: Float64Array.from(joints.flatMap(({ offset }) => offset)),
    rotations: Float64Array.from(joints.flatMap(() => [0, 0, 0, 1])),
    scales: new Float64Array(3 * joints.length).fill(1),
  };
}

function readMotion(words: WordReader, joints: readonly BvhJoint[], name: string): Animation {
  words.expect('Frames:');
  const frameCount = words.number();
  words.expect('Frame');
  words.expect('Time:');
  const step = words.number();
  const width = joints.reduce((sum, { channels }) => sum + channels.length, 0);
  if (!(Number.isInteger(frameCount) && frameCount >= 0)) throw fail('syntax', `there are ${frameCount} frames`);
  if (!(step > 0)) throw fail('syntax', `a frame lasts ${step} seconds`);
  if (frameCount * Math.max(width, 1) > words.left)
    throw fail('truncated', `there are fewer than ${frameCount} frames`);
  const times = Float32Array.from({ length: frameCount }, (_, k) => k * step);
  const byNode = joints.map(({ channels }, node): Track[] => {
    const make = (path: 'translation' | 'rotation', size: number): Track => ({
      ...{ node, path, interpolation: 'LINEAR', times, values: new Float32Array(size * frameCount) },
    });
    return [
      ...(channels.some(({ isPosition }) => isPosition) ? [make('translation', 3)] : []),
      ...(channels.some(({ isPosition }) => !isPosition) ? [make('rotation', 4)] : []),
    ];
  });
  for (let k = 0; k < frameCount; k++)
    for (const [node, joint] of joints.entries()) readJointInto(words, joint, byNode[node], k);
  return { name, duration: Math.max(0, frameCount - 1) * step, tracks: byNode.flat() };
}

/** Reads the numbers of a joint in a frame. */
function readJointInto(words: WordReader, { channels, offset }: BvhJoint, tracks: readonly Track[], k: number): void {
  const position = [...offset];
  const rotation = new Float64Array([0, 0, 0, 1]);
  const turn = new Float64Array(4);
  for (const { axis, isPosition } of channels) {
    const value = words.number();
    if (isPosition) position[axis] = value;
    else {
      quaternionFromAxisAngle(
        [Number(axis === 0), Number(axis === 1), Number(axis === 2)],
        (value * Math.PI) / 180,
        turn,
      );
      multiplyQuaternions(rotation, turn, rotation);
    }
  }
  for (const { path, values } of tracks) {
    if (path === 'translation') values.set(position, 3 * k);
    else {
      values.set(rotation, 4 * k);
      if (k > 0) keepSign(values, 4 * k);
    }
  }
}

/** The sign of a quaternion that makes it similar to the one before. */
function keepSign(values: Float32Array, o: number): void {
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += values[o + c] * values[o + c - 4];
  if (dot < 0) for (let c = 0; c < 4; c++) values[o + c] *= -1;
}
