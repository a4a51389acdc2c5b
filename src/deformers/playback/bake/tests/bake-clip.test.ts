// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AnimationMixer, Mesh, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { describe, expect, it } from 'vitest';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import { frameOf } from '../../../../core/model/clip/clip.ts';
import { readGltf } from '../../../../formats/gltf/read-gltf.ts';
import { bakeClip } from '../bake-clip.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../../../..');
const data = resolve(root, process.env.OSSIFY_DATA ?? '../shared');

const FILES = [
  'rigs/RiggedSimple.glb',
  'rigs/RecursiveSkeletons.glb',
  'rigs/RobotExpressive.glb',
  'rigs/Xbot.glb',
  'rigs/ninja.glb',
  'rigs/Fox.glb',
  'formats/AnimatedMorphCube.glb',
  'formats/MorphStressTest.glb',
  'formats/Horse.glb',
];

/** The same GLB without materials: three.js cannot read images outside a browser. */
function withoutMaterials(bytes: Uint8Array): ArrayBuffer {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const jsonEnd = 20 + view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, jsonEnd)));
  for (const key of ['materials', 'textures', 'images', 'samplers']) delete json[key];
  for (const mesh of json.meshes) for (const primitive of mesh.primitives) delete primitive.material;
  const text = JSON.stringify(json);
  const chunk = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 4) * 4));
  const out = new Uint8Array(20 + chunk.length + bytes.length - jsonEnd);
  out.set(bytes.subarray(0, 20));
  out.set(chunk, 20);
  out.set(bytes.subarray(jsonEnd), 20 + chunk.length);
  new DataView(out.buffer).setUint32(8, out.length, true);
  new DataView(out.buffer).setUint32(12, chunk.length, true);
  return out.buffer;
}

/** Every vertex of every mesh as three.js poses it, mesh after mesh, in world space. */
async function poseByThree(bytes: Uint8Array, animation: number, time: number): Promise<number[]> {
  const gltf = await new GLTFLoader().parseAsync(withoutMaterials(bytes), '');
  const mixer = new AnimationMixer(gltf.scene);
  const clip = gltf.animations[animation];
  mixer.clipAction(clip).play();
  // At its very end an action starts over.
  mixer.setTime(Math.min(time, clip.duration * (1 - 1e-7)));
  gltf.scene.updateMatrixWorld(true);
  const out: number[] = [];
  const v = new Vector3();
  gltf.scene.traverse((object) => {
    if (!(object instanceof Mesh)) return;
    for (let i = 0; i < object.geometry.attributes.position.count; i++) {
      object.getVertexPosition(i, v).applyMatrix4(object.matrixWorld);
      out.push(v.x, v.y, v.z);
    }
  });
  return out;
}

const sorted = (positions: ArrayLike<number>, axis: number): Float64Array =>
  Float64Array.from({ length: positions.length / 3 }, (_, i) => positions[3 * i + axis]).sort();

describe('baking real files', () => {
  for (const file of FILES) {
    const path = resolve(data, file);
    it.skipIf(!existsSync(path))(`gives ${file} the shape that three.js gives it (needs the data folder)`, async () => {
      const bytes = new Uint8Array(readFileSync(path));
      const asset = await readGltf(bytes, { name: file, resolve: () => Promise.reject(new Error('no resources')) });
      const time = 0.4 * asset.animations[0].duration;
      const clip = bakeClip(asset, { start: time, end: time });
      const ours = frameOf(clip, 0);
      const theirs = await poseByThree(bytes, 0, time);
      expect(ours.length).toBe(theirs.length);
      const size = measureBounds(ours).diagonal;
      // The two may list the meshes in another order; the sorted coordinates must agree all the same.
      let worst = 0;
      for (let axis = 0; axis < 3; axis++) {
        const a = sorted(ours, axis),
          b = sorted(theirs, axis);
        for (let i = 0; i < a.length; i++) worst = Math.max(worst, Math.abs(a[i] - b[i]));
      }
      expect(worst / size).toBeLessThan(1e-5);
      // And it is a pose: somewhere it differs from the shape at rest.
      const travel = ours.reduce((max, x, c) => Math.max(max, Math.abs(x - asset.mesh.positions[c])), 0);
      expect(travel / size).toBeGreaterThan(1e-3);
    });
  }
});
