// SPDX-License-Identifier: MIT
// The page that a result is exported as: one file with the model in it, which plays anywhere, with no network and no other file.
import { Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { FrameBaker, listNormalGroups } from '../../src/deform.ts';
import { readAsset } from '../../src/index.ts';
import { Actor } from './actor.ts';
import { CLAY, plainColorsInto } from './colorings.ts';
import { h, icon } from './dom.ts';
import { boxOf, frameBox, makeScene } from './scene.ts';
import { listMotions } from './version-views.ts';

const STYLE = `html,body{margin:0;height:100%;background:#23262c;color:#e8eaed;font:14px system-ui,sans-serif;overflow:hidden}
canvas{position:absolute;inset:0;width:100%;height:100%;display:block}
nav{position:absolute;left:0;right:0;bottom:0;display:flex;gap:10px;align-items:center;padding:10px 16px;background:#16181ccc}
button{background:#323740;color:inherit;border:0;border-radius:5px;padding:6px 10px}
svg{width:14px;height:14px;fill:currentColor;display:block}
input{flex:1;accent-color:#ff9a4d}
p{position:absolute;margin:0;left:16px;top:12px;text-shadow:0 1px 3px #000}`;

async function main(): Promise<void> {
  document.head.append(h('style', {}, STYLE));
  const packed = document.getElementById('model')?.textContent?.trim() ?? '';
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const asset = await readAsset([{ name: 'model.glb', bytes }]);
  const canvas = h('canvas');
  const renderer = new WebGLRenderer({ canvas, antialias: true });
  renderer.shadowMap.enabled = true;
  renderer.setPixelRatio(Math.min(2, devicePixelRatio));
  const stage = makeScene();
  const controls = new OrbitControls(stage.camera, canvas);
  const { mesh } = asset;
  const box = boxOf(mesh.positions);
  const actor = new Actor(
    { positions: mesh.positions, triangles: mesh.triangles, ...listNormalGroups(mesh) },
    box.getSize(new Vector3()).length(),
  );
  actor.setColors(plainColorsInto(CLAY.result, new Float32Array(mesh.positions.length)));
  stage.world.add(actor.group);
  if (asset.up === 'z') stage.world.rotation.x = -Math.PI / 2;
  const [motion] = listMotions(asset);
  const { times } = motion;
  const baker = new FrameBaker(asset);
  const slider = h('input', { type: 'range', min: 0, max: times.length - 1, value: 0, 'aria-label': 'Frame' });
  const play = h('button', { 'aria-label': 'Play or pause' }, icon('pause'));
  const vertices = (mesh.positions.length / 3).toLocaleString('en');
  const title = document.title;
  document.body.replaceChildren(
    canvas,
    h('p', {}, `${title} · ${vertices} vertices`),
    times.length > 1 ? h('nav', {}, play, slider) : '',
  );

  let isPlaying = times.length > 1;
  let shown = -1;
  let last = performance.now();
  let time = 0;
  play.addEventListener('click', () => {
    isPlaying = !isPlaying;
    play.replaceChildren(icon(isPlaying ? 'pause' : 'play'));
  });
  slider.addEventListener('input', () => {
    isPlaying = false;
    play.replaceChildren(icon('play'));
    time = times[Number(slider.value)];
  });
  const resize = (): void => {
    renderer.setSize(innerWidth, innerHeight, false);
    stage.camera.aspect = innerWidth / Math.max(1, innerHeight);
    stage.camera.updateProjectionMatrix();
  };
  addEventListener('resize', resize);
  resize();
  stage.fit(box);
  frameBox(stage.camera, controls, box);
  const end = times[times.length - 1];
  const draw = (now: number): void => {
    if (isPlaying) time = end > 0 ? (time + (now - last) / 1000) % end : 0;
    last = now;
    let k = 0;
    while (k + 1 < times.length && times[k + 1] <= time) k++;
    if (k !== shown) {
      actor.setShape(baker.bake(motion, 0, k, 1).positions);
      shown = k;
      slider.value = String(k);
      document.body.dataset.frame = String(k);
    }
    renderer.render(stage.scene, stage.camera);
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
}

main().catch((error: Error) => {
  document.body.replaceChildren(h('p', {}, `This page could not show its model: ${error.message}`));
});
