// SPDX-License-Identifier: MIT
// A herd in three.js, each animal in its own step: per frame the CPU writes one time for each, and the GPU poses, deforms and draws.
import { compress, readAsset, writeGlb } from 'ossify';
import { makeRestNormals } from 'ossify/gpu';
import { makeSample } from 'ossify/sample';
import { createDeformedCrowd, ossifyPlugin } from 'ossify/three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import * as THREE from 'three/webgpu';

const params = new URLSearchParams(location.search);
const count = Number(params.get('count') ?? 1000);
const side = Math.ceil(Math.sqrt(count));
const url = params.get('file') ?? (await makeFile());

// buffers of a crowd are large: ask the device for more than the least that every one has
const { maxBufferSize, maxStorageBufferBindingSize } = (await navigator.gpu.requestAdapter()).limits;
const requiredLimits = { maxBufferSize, maxStorageBufferBindingSize };
const renderer = new THREE.WebGPURenderer({ antialias: true, requiredLimits });
renderer.shadowMap.enabled = true;
document.body.append(renderer.domElement);

// all: plain skins make crowds too
const loader = new GLTFLoader().register(ossifyPlugin(renderer, { all: true }));
const gltf = await loader.loadAsync(url);
const box = new THREE.Box3().setFromObject(gltf.scene);
const step = 0.8 * box.getSize(new THREE.Vector3()).length();
gltf.scene.traverse((object) => {
  object.castShadow = true;
  if (url.startsWith('blob:')) object.material?.color.set(0xb08968);
});

const crowd = await createDeformedCrowd(gltf, { count });
const matrix = new THREE.Matrix4();
for (let k = 0; k < count; k++) {
  const [x, z] = [k % side, Math.floor(k / side)].map((cell) => (cell - (side - 1) / 2) * step);
  const turn = 0.6 * Math.sin(k * 12.9898);
  crowd.setMatrixAt(k, matrix.makeRotationY(turn).setPosition(x + 0.3 * step * Math.sin(7 * k), 0, z));
}

const reach = side * step;
const scene = new THREE.Scene();
scene.background = new THREE.Color(0xe8e6e1);
scene.fog = new THREE.Fog(0xe8e6e1, reach, 3 * reach + 5);
const sun = new THREE.DirectionalLight(0xffffff, 2.5);
sun.position.set(0.4 * reach, reach, 0.3 * reach);
sun.castShadow = true;
sun.shadow.mapSize.setScalar(2048);
const half = 0.75 * reach;
Object.assign(sun.shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0.1, far: 3 * reach });
const ground = new THREE.Mesh(
  new THREE.CircleGeometry(2 * reach, 64).rotateX(-Math.PI / 2),
  new THREE.MeshStandardMaterial({ color: 0xd8d4cc }),
);
ground.position.y = box.min.y;
ground.receiveShadow = true;
scene.add(crowd, sun, ground, new THREE.HemisphereLight(0xffffff, 0x998877, 1.5));

const camera = new THREE.PerspectiveCamera(35, 1, 0.1, 5 * reach);
camera.position.set(0.3 * reach, 0.3 * reach + 0.5, 0.6 * reach + 1);
const controls = new OrbitControls(camera, renderer.domElement);

const resize = () => {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
};
addEventListener('resize', resize);
resize();
document.querySelector('p').textContent = `${count} animals`;
const seconds = new Float32Array(count);
renderer.setAnimationLoop((now) => {
  const time = params.has('time') ? Number(params.get('time')) : now / 1000;
  for (let k = 0; k < count; k++) seconds[k] = time + 0.37 * k;
  // the camera chooses levels of detail, if the file has them (ossify lod)
  crowd.update(seconds, undefined, camera);
  controls.update();
  renderer.render(scene, camera);
  document.body.dataset.frames = String(Number(document.body.dataset.frames ?? 0) + 1);
});

/** An animal with Direct Delta Mush in two layers, made here so that the page needs no file. `ossify compress in.glb it.glb` makes better ones: ?file=it.glb */
async function makeFile() {
  const { clip, skeleton, skin, motion } = makeSample('quadruped', { resolution: 700, frames: 24 });
  const mesh = { ...clip.mesh, normals: makeRestNormals(clip.mesh) };
  const none = [];
  const nodes = { names: none, parents: none, translations: none, rotations: none, scales: none };
  const rest = { name: 'animal', mesh, nodes, animations: none, clips: none, up: 'y', byteLength: 0 };
  const bytes = await writeGlb(rest, {
    kind: 'skin',
    model: { kind: 'skin', mesh, skeleton, skin, motions: [motion] },
  });
  const asset = await readAsset([{ name: 'animal.glb', bytes }]);
  const { model, skin: plain } = await compress(asset, { virtualBones: 24, influences: 4, iterations: 1, poses: 12 });
  return URL.createObjectURL(new Blob([await writeGlb(asset, { kind: 'two-layer', model, skin: plain })]));
}
