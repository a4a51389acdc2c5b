// SPDX-License-Identifier: MIT
import { find, h } from './dom.ts';
import { makeExportMenu } from './export-menu.ts';
import { makeShortcuts } from './help.ts';
import { makeHover } from './hover.ts';
import { makeOpening } from './opening.ts';
import { makeOverlays } from './overlays.ts';
import { makeCrowdPanel } from './panel-crowd.ts';
import { makeSmoothPanel } from './panel-smooth.ts';
import { makeSolvePanel } from './panel-solve.ts';
import { makeVersionsPanel } from './panel-versions.ts';
import { makePosePanel } from './pose-tool.ts';
import type { TuneOptions } from './protocol.ts';
import type { Coloring, ViewMode } from './state.ts';
import { Studio } from './studio.ts';
import { makeTabs } from './tabs.ts';
import { makeClock, makeTimeline, togglePlay } from './timeline.ts';
import { showToast } from './toasts.ts';
import { makeToolbar } from './toolbar.ts';
import { Viewport } from './viewport.ts';

const worker = new Worker(new URL('./asset-worker-main.ts', import.meta.url), { type: 'module' });
const studio = new Studio(worker);
worker.onerror = (event) => showToast(event.message || 'The worker did not start; load the page again.');
studio.onComplaint(showToast);

const viewport = openViewport();
makeToolbar(studio, find('#tools'), () => viewport?.home());
makeTimeline(studio, find('#timeline'));
makeVersionsPanel(studio, find('#versions'));
const solve = makeSolvePanel(studio);
const pose = viewport && makePosePanel(studio, viewport);
const crowd = viewport && makeCrowdPanel(studio, viewport);
const tabs = makeTabs(find('#tasks'), [
  { name: 'Solve', root: solve.root },
  { name: 'Smooth', root: makeSmoothPanel(studio, keepTuned) },
  ...(pose ? [{ name: 'Pose', root: pose.root, onShow: pose.open, onHide: pose.close }] : []),
  ...(crowd ? [{ name: 'Stampede', root: crowd.root, onHide: crowd.stop }] : []),
]);
if (viewport) makeHover(studio, viewport);
makeOverlays(studio, viewport);
makeExportMenu(studio, viewport);
makeOpening(studio);

const view = (value: ViewMode) => () => {
  if (value === 'result' || studio.isPair) studio.set({ view: value }, 'view', 'frame');
};
const color = (value: Coloring) => () =>
  studio.set({ coloring: studio.state.coloring === value ? 'shaded' : value, bone: -1 }, 'view');
const toggle = (key: 'hasWire' | 'hasBones' | 'hasVirtual' | 'hasWorst') => () =>
  studio.set({ [key]: !studio.state[key] }, 'view');
const step = (by: number) => () => {
  studio.state.isPlaying = false;
  studio.setFrame(studio.state.frame + by);
};
makeShortcuts([
  { keys: [' '], does: 'Play or pause', run: () => togglePlay(studio) },
  { keys: ['ArrowLeft', 'ArrowRight'], does: 'One frame back, one frame on', run: () => {} },
  { keys: ['Home', 'End'], does: 'First frame, last frame', run: () => {} },
  { keys: ['1'], does: 'Result', run: view('result') },
  { keys: ['2'], does: 'Reference', run: view('reference') },
  { keys: ['3'], does: 'Side by side', run: view('side') },
  { keys: ['4'], does: 'Wipe', run: view('wipe') },
  { keys: ['5'], does: 'Difference', run: view('difference') },
  { keys: ['c'], does: 'Clay', run: () => studio.set({ coloring: 'shaded' }, 'view') },
  { keys: ['h'], does: 'Error as a heat map', run: color('heat') },
  { keys: ['q'], does: 'Weights', run: color('weights') },
  { keys: ['l'], does: 'Clusters', run: color('clusters') },
  { keys: ['k'], does: 'Checker', run: color('checker') },
  { keys: ['w'], does: 'Wireframe', run: toggle('hasWire') },
  { keys: ['b'], does: 'Bones', run: toggle('hasBones') },
  { keys: ['v'], does: 'Virtual bones', run: toggle('hasVirtual') },
  { keys: ['x'], does: 'Worst vertex', run: toggle('hasWorst') },
  { keys: ['f'], does: 'Frame the model', run: () => viewport?.home() },
  { keys: ['o'], does: 'Open files', run: () => find('#files').click() },
  { keys: ['r'], does: 'Run the job', run: () => solve.run() },
  { keys: ['Escape'], does: 'Cancel the job', run: () => void studio.cancel() },
  { keys: ['?'], does: 'This list', run: () => find<HTMLDialogElement>('#shortcuts').showModal() },
]);
addEventListener('keydown', ({ key, target }) => {
  if ((target as HTMLElement).matches('input, select, textarea, #wipe')) return;
  if (key === 'ArrowLeft') step(-1)();
  else if (key === 'ArrowRight') step(1)();
  else if (key === 'Home') step(-1e9)();
  else if (key === 'End') step(1e9)();
});

const tick = makeClock(studio);
const loop = (now: number): void => {
  tick(now);
  viewport?.draw();
  requestAnimationFrame(loop);
};
requestAnimationFrame(loop);

/** For scripts and tests. */
Object.assign(globalThis, { ossifyStudio: { studio, viewport } });

/** Runs a job with the options of the preview. */
function keepTuned(options: TuneOptions): void {
  const version = studio.live?.version;
  solve.offer('mush', { ...options });
  tabs.open('Solve');
  if (version !== undefined) void studio.run(version, 'mush', { ...options });
}

function openViewport(): Viewport | undefined {
  const canvas = find<HTMLCanvasElement>('#viewport canvas');
  try {
    return new Viewport(studio, canvas);
  } catch {
    canvas.replaceWith(
      h(
        'div',
        { class: 'fault' },
        h(
          'p',
          {},
          'This browser gives the page no WebGL 2, so models cannot be drawn. Turn on hardware acceleration or use another browser; jobs and exports work all the same.',
        ),
      ),
    );
    return undefined;
  }
}
