// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { writeBvh } from '../write-bvh.ts';

interface BvhJoint {
  name: string;
  parent: number;
  offset: number[];
  channels: string[];
}

/** A small reader of its own: joints in order, and a row of numbers per frame. */
function readBvh(text: string): { joints: BvhJoint[]; frames: number[][]; frameTime: number } {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const joints: BvhJoint[] = [];
  const stack: number[] = [];
  let at = 1;
  let isEnd = false;
  expect(words[0]).toBe('HIERARCHY');
  while (words[at] !== 'MOTION') {
    const word = words[at++];
    if (word === 'ROOT' || word === 'JOINT')
      joints.push({ name: words[at++], parent: stack.at(-1) ?? -1, offset: [], channels: [] });
    else if (word === 'End') {
      isEnd = true;
      at++;
    } else if (word === '{') stack.push(isEnd ? -2 : joints.length - 1);
    else if (word === '}') {
      if (stack.pop() === -2) isEnd = false;
    } else if (word === 'OFFSET') {
      const offset = words.slice(at, at + 3).map(Number);
      if (!isEnd) joints[joints.length - 1].offset = offset;
      at += 3;
    } else if (word === 'CHANNELS') {
      const count = Number(words[at]);
      joints[joints.length - 1].channels = words.slice(at + 1, at + 1 + count);
      at += 1 + count;
    } else throw new Error(`unexpected ${word}`);
  }
  expect(words[at + 1]).toBe('Frames:');
  const count = Number(words[at + 2]);
  const frameTime = Number(words[at + 5]);
  const numbers = words.slice(at + 6).map(Number);
  const width = joints.reduce((sum, { channels }) => sum + channels.length, 0);
  expect(numbers).toHaveLength(count * width);
  const frames = Array.from({ length: count }, (_, k) => numbers.slice(k * width, (k + 1) * width));
  return { joints, frames, frameTime };
}

/** Posed joint positions of a frame, by the channels alone. */
function poseBvh(joints: readonly BvhJoint[], row: number[]): number[][] {
  const places: number[][] = [];
  const turns: number[][][] = [];
  let at = 0;
  for (const { parent, offset, channels } of joints) {
    let turn = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const move = [...offset];
    for (const channel of channels) {
      const value = row[at++];
      const axis = 'XYZ'.indexOf(channel[0]);
      if (channel.endsWith('position')) move[axis] = value;
      else turn = multiply(turn, rotation(axis, (value * Math.PI) / 180));
    }
    const above = parent < 0 ? undefined : turns[parent];
    turns.push(above ? multiply(above, turn) : turn);
    places.push(
      above ? [0, 1, 2].map((r) => places[parent][r] + above[r].reduce((sum, x, c) => sum + x * move[c], 0)) : move,
    );
  }
  return places;
}

function multiply(a: number[][], b: number[][]): number[][] {
  return a.map((row) => [0, 1, 2].map((c) => row.reduce((sum, x, e) => sum + x * b[e][c], 0)));
}

function rotation(axis: number, angle: number): number[][] {
  const [p, q] = [(axis + 1) % 3, (axis + 2) % 3];
  const m: number[][] = [0, 1, 2].map((r) => [0, 1, 2].map((c) => Number(r === c)));
  m[p][p] = m[q][q] = Math.cos(angle);
  m[q][p] = Math.sin(angle);
  m[p][q] = -m[q][p];
  return m;
}

const sample = makeSample('creature', { resolution: 200, frames: 6, seed: 1 });
const model: SkinnedModel = {
  kind: 'skin',
  mesh: sample.clip.mesh,
  skeleton: sample.skeleton!,
  skin: sample.skin!,
  motions: [sample.motion!],
};

describe('BVH', () => {
  it('poses every joint where the motion has it', () => {
    const { joints, frames, frameTime } = readBvh(writeBvh(model, model.motions[0]));
    const { names, bindMatrices } = model.skeleton;
    expect(joints.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(frames).toHaveLength(6);
    expect(frameTime).toBeCloseTo(1 / 30, 6);
    frames.forEach((row, k) => {
      const places = poseBvh(joints, row);
      const pose = poseOf(model.motions[0], k);
      joints.forEach(({ name }, n) => {
        const j = names.indexOf(name);
        const [x, y, z] = bindMatrices.subarray(16 * j + 12, 16 * j + 15);
        for (let r = 0; r < 3; r++) {
          const o = 16 * j + r;
          const wanted = pose[o] * x + pose[o + 4] * y + pose[o + 8] * z + pose[o + 12];
          expect(places[n][r]).toBeCloseTo(wanted, 5);
        }
      });
    });
  });

  it('hangs several roots on one, and keeps names one word', () => {
    const { names, parents } = model.skeleton;
    const cut = {
      ...model,
      skeleton: {
        ...model.skeleton,
        names: names.map((name) => `my ${name}`),
        parents: parents.map((p, j) => (j === 3 ? -1 : p)),
      },
    };
    const { joints, frames } = readBvh(writeBvh(cut, cut.motions[0]));
    expect(joints[0].name).toBe('ossify');
    expect(joints.filter(({ parent }) => parent === 0)).toHaveLength(2);
    expect(joints.slice(1).every(({ name }) => name.startsWith('my_'))).toBe(true);
    expect(frames[0].slice(0, 3)).toEqual([0, 0, 0]);
  });

  it('refuses a skeleton without bones', () => {
    const empty = { names: [], parents: new Int32Array(0), bindMatrices: new Float64Array(0) };
    expect(() => writeBvh({ ...model, skeleton: empty }, model.motions[0])).toThrow('no bones');
  });
});
