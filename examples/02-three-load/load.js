// SPDX-License-Identifier: MIT
// A file of Ossify on a three.js page: one line more than any GLB. It casts shadows, fits its box, and is hit where it stands.
import { mush, readAsset, writeGlb } from 'ossify';
import { makeRestNormals } from 'ossify/gpu';
import { makeSample } from 'ossify/sample';
import { ossifyPlugin } from 'ossify/three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import * as THREE from 'three/webgpu';

const params = new URLSearchParams(location.search);
const url = params.get('file') ?? (await makeFile());

const renderer = new THREE.WebGPURenderer({ antialias: true });
renderer.shadowMap.enabled = true;
document.body.append(renderer.domElement);

// the line that matters
const loader = new GLTFLoader().register(ossifyPlugin(renderer));
const gltf = await loader.loadAsync(url);

const mixer = new THREE.AnimationMixer(gltf.scene);
if (gltf.animations.length > 0) mixer.clipAction(gltf.animations[0]).play();
gltf.scene.traverse((object) => {
  object.castShadow = true;
  if (url.startsWith('blob:')) object.material?.color.set(0xb08968);
});

const box = new THREE.Box3().setFromObject(gltf.scene);
const { center, radius } = box.getBoundingSphere(new THREE.Sphere());
const scene = new THREE.Scene();
scene.background = new THREE.Color(0xe8e6e1);
const sun = new THREE.DirectionalLight(0xffffff, 2.5);
sun.position.copy(center).add(new THREE.Vector3(1, 3, 1.5).setLength(3 * radius));
sun.target.position.copy(center);
sun.castShadow = true;
sun.shadow.mapSize.setScalar(1024);
const [near, far, side] = [0.5 * radius, 6 * radius, 1.5 * radius];
Object.assign(sun.shadow.camera, { left: -side, right: side, top: side, bottom: -side, near, far });
const ground = new THREE.Mesh(
  new THREE.CircleGeometry(4 * radius, 64).rotateX(-Math.PI / 2),
  new THREE.MeshStandardMaterial({ color: 0xd8d4cc }),
);
ground.position.set(center.x, box.min.y, center.z);
ground.receiveShadow = true;
const mark = new THREE.Mesh(
  new THREE.SphereGeometry(0.02 * radius),
  new THREE.MeshStandardMaterial({ color: 0xcc3322 }),
);
mark.position.copy(sun.position);
scene.add(gltf.scene, sun, sun.target, ground, mark, new THREE.HemisphereLight(0xffffff, 0x998877, 1.5));

const camera = new THREE.PerspectiveCamera(35, 1, radius / 50, 20 * radius);
camera.position.copy(center).add(new THREE.Vector3(0.8, 0.4, 0.9).setLength(2.6 * radius));
const controls = new OrbitControls(camera, renderer.domElement);
controls.target.copy(center);

// rays see the deformed shape, at the time of the click
const raycaster = new THREE.Raycaster();
addEventListener('click', ({ clientX, clientY }) => {
  const at = new THREE.Vector2((2 * clientX) / innerWidth - 1, 1 - (2 * clientY) / innerHeight);
  raycaster.setFromCamera(at, camera);
  const [hit] = raycaster.intersectObject(gltf.scene);
  if (!hit) return;
  mark.position.copy(hit.point);
  document.querySelector('p').textContent =
    `hit "${hit.object.name}" at ${hit.point.toArray().map((x) => x.toFixed(3))}`;
});

const resize = () => {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
};
addEventListener('resize', resize);
resize();
document.querySelector('p').textContent = 'click the model: rays hit it where it stands';
renderer.setAnimationLoop((now) => {
  mixer.setTime(params.has('time') ? Number(params.get('time')) : now / 1000);
  controls.update();
  renderer.render(scene, camera);
  document.body.dataset.frames = String(Number(document.body.dataset.frames ?? 0) + 1);
});

/** An animal with Direct Delta Mush, made here so that the page needs no file. Any file of `ossify mush` or `ossify compress` does as well: ?file=it.glb */
async function makeFile() {
  const { clip, skeleton, skin, motion } = makeSample('quadruped', { resolution: 2000, frames: 24 });
  const mesh = { ...clip.mesh, normals: makeRestNormals(clip.mesh) };
  const none = [];
  const nodes = { names: none, parents: none, translations: none, rotations: none, scales: none };
  const rest = { name: 'animal', mesh, nodes, animations: none, clips: none, up: 'y', byteLength: 0 };
  const bytes = await writeGlb(rest, {
    kind: 'skin',
    model: { kind: 'skin', mesh, skeleton, skin, motions: [motion] },
  });
  const asset = await readAsset([{ name: 'animal.glb', bytes }]);
  const { model, skin: plain } = await mush(asset);
  return URL.createObjectURL(new Blob([await writeGlb(asset, { kind: 'delta-mush', model, skin: plain })]));
}
