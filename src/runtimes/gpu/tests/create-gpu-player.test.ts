// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../scripts/launch-gpu.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { Asset } from '../../../core/model/asset.ts';
import type { Animation, Interpolation, Track } from '../../../core/model/clip/animation.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import { sampleAnimation, worldMatricesInto } from '../../../deformers/playback/sample-animation.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { createGpuPlayer } from '../create-gpu-player.ts';
import { readBuffer, requestGpuDevice } from '../gpu-device.ts';

const DATA = join(process.env.OSSIFY_DATA ?? join(process.cwd(), '../shared'), 'rigs');

let device: GPUDevice;
beforeAll(async () => {
  device = await requestGpuDevice({ gpu: await launchGpu() });
});

const random = makeRandom(5);
const unit = (): number[] => {
  const q = [random.normal(), random.normal(), random.normal(), random.normal()];
  const length = Math.hypot(...q);
  return q.map((x) => x / length);
};

/** A tree of nodes with turns, moves and scales at rest, bound where it stands; some nodes carry no bone. */
function makeRig(nodeCount: number): Asset {
  const parents = Int32Array.from({ length: nodeCount }, (_, n) => (n === 0 ? -1 : Math.max(0, n - 1 - (n % 3))));
  const nodes: NodeTree = {
    names: Array.from(parents, (_, n) => `node ${n}`),
    parents,
    translations: Float64Array.from({ length: 3 * nodeCount }, () => 0.3 * random.normal()),
    rotations: Float64Array.from(Array.from({ length: nodeCount }, unit).flat()),
    scales: Float64Array.from({ length: 3 * nodeCount }, () => 0.9 + 0.2 * random.next()),
  };
  const worlds = new Float64Array(16 * nodeCount);
  worldMatricesInto(nodes, worlds);
  const nodeOfBone = Int32Array.from({ length: nodeCount }, (_, n) => n).filter((n) => n % 4 !== 3);
  const bindMatrices = new Float64Array(16 * nodeOfBone.length);
  nodeOfBone.forEach((n, j) => {
    bindMatrices.set(worlds.subarray(16 * n, 16 * n + 16), 16 * j);
  });
  // a bone of a part scaled to nothing
  bindMatrices.fill(0, 16, 28);
  const skeleton = {
    names: Array.from(nodeOfBone, (n) => `bone ${n}`),
    parents: new Int32Array(nodeOfBone.length).fill(-1),
    bindMatrices,
  };
  const skin = { rowStart: Uint32Array.of(0), boneIndices: new Uint32Array(0), weights: new Float32Array(0) };
  const isJoint = new Uint8Array(nodeOfBone.length).fill(1);
  const mesh = makeMesh(new Float32Array(0), new Uint32Array(0));
  return {
    name: 'rig',
    mesh,
    nodes,
    rig: { skeleton, skin, nodeOfBone, isJoint },
    animations: [],
    clips: [],
    up: 'y',
    byteLength: 0,
  };
}

function makeClip(nodeCount: number, keyCount: number): Animation {
  const tracks: Track[] = [];
  const kinds: Interpolation[] = ['LINEAR', 'STEP', 'CUBICSPLINE'];
  for (let node = 0; node < nodeCount; node++) {
    for (const path of ['translation', 'rotation', 'scale'] as const) {
      if (random.next() < 0.3) continue;
      const interpolation = kinds[(node + path.length) % 3];
      const times = Float32Array.from({ length: keyCount }, (_, k) => 0.2 + 0.25 * k + 0.1 * random.next());
      const one = (): number[] =>
        path === 'rotation'
          ? unit()
          : path === 'scale'
            ? [0, 0, 0].map(() => 0.8 + 0.4 * random.next())
            : [0, 0, 0].map(() => 0.3 * random.normal());
      const tangent = (): number[] => one().map((x) => 0.1 * x);
      const values = Float32Array.from(
        Array.from({ length: keyCount }, () =>
          interpolation === 'CUBICSPLINE' ? [...tangent(), ...one(), ...tangent()] : one(),
        ).flat(),
      );
      tracks.push({ node, path, interpolation, times, values });
    }
  }
  return { name: 'clip', duration: 0.3 + 0.25 * keyCount, tracks };
}

