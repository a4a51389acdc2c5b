// SPDX-License-Identifier: MIT
// The exported page: one file with the model, and its source if it was exported too, which plays without a network or other files.
import { NeutralToneMapping, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { FrameBaker, listNormalGroups, type TimedMotion } from '../../../src/entry/deform.ts';
import { readAsset, type SurfaceImage } from '../../../src/entry/index.ts';
import { h } from '../elements/dom.ts';
import { Actor } from '../viewport/actor.ts';
import { CLAY, plainColorsInto } from '../viewport/colorings.ts';
import { makeEnvironment } from '../viewport/environment.ts';
import { boxOf, frameBox, makeScene } from '../viewport/scene.ts';
import { TextureStore } from '../viewport/textures/texture-store.ts';
import { watchGraphics } from '../viewport/watch-graphics.ts';
import { makeLookView } from '../worker/look-view.ts';
import { listMotions } from '../worker/version-views.ts';
import { makeViewerControls } from './viewer-controls.ts';

const STYLE = `html,body{margin:0;height:100%;background:#23262c;color:#e8eaed;font:14px system-ui,sans-serif;overflow:hidden}
canvas{position:absolute;inset:0;width:100%;height:100%;display:block}
nav{position:absolute;left:0;right:0;bottom:0;display:flex;gap:10px;align-items:center;padding:10px 16px;background:#16181ccc}
button,select{background:#323740;color:inherit;border:0;border-radius:5px;padding:6px 10px;font:inherit}
svg{width:14px;height:14px;fill:currentColor;display:block}
input{flex:1;min-width:60px;accent-color:#ff9a4d}
[hidden]{display:none}
p{position:absolute;margin:0;left:16px;top:12px;text-shadow:0 1px 3px #000}
p+p{left:auto;right:16px}`;

/** A model of the page: its frames and its shape. */
interface Player {
  actor: Actor;
  motions: TimedMotion[];
  show(motion: number, frame: number): void;
}

async function main(): Promise<void> {
  document.head.append(h('style', {}, STYLE));
  const canvas = h('canvas', { 'aria-label': 'The model. Drag to orbit, scroll to zoom.' });
  const renderer = new WebGLRenderer({ canvas, antialias: true });
  renderer.shadowMap.enabled = true;
  renderer.toneMapping = NeutralToneMapping;
  renderer.setPixelRatio(Math.min(2, devicePixelRatio));
  const stage = makeScene();
  const controls = new OrbitControls(stage.camera, canvas);
  // a page that stands still draws nothing
  let isDirty = true;
  const invalidate = (): void => {
    isDirty = true;
  };
  controls.addEventListener('change', invalidate);
  const result = (await makePlayer('model', invalidate))!;
  const reference = await makePlayer('source', invalidate);
  for (const player of [result, reference]) if (player) stage.world.add(player.actor.group);
  const { motions } = result;
  const title = document.title;
  let time = 0;
  let shown = '';
  const bar = makeViewerControls({
    motions: motions.map(({ name }) => name),
    hasReference: reference !== undefined,
    // prefers-reduced-motion: nothing moves until it is started
    isPlaying: motions[0].times.length > 1 && !matchMedia('(prefers-reduced-motion: reduce)').matches,
    onFrame: (frame) => {
      time = motions[bar.motion].times[frame];
    },
    onMotion: () => {
      time = 0;
      shown = '';
    },
    onSide: () => resize(),
  });
  const labels = [h('p', {}, title), h('p', {}, '')];
  document.body.replaceChildren(canvas, ...labels, bar.root);

  const lost = h('p', { role: 'status', hidden: true, style: 'top:40%;right:16px' });
  document.body.append(lost);
  watchGraphics(canvas, {
    onLost: () => {
      lost.textContent =
        'The browser lost the graphics card. The model is drawn again when it is back; if that takes long, reload the page.';
      lost.hidden = false;
    },
    onBack: () => {
      lost.hidden = true;
      invalidate();
    },
  });

  const resize = (): void => {
    renderer.setSize(innerWidth, innerHeight, false);
    invalidate();
    labels[0].textContent = bar.side === 'result' ? title : 'Source';
    labels[1].textContent = bar.side === 'both' ? title : '';
  };
  addEventListener('resize', resize);
  resize();
  const box = boxOf(result.actor.positions);
  for (const k of [0, 0.25, 0.5, 0.75]) {
    result.show(0, Math.floor(k * motions[0].times.length));
    box.union(boxOf(result.actor.positions));
  }
  stage.fit(box);
  stage.camera.aspect = (bar.side === 'both' ? innerWidth / 2 : innerWidth) / Math.max(1, innerHeight);
  frameBox(stage.camera, controls, box);
  let last = performance.now();
  const draw = (now: number): void => {
    const { times } = motions[bar.motion];
    const end = times[times.length - 1];
    if (bar.isPlaying) time = end > 0 ? (time + (bar.speed * (now - last)) / 1000) % end : 0;
    last = now;
    let k = 0;
    while (k + 1 < times.length && times[k + 1] <= time) k++;
    if (`${bar.motion} ${k}` !== shown) {
      for (const player of [result, reference]) player?.show(bar.motion, k);
      shown = `${bar.motion} ${k}`;
      bar.show(k, times.length);
      document.body.dataset.frame = String(k);
      invalidate();
    }
    requestAnimationFrame(draw);
    if (!isDirty) return;
    isDirty = false;
    renderer.setScissorTest(true);
    const sides = bar.side === 'both' ? (['reference', 'result'] as const) : [bar.side];
    sides.forEach((side, n) => {
      const width = Math.floor(innerWidth / sides.length);
      renderer.setViewport(n * width, 0, width, innerHeight);
      renderer.setScissor(n * width, 0, width, innerHeight);
      stage.camera.aspect = width / Math.max(1, innerHeight);
      stage.camera.updateProjectionMatrix();
      result.actor.group.visible = side === 'result';
      if (reference) reference.actor.group.visible = side === 'reference';
      stage.light((side === 'result' ? result : reference!).actor.hasSurface);
      renderer.render(stage.scene, stage.camera);
    });
  };
  requestAnimationFrame(draw);
}

/** Reads a model that is stored in the page; undefined if there is none. */
async function makePlayer(id: string, onReady: () => void): Promise<Player | undefined> {
  const packed = document.getElementById(id)?.textContent?.trim();
  if (!packed) return undefined;
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const asset = await readAsset([{ name: 'model.glb', bytes }]);
  const { mesh } = asset;
  const images: SurfaceImage[] = [];
  const look = makeLookView(asset, (image) => images.push(image) - 1);
  const view = { positions: mesh.positions, triangles: mesh.triangles, ...listNormalGroups(mesh), look };
  const actor = new Actor(view, boxOf(mesh.positions).getSize(new Vector3()).length());
  if (look) {
    const textures = new TextureStore(async (image) => images[image]);
    actor.showSurface({ textures, environment: makeEnvironment(), onReady });
  } else actor.setColors(plainColorsInto(CLAY[id === 'model' ? 'result' : 'reference'], mesh.positions.slice()));
  if (asset.up === 'z') actor.group.rotation.x = -Math.PI / 2;
  const motions = listMotions(asset);
  const baker = new FrameBaker(asset);
  return {
    actor,
    motions,
    show: (motion, frame) =>
      actor.setShape(baker.bake(motions[Math.min(motion, motions.length - 1)], motion, frame, 1).positions),
  };
}

main().catch((error: Error) => {
  document.body.replaceChildren(h('p', {}, `This page could not show its model: ${error.message}`));
});
