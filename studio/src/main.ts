// SPDX-License-Identifier: MIT
import { makeClock } from './bars/clock.ts';
import { makeShortcuts } from './bars/help.ts';
import { makeHistoryButtons } from './bars/history-buttons.ts';
import { listShortcuts } from './bars/shortcuts.ts';
import { makeTimeline } from './bars/timeline.ts';
import { makeToolbar } from './bars/toolbar.ts';
import { makeCrowdPanel } from './crowd/crowd-panel.ts';
import { makeEditPanel } from './editing/edit-tool.ts';
import { makePosePanel } from './editing/pose-tool.ts';
import { download, find, h } from './elements/dom.ts';
import { makeTabs } from './elements/tabs.ts';
import { startTheme } from './elements/theme.ts';
import { showToast } from './elements/toasts.ts';
import { makeExportMenu } from './files/export-menu.ts';
import { makeOpening, openSession } from './files/opening.ts';
import { Workspace } from './files/workspace.ts';
import { startIsolation } from './isolation.ts';
import type { TuneOptions } from './messages/protocol.ts';
import { makeBusySign } from './overlays/busy-sign.ts';
import { makeEmptyCard } from './overlays/empty-card.ts';
import { makeHover } from './overlays/hover.ts';
import { makeOverlays } from './overlays/overlays.ts';
import { makeBonesPanel } from './panels/bones-panel.ts';
import { makeInfoPanel } from './panels/info-panel.ts';
import { makeQueuePanel } from './panels/queue-panel.ts';
import { makeSmoothPanel } from './panels/smooth-panel.ts';
import { makeSolvePanel } from './panels/solve-panel.ts';
import { makeVersionsPanel } from './panels/versions-panel.ts';
import { Studio } from './state/studio.ts';
import { Viewport } from './viewport/viewport.ts';
import { watchGraphics } from './viewport/watch-graphics.ts';

startTheme();
void startIsolation();
const worker = new Worker(new URL('./worker/asset-worker-main.ts', import.meta.url), { type: 'module' });
const studio = new Studio(worker);
worker.onerror = (event) => showToast(event.message || 'The worker did not start; load the page again.');
studio.onComplaint(showToast);

const viewport = openViewport();
makeEmptyCard(studio);
makeToolbar(studio, find('#tools'), {
  onHome: () => viewport?.home(),
  isCovered: () => viewport?.isCovered === true,
});
makeTimeline(studio, find('#timeline'));
makeVersionsPanel(studio, find('#versions'));
makeHistoryButtons(studio);
const solve = makeSolvePanel(studio);
const workspace = new Workspace(studio, viewport);
const info = makeInfoPanel(studio);
const pose = viewport && makePosePanel(studio, viewport, workspace.poses);
const edit = viewport && makeEditPanel(studio, viewport);
const crowd = viewport && makeCrowdPanel(studio, viewport);
const tabs = makeTabs(find('#tasks'), [
  { name: 'Solve', root: solve.root },
  { name: 'Bones', root: makeBonesPanel(studio) },
  { name: 'Smooth', root: makeSmoothPanel(studio, keepTuned) },
  ...(pose ? [{ name: 'Pose', root: pose.root, onShow: pose.open, onHide: pose.close }] : []),
  ...(edit ? [{ name: 'Edit', root: edit.root, onShow: edit.open, onHide: edit.close }] : []),
  ...(crowd ? [{ name: 'Stampede', root: crowd.root, onHide: crowd.stop }] : []),
  { name: 'Queue', root: makeQueuePanel(studio, () => solve.current(), info.readOptions) },
  { name: 'Info', root: info.root },
]);
makeBusySign(studio);
if (viewport) {
  makeHover(studio, viewport);
  makeOverlays(studio, viewport);
}
makeExportMenu(studio, viewport, [
  {
    id: 'project',
    title: 'Project (.ossify)',
    does: 'All versions, poses, the view and the camera, to open here again',
    isUsable: () => studio.versions.size > 0,
    run: async () => download('project.ossify', await workspace.pack(), 'application/octet-stream'),
  },
]);
const opening = makeOpening(studio, info.readOptions, (packed) => workspace.open(packed));
makeShortcuts(listShortcuts(studio, viewport, () => solve.run()));
void openSession(studio);

const tick = makeClock(studio);
const loop = (now: number): void => {
  tick(now);
  viewport?.draw();
  requestAnimationFrame(loop);
};
requestAnimationFrame(loop);

/** For scripts and tests. */
Object.assign(globalThis, { ossifyStudio: { studio, viewport, open: opening.open } });

/** Runs a job with the options of the preview. */
function keepTuned(options: TuneOptions): void {
  const version = studio.live?.version;
  solve.offer('mush', { ...options });
  tabs.open('Solve');
  if (version !== undefined) void solve.runOn(version, 'mush', { ...options });
}

function openViewport(): Viewport | undefined {
  const canvas = find<HTMLCanvasElement>('#viewport canvas');
  try {
    const made = new Viewport(studio, canvas);
    watchGraphics(canvas, {
      onLost: (sentence) => showToast(sentence),
      onBack: (sentence) => {
        showToast(sentence, true);
        made.refresh();
      },
    });
    return made;
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
