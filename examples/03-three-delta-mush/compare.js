// SPDX-License-Identifier: MIT
// The same bones move two skins: linear blending on the left, as any player shows it, and Direct Delta Mush on the right.
import { makeSkin, mush, readAsset, writeGlb } from 'ossify';
import { makeRestNormals } from 'ossify/gpu';
import { makeSample } from 'ossify/sample';
import { ossifyPlugin } from 'ossify/three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import * as THREE from 'three/webgpu';

const params = new URLSearchParams(location.search);
const renderer = new THREE.WebGPURenderer({ antialias: true });
renderer.shadowMap.enabled = true;
document.body.append(renderer.domElement);

const { plain, mushed } = await makeFiles();
const [left, right] = await Promise.all([
  new GLTFLoader().loadAsync(plain),
  new GLTFLoader().register(ossifyPlugin(renderer)).loadAsync(mushed),
]);

const radius = new THREE.Box3().setFromObject(right.scene).getBoundingSphere(new THREE.Sphere()).radius;
const scene = new THREE.Scene();
scene.background = new THREE.Color(0xe8e6e1);
const mixers = [left, right].map((gltf, n) => {
  gltf.scene.position.x = (2 * n - 1) * 0.75 * radius;
  gltf.scene.traverse((object) => {
    if (!object.isMesh) return;
    object.castShadow = true;
    object.material = new THREE.MeshStandardMaterial({ color: n === 0 ? 0xb08968 : 0x7f9c6c, roughness: 0.7 });
    // a plain skin keeps the box of its first pose, and would be culled by it
    object.frustumCulled = object.isDeformedMesh === true;
  });
  scene.add(gltf.scene);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[0]).play();
  return mixer;
});
const sun = new THREE.DirectionalLight(0xffffff, 2.5);
sun.position.set(radius, 3 * radius, 2 * radius);
sun.castShadow = true;
sun.shadow.mapSize.setScalar(1024);
const side = 2.2 * radius;
Object.assign(sun.shadow.camera, { left: -side, right: side, top: side, bottom: -side, near: 0.1, far: 8 * radius });
const ground = new THREE.Mesh(
  new THREE.CircleGeometry(4 * radius, 64).rotateX(-Math.PI / 2),
  new THREE.MeshStandardMaterial({ color: 0xd8d4cc }),
);
ground.position.y = new THREE.Box3().setFromObject(right.scene).min.y;
ground.receiveShadow = true;
scene.add(sun, ground, new THREE.HemisphereLight(0xffffff, 0x998877, 1.5));

const camera = new THREE.PerspectiveCamera(30, 1, 0.01, 50);
camera.position.set(0, 1.6 * radius, 4.6 * radius);
const controls = new OrbitControls(camera, renderer.domElement);
controls.target.set(0, radius, 0);

const resize = () => {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
};
addEventListener('resize', resize);
resize();
document.querySelector('p').textContent = 'left: linear blending; right: Direct Delta Mush, the same bones';
renderer.setAnimationLoop((now) => {
  const time = params.has('time') ? Number(params.get('time')) : now / 1000;
  for (const mixer of mixers) mixer.setTime(time);
  controls.update();
  renderer.render(scene, camera);
  document.body.dataset.frames = String(Number(document.body.dataset.frames ?? 0) + 1);
});

/** A bar on two bones, the upper one twisting and bending, and the same after `mush`: made here, so that the page needs no file. */
async function makeFiles() {
  const { clip } = makeSample('bar-bend', { resolution: 1200, frames: 1 });
  const mesh = { ...clip.mesh, normals: makeRestNormals(clip.mesh) };
  const up = new THREE.Matrix4().makeTranslation(0, 2, 0);
  const down = up.clone().invert();
  const bindMatrices = Float64Array.from([...new THREE.Matrix4().elements, ...up.elements]);
  const skeleton = { names: ['lower', 'upper'], parents: Int32Array.of(-1, 0), bindMatrices };
  const heights = mesh.positions.filter((_, c) => c % 3 === 1);
  const shares = [...heights].map((y) => THREE.MathUtils.smoothstep(y, 1.4, 2.6));
  const bones = shares.flatMap(() => [0, 1]);
  const skin = makeSkin(
    bones,
    shares.flatMap((share) => [1 - share, share]),
    2,
  );
  const times = Float64Array.from({ length: 49 }, (_, k) => k / 12);
  const matrices = [...times].flatMap((t) => {
    const swing = Math.sin((t * Math.PI) / 2);
    const turn = new THREE.Matrix4().makeRotationFromEuler(new THREE.Euler(0, 2.6 * swing, 0.5 * swing ** 2));
    return [...new THREE.Matrix4().elements, ...up.clone().multiply(turn).multiply(down).elements];
  });
  const motion = { name: 'twist', times, matrices: Float64Array.from(matrices) };
  const none = [];
  const nodes = { names: none, parents: none, translations: none, rotations: none, scales: none };
  const rest = { name: 'bar', mesh, nodes, animations: none, clips: none, up: 'y', byteLength: 0 };
  const bytes = await writeGlb(rest, {
    kind: 'skin',
    model: { kind: 'skin', mesh, skeleton, skin, motions: [motion] },
  });
  const asset = await readAsset([{ name: 'bar.glb', bytes }]);
  const { model, skin: smooth } = await mush(asset);
  const files = { plain: bytes, mushed: await writeGlb(asset, { kind: 'delta-mush', model, skin: smooth }) };
  for (const name of Object.keys(files)) files[name] = URL.createObjectURL(new Blob([files[name]]));
  return files;
}
