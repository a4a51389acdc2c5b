// SPDX-License-Identifier: MIT
// The stampede: number of animals and speed.
import { find, h } from '../elements/dom.ts';
import { colorOf } from '../elements/theme.ts';
import type { VersionInfo } from '../messages/views.ts';
import type { Studio } from '../state/studio.ts';
import type { Viewport } from '../viewport/viewport.ts';
import type { Stampede } from './stampede.ts';

const COUNTS = [1, 10, 50, 100, 300, 1000, 3000, 10_000];
const DEFAULT = 3;
/** Width of a view relative to its height, from which all animals fit beside each other. */
const WIDE = 1.6;

export interface CrowdPanel {
  root: HTMLElement;
  stop(): void;
}

export function makeCrowdPanel(studio: Studio, viewport: Viewport): CrowdPanel {
  let stampede: Stampede | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let runs = 0;
  /** The camera as it was placed, to tell whether it was moved since. */
  let aimed = '';
  const label = h('output', { style: 'text-align:right' });
  const slider = h('input', {
    type: 'range',
    class: 'wide',
    min: 0,
    max: COUNTS.length - 1,
    step: 1,
    value: DEFAULT,
    'aria-label': 'Animals',
    id: 'herd',
  });
  const count = (): number => COUNTS[Number(slider.value)];
  const start = h('button', { class: 'primary', id: 'stampede', onclick: () => void run() }, 'Run the herd');
  const stop = h('button', { hidden: true, onclick: () => end() }, 'Back to the model');
  const warn = h('div', { class: 'warn' });
  const figures = h('dl', { class: 'figures', id: 'herd-times' });
  const root = h(
    'div',
    { class: 'sheet', id: 'crowd' },
    h(
      'p',
      {},
      'A herd of the shown version, each in its own step, posed and skinned on the GPU by ossify/gpu. The CPU writes one time per animal and frame.',
    ),
    warn,
    h('div', { class: 'field' }, h('span', { class: 'label' }, 'Animals'), label, slider),
    h('div', { class: 'row' }, start, stop),
    figures,
  );
  slider.addEventListener('input', () => update());
  slider.addEventListener('change', () => {
    if (stampede) void run();
  });

  const source = (): VersionInfo | undefined =>
    [studio.shown, studio.result, studio.reference].find((version) => version?.rig);
  const fault = (): string | undefined => {
    if (!('gpu' in navigator) || !navigator.gpu)
      return 'This browser gives the page no WebGPU. Use a recent Chrome, Edge, Safari or Firefox over https or localhost, with hardware acceleration on; everything but the herd works without.';
    return source() ? undefined : 'Needs a model with bones; decompose first, or open a rig.';
  };
  const update = (): void => {
    const sentence = fault();
    warn.hidden = sentence === undefined;
    warn.textContent = sentence ?? '';
    start.disabled = sentence !== undefined;
    label.textContent = count().toLocaleString('en');
  };

  const end = (): void => {
    runs++;
    stampede?.dispose();
    stampede = undefined;
    canvas?.remove();
    canvas = undefined;
    viewport.isCovered = false;
    studio.emit('crowd');
    stop.hidden = true;
    start.hidden = false;
    figures.replaceChildren();
    delete root.dataset.frames;
    viewport.home();
  };

  const run = async (): Promise<void> => {
    const version = source();
    if (!version || fault()) return;
    end();
    const mine = ++runs;
    start.hidden = true;
    const made = await studio.attempt(`Gathering ${count().toLocaleString('en')} animals`, async () => {
      const { createStampede } = await import('./stampede.ts');
      const crowd = await studio.assets.call('crowd', { version: version.id });
      canvas = h('canvas', { class: 'herd', 'aria-label': 'The herd' });
      viewport.canvas.after(canvas);
      const { textures } = viewport.painter;
      return createStampede(canvas, crowd, count(), { view: version.mesh, textures });
    });
    if (!made || mine !== runs) {
      if (mine === runs) end();
      return;
    }
    stampede = made;
    paint();
    viewport.isCovered = true;
    studio.emit('crowd');
    stop.hidden = false;
    aim();
    let frames = 0;
    let mean = 0;
    let last = performance.now();
    const origin = last;
    while (mine === runs) {
      await new Promise(requestAnimationFrame);
      if (mine !== runs) break;
      const { camera } = viewport.stage;
      const { clientWidth, clientHeight } = find('#viewport');
      const aspect = clientWidth / Math.max(1, clientHeight);
      if (aspect !== camera.aspect && aimed === viewport.cameraNumbers.join()) aim();
      camera.aspect = aspect;
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
      try {
        await made.draw(((performance.now() - origin) / 1000) * studio.state.speed, camera);
      } catch (error) {
        if (mine !== runs) break;
        end();
        studio.complain(
          made.isLost
            ? 'The herd has ended: the browser lost the graphics card. Start it again.'
            : `The herd has ended: ${(error as Error).message}`,
        );
        break;
      }
      const now = performance.now();
      mean = frames < 2 ? now - last : 0.9 * mean + 0.1 * (now - last);
      last = now;
      root.dataset.frames = String(++frames);
      if (frames % 5 === 1) showTimes(made, mean);
    }
  };

  const paint = (): void => stampede?.paint(colorOf('--stage'), colorOf('--ground'));
  addEventListener('themechange', paint);

  /** A camera above the front row that sees all animals. */
  const aim = (): void => {
    const { camera } = viewport.stage;
    const side = Math.ceil(Math.sqrt(count()));
    const size = viewport.box.getSize(viewport.stage.world.position.clone());
    const spread = side * 1.25 * Math.max(size.x, size.z);
    const { clientWidth, clientHeight } = find('#viewport');
    const narrow = Math.max(1, (WIDE * clientHeight) / Math.max(1, clientWidth));
    viewport.home();
    camera.position
      .sub(viewport.controls.target)
      .setLength(narrow * (1.1 * size.length() + 0.62 * spread))
      .add(viewport.controls.target);
    camera.position.y += 0.12 * spread;
    camera.far = 100 * spread;
    viewport.controls.maxDistance = 6 * spread + 12 * size.length();
    viewport.controls.update();
    aimed = viewport.cameraNumbers.join();
  };

  const showTimes = ({ gpu, vertexCount, count: animals }: Stampede, mean: number): void => {
    const rows: [string, string][] = [
      ['Frame', `${mean.toFixed(1)} ms, ${(1000 / mean).toFixed(mean > 200 ? 1 : 0)}/s`],
      ['GPU, posing and skinning', gpu ? `${gpu.deform.toFixed(2)} ms` : 'not told by this device'],
      ['GPU, drawing', gpu ? `${gpu.draw.toFixed(2)} ms` : 'not told by this device'],
      ['Vertices per frame', (vertexCount * animals).toLocaleString('en')],
    ];
    figures.replaceChildren(...rows.flatMap(([name, text]) => [h('dt', {}, name), h('dd', {}, text)]));
  };
  studio.on(['shown', 'versions', 'view'], update);
  studio.on(['shown'], () => {
    if (stampede) end();
  });
  update();
  return { root, stop: () => stampede && end() };
}
