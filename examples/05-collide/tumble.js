// SPDX-License-Identifier: MIT
// Fifty animals tumble down a slope, kicking. herd.js has the physics; here they are drawn as the crowd of example 04.
import { writeGlb } from 'ossify';
import { makeRestNormals } from 'ossify/gpu';
import { makeSample } from 'ossify/sample';
import { createDeformedCrowd, ossifyPlugin } from 'ossify/three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import * as THREE from 'three/webgpu';
import { makeHerd, STEP } from './herd.js';

const params = new URLSearchParams(location.search);
const count = Number(params.get('count') ?? 50);
const resolution = Number(params.get('resolution') ?? 500);

const sample = makeSample('quadruped', { resolution, frames: 24 });
const { skeleton, skin, motion } = sample;
const mesh = { ...sample.clip.mesh, normals: makeRestNormals(sample.clip.mesh) };

// a trough of three planes, 34 degrees steep, with rocks
const TILT = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(1, 0, 0), 0.6);
const LENGTH = 40;
const onSlope = (x, y, z) => new THREE.Vector3(x, y, z).applyQuaternion(TILT).add(new THREE.Vector3(0, 11, 0));
const lean = (angle) =>
  TILT.clone().multiply(new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 0, 1), angle));
const rock = (x, z, radius) => ({ position: onSlope(x, -0.4 * radius, z), quaternion: TILT, radius });
const slope = [
  { size: [6, 1, LENGTH], position: onSlope(0, -0.5, 0), quaternion: TILT },
  { size: [6, 1, LENGTH], position: onSlope(-5.5, 0.8, 0), quaternion: lean(-0.5) },
  { size: [6, 1, LENGTH], position: onSlope(5.5, 0.8, 0), quaternion: lean(0.5) },
  ...[rock(-1.2, -4, 0.8), rock(1.5, 0, 1), rock(-1.6, 4, 0.9), rock(0.6, 8, 0.8), rock(-0.4, 13, 1)],
];

/** Puts an animal on top of the slope, at first in rows along it. */
let isFirst = true;
const drop = (body, n) => {
  const wave = (k) => Math.sin(12.9898 * n * k + k);
  const along = isFirst ? -16 + 1.3 * Math.floor(n / 3) : -17;
  body.setTranslation(onSlope(((n % 3) - 1) * 1.4 + 0.3 * wave(1), 1.2 + 0.5 * wave(2), along), true);
  body.setRotation(new THREE.Quaternion().setFromEuler(new THREE.Euler(3 * wave(3), 3 * wave(4), 3 * wave(5))), true);
  body.setLinvel({ x: 0, y: 0, z: 2 }, true);
  body.setAngvel({ x: 4 * wave(6), y: 2 * wave(7), z: 2 * wave(8) }, true);
};
const herd = await makeHerd({ mesh, skeleton, skin, motion, count, slope, drop });
isFirst = false;
for (let n = 0; n < Number(params.get('steps') ?? 0); n++) herd.step();
Object.assign(herd.sums, { collide: 0, physics: 0, count: 0 });

const renderer = new THREE.WebGPURenderer({ antialias: true });
renderer.shadowMap.enabled = true;
document.body.append(renderer.domElement);
const loader = new GLTFLoader().register(ossifyPlugin(renderer, { all: true }));
const gltf = await loader.loadAsync(await makeFile());
gltf.scene.traverse((object) => {
  object.castShadow = true;
  object.receiveShadow = true;
  object.material?.color.set(0xb08968);
});
const crowd = await createDeformedCrowd(gltf, { count });

const scene = new THREE.Scene();
scene.background = new THREE.Color(0xe8e6e1);
const earth = new THREE.MeshStandardMaterial({ color: 0xc9c5b4 });
const stone = new THREE.MeshStandardMaterial({ color: 0x8f9194 });
for (const { size, position, quaternion, radius } of slope) {
  const geometry = radius ? new THREE.SphereGeometry(radius, 24, 16) : new THREE.BoxGeometry(...size);
  const shape = new THREE.Mesh(geometry, radius ? stone : earth);
  shape.position.copy(position);
  shape.quaternion.copy(quaternion);
  shape.receiveShadow = true;
  shape.castShadow = Boolean(radius);
  scene.add(shape);
}
const sun = new THREE.DirectionalLight(0xffffff, 2.5);
sun.position.set(8, 30, 12);
sun.castShadow = true;
sun.shadow.mapSize.setScalar(2048);
sun.shadow.normalBias = 0.05;
Object.assign(sun.shadow.camera, { left: -22, right: 22, top: 22, bottom: -22, near: 1, far: 80 });
scene.add(crowd, sun, new THREE.HemisphereLight(0xffffff, 0x998877, 1.5));

const camera = new THREE.PerspectiveCamera(35, 1, 0.1, 200);
camera.position.set(-10, 17, 22);
const controls = new OrbitControls(camera, renderer.domElement);
controls.target.set(0, 10, 0);
const resize = () => {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
};
addEventListener('resize', resize);
resize();

const line = document.querySelector('p');
const seconds = new Float32Array(count);
let last = performance.now();
let due = 0;
let times = '';
renderer.setAnimationLoop((now) => {
  // at most two steps per frame: a slow machine shows slow motion instead of falling behind
  due = Math.min(due + (now - last) / 1000, 2 * STEP);
  last = now;
  for (; due >= STEP; due -= STEP) herd.step();
  for (const [n, animal] of herd.animals.entries()) {
    crowd.setMatrixAt(n, animal.matrix);
    seconds[n] = herd.secondsOf(animal);
  }
  crowd.update(seconds);
  controls.update();
  renderer.render(scene, camera);
  line.textContent = `${count} animals, ${herd.contactCount} contacts${describeTimes()}`;
  document.body.dataset.frames = String(Number(document.body.dataset.frames ?? 0) + 1);
});

/** Mean milliseconds per step over the last second. */
function describeTimes() {
  const { collide, physics, count: steps } = herd.sums;
  if (steps * STEP >= 1) {
    times = `; per step: collisions ${(collide / steps).toFixed(1)} ms, Rapier ${(physics / steps).toFixed(1)} ms`;
    Object.assign(herd.sums, { collide: 0, physics: 0, count: 0 });
  }
  return times;
}

/** The animal as a GLB with its walk, for the crowd. */
async function makeFile() {
  const none = [];
  const nodes = { names: none, parents: none, translations: none, rotations: none, scales: none };
  const rest = { name: 'animal', mesh, nodes, animations: none, clips: none, up: 'y', byteLength: 0 };
  const model = { kind: 'skin', mesh, skeleton, skin, motions: [motion] };
  return URL.createObjectURL(new Blob([await writeGlb(rest, { kind: 'skin', model })]));
}
