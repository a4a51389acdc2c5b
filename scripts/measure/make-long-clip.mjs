// SPDX-License-Identifier: MIT
// Writes NAME.obj and NAME.pc2: a generated clip of any length, frame by frame, for measurements of time and memory. Needs `npm run build:library` first.
// Usage: node scripts/measure/make-long-clip.mjs KIND VERTICES FRAMES NAME [SEED]
// Kinds: skinned (a creature, each joint with its own smooth random rotations), soft (a quadruped with the same and soft tissue), animations (a creature whose
// motion restarts every 250 frames, as several animations of one rig), sheet (a surface with travelling waves and a slow turn).
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { makeRandom } from '../../dist/core/math/random.js';
import { makeMesh } from '../../dist/core/model/mesh/mesh.js';
import { makeLinearBlend } from '../../dist/deformers/linear-blend/make-linear-blend.js';
import { writeObj } from '../../dist/formats/meshes/write-obj.js';
import { makeSample } from '../../dist/samples/make-sample.js';
import { makePlanMotion } from '../../dist/samples/rigs/bones.js';

const [kind, vertices, frames, name, seed = '1'] = process.argv.slice(2);
const random = makeRandom(Number(seed));
const frameCount = Number(frames);
const between = (low, high) => low + (high - low) * random.next();

/** A smooth random function of time: a few sines of random periods between 20 and 200 frames. */
function makeWave(amplitude) {
  const terms = Array.from({ length: 3 }, () => [
    amplitude * between(0.2, 0.6),
    (2 * Math.PI) / between(20, 200),
    between(0, 6.28),
  ]);
  return (k) => terms.reduce((sum, [a, f, p]) => sum + a * Math.sin(f * k + p), 0);
}

function makeBody() {
  const sample = makeSample(kind === 'soft' ? 'quadruped' : 'creature', {
    resolution: Number(vertices),
    frames: 1,
    seed: Number(seed),
  });
  const { skeleton, skin, clip } = sample;
  const heads = skeleton.names.map((_, j) => Array.from(skeleton.bindMatrices.subarray(16 * j + 12, 16 * j + 15)));
  const plan = skeleton.names.map((bone, j) => ({ name: bone, parent: skeleton.parents[j], head: heads[j] }));
  const makeWaves = () => plan.map(() => ({ x: makeWave(0.5), y: makeWave(0.25), z: makeWave(0.25) }));
  let waves = makeWaves();
  const pulses = Array.from({ length: 4 }, () => makeWave(0.02));
  const spots = pulses.map(() => heads[random.below(heads.length)]);
  const { positions: rest } = clip.mesh;
  const normals = new Float32Array(rest.length);
  const deformer = makeLinearBlend(clip.mesh, skin, plan.length);
  return {
    mesh: clip.mesh,
    fill(k, out) {
      if (kind === 'animations' && k > 0 && k % 250 === 0) waves = makeWaves();
      const { matrices } = makePlanMotion('move', plan, 1, (j) => ({
        x: waves[j].x(k),
        y: waves[j].y(k),
        z: waves[j].z(k),
      }));
      deformer.deformInto({ bones: matrices }, out, kind === 'soft' ? normals : undefined);
      if (kind !== 'soft') return;
      for (let i = 0; i < rest.length; i += 3) {
        let bulge = 0;
        spots.forEach((spot, n) => {
          const square = spot.reduce((sum, x, c) => sum + ((rest[i + c] - x) / 0.12) ** 2, 0);
          bulge += pulses[n](k) * Math.exp(-square);
        });
        for (let c = 0; c < 3; c++) out[i + c] += bulge * normals[i + c];
      }
    },
  };
}

function makeSheet() {
  const side = Math.round(Math.sqrt(Number(vertices)));
  const positions = new Float32Array(3 * side * side);
  for (let i = 0; i < side * side; i++) {
    positions[3 * i] = (i % side) / (side - 1);
    positions[3 * i + 1] = Math.floor(i / side) / (side - 1);
  }
  const triangles = new Uint32Array(6 * (side - 1) ** 2);
  let o = 0;
  for (let y = 0; y + 1 < side; y++) {
    for (let x = 0; x + 1 < side; x++) {
      const i = y * side + x;
      triangles.set([i, i + 1, i + side, i + 1, i + side + 1, i + side], o);
      o += 6;
    }
  }
  const waves = Array.from({ length: 6 }, () => [
    between(0.01, 0.05),
    between(-9, 9),
    between(-9, 9),
    between(0.03, 0.2),
    between(0, 6),
  ]);
  return {
    mesh: makeMesh(positions, triangles),
    fill(k, out) {
      const turn = 0.5 * Math.sin(0.03 * k);
      const [c, s] = [Math.cos(turn), Math.sin(turn)];
      for (let i = 0; i < positions.length; i += 3) {
        const [x, y] = [positions[i], positions[i + 1]];
        let z = 0;
        for (const [a, fx, fy, ft, p] of waves) z += x * a * Math.sin(fx * x + fy * y + ft * k + p);
        out[i] = c * x - s * z;
        out[i + 1] = y;
        out[i + 2] = s * x + c * z;
      }
    },
  };
}

const { mesh, fill } = kind === 'sheet' ? makeSheet() : makeBody();
writeFileSync(`${name}.obj`, writeObj(mesh));
const header = Buffer.alloc(32);
header.write('POINTCACHE2\0', 'latin1');
header.writeInt32LE(1, 12);
header.writeInt32LE(mesh.positions.length / 3, 16);
header.writeFloatLE(1, 24);
header.writeInt32LE(frameCount, 28);
const file = openSync(`${name}.pc2`, 'w');
writeSync(file, header);
const frame = new Float32Array(mesh.positions.length);
for (let k = 0; k < frameCount; k++) {
  fill(k, frame);
  writeSync(file, Buffer.from(frame.buffer));
}
closeSync(file);
console.log(`${mesh.positions.length / 3} vertices, ${frameCount} frames`);