/** Largest difference of palettes from the reference, by clip and time. */
async function measureOff(asset: Asset, seconds: number[], clips: number[], loop: boolean): Promise<number> {
  const { nodes, animations, rig } = asset;
  const { skeleton, nodeOfBone } = rig!;
  const player = await createGpuPlayer(
    device,
    { nodes, animations, skeleton, nodeOfBone },
    { instances: seconds.length, loop },
  );
  player.writeTimes(seconds, clips);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  player.encode(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const boneCount = skeleton.names.length;
  const got = new Float32Array(await readBuffer(device, player.palettes, 0, seconds.length * boneCount * 48));
  player.destroy();
  let worst = 0;
  seconds.forEach((time, k) => {
    const animation = animations[clips[k]];
    const t = loop ? time - Math.floor(time / animation.duration) * animation.duration : time;
    const { matrices } = sampleAnimation(asset, animation, [t]).motion;
    for (let j = 0; j < boneCount; j++) {
      for (let row = 0; row < 3; row++) {
        for (let c = 0; c < 4; c++) {
          const off = Math.abs(matrices[16 * j + 4 * c + row] - got[((3 * k + row) * boneCount + j) * 4 + c]);
          worst = off <= worst ? worst : off; // NaN stays
        }
      }
    }
  });
  return worst;
}

describe('a player on the GPU', () => {
  it('samples keys of all kinds and climbs the hierarchy as the reference does', async () => {
    const asset = makeRig(23);
    asset.animations = [makeClip(23, 5), makeClip(23, 1), makeClip(23, 9)];
    const seconds = [-0.5, 0, 0.2, 0.31, 0.55, 0.7, 0.9, 1.1, 1.3, 9, 0.4, 0.4, 1.7, 2.2];
    const clips = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2];
    // bones multiply scales of 0.8 to 1.2 and binds of the same along chains of eight
    expect(await measureOff(asset, seconds, clips, false)).toBeLessThan(1e-4);
    expect(await measureOff(asset, [0.1, 2.0, 7.3, -0.4], [0, 2, 2, 0], true)).toBeLessThan(2e-4);
  });

  it('plays the rest pose of a rig without clips, and palettes from poses of the caller', async () => {
    const asset = makeRig(9);
    const { skeleton, nodeOfBone } = asset.rig!;
    const player = await createGpuPlayer(
      device,
      { nodes: asset.nodes, animations: [], skeleton, nodeOfBone },
      { instances: 3 },
    );
    const locals = new Float32Array(9 * 12);
    for (let n = 0; n < 9; n++) locals.set([n === 0 ? 5 : 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0], 12 * n);
    device.queue.writeBuffer(player.locals, 9 * 48, locals);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    player.encodePalettes(pass, 2);
    player.encode(pass, 1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const palettes = new Float32Array(await readBuffer(device, player.palettes, 0, player.boneCount * 96));
    const rowLength = player.boneCount * 4;
    for (let c = 0; c < 3 * rowLength; c++)
      expect(palettes[c]).toBeCloseTo(Math.floor(c / rowLength) === c % 4 ? 1 : 0, 4);
    // instance 1: all nodes at (5, 0, 0), so bone 0 is that times its inverse bind
    const bind = skeleton.bindMatrices;
    const o = 3 * rowLength;
    const at = [0, 1, 2].map(
      (r) =>
        palettes[o + rowLength * r] * bind[12] +
        palettes[o + rowLength * r + 1] * bind[13] +
        palettes[o + rowLength * r + 2] * bind[14] +
        palettes[o + rowLength * r + 3],
    );
    expect(at[0]).toBeCloseTo(5, 4);
    expect(at[1]).toBeCloseTo(0, 4);
    expect(at[2]).toBeCloseTo(0, 4);
    player.destroy();
    expect(() => player.writeTimes([0])).toThrow('after destroy');
  });

  it('refuses clips and times that are not there', async () => {
    const asset = makeRig(5);
    const { skeleton, nodeOfBone } = asset.rig!;
    const rig = { nodes: asset.nodes, animations: [], skeleton, nodeOfBone };
    const player = await createGpuPlayer(device, rig);
    expect(() => player.writeTimes([0], [1])).toThrow('plays clip 1 of 1');
    expect(() => player.writeTimes([0, 1])).toThrow('2 times for 1 instances');
    player.destroy();
    const track: Track = {
      node: 9,
      path: 'scale',
      interpolation: 'LINEAR',
      times: Float32Array.of(0),
      values: new Float32Array(3),
    };
    await expect(
      createGpuPlayer(device, { ...rig, animations: [{ name: 'bad', duration: 1, tracks: [track] }] }),
    ).rejects.toThrow('moves node 9 of 5');
  });

  it.skipIf(!existsSync(join(DATA, 'ninja.glb')))('plays the ninja (needs the data folder)', async () => {
    const asset = await readAsset([
      { name: 'ninja.glb', bytes: new Uint8Array(readFileSync(join(DATA, 'ninja.glb'))) },
    ]);
    const duration = asset.animations[0].duration;
    const seconds = [0, 0.1, 0.37, 0.5, 0.81].map((x) => x * duration);
    const height = 2;
    expect((await measureOff(asset, seconds, [0, 0, 0, 0, 0], false)) / height).toBeLessThan(2e-5);
  });
});
