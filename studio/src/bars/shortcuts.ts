// SPDX-License-Identifier: MIT
// The keyboard of the page.
import { find } from '../elements/dom.ts';
import type { Coloring, ViewMode } from '../state/state.ts';
import type { Studio } from '../state/studio.ts';
import type { Viewport } from '../viewport/viewport.ts';
import { stepFrame, togglePlay } from './clock.ts';
import type { Shortcut } from './help.ts';

export function listShortcuts(studio: Studio, viewport: Viewport | undefined, runJob: () => void): Shortcut[] {
  const view = (value: ViewMode) => () => {
    if (value === 'result' || studio.isPair) studio.set({ view: value }, 'view', 'frame');
  };
  const color = (value: Coloring) => () => {
    const plain = studio.shown?.mesh.look ? 'material' : 'shaded';
    studio.set({ coloring: studio.state.coloring === value ? plain : value, bone: -1 }, 'view');
  };
  const toggle = (key: 'hasWire' | 'hasBones' | 'hasVirtual' | 'hasWorst') => () =>
    studio.set({ [key]: !studio.state[key] }, 'view');
  const mark = (key: 'loopStart' | 'loopEnd') => () => {
    const { frame } = studio.state;
    studio.set({ [key]: studio.state[key] === frame ? -1 : frame }, 'frame');
  };
  const step = (by: number) => () => stepFrame(studio, by);
  const turn = (azimuth: number, elevation: number) => () => viewport?.orbit(azimuth, elevation);
  return [
    { keys: [' '], does: 'Play or pause', run: () => togglePlay(studio) },
    { keys: ['ArrowLeft'], does: 'One frame back', run: step(-1) },
    { keys: ['ArrowRight'], does: 'One frame on', run: step(1) },
    { keys: ['Home'], does: 'First frame', run: step(-1e9) },
    { keys: ['End'], does: 'Last frame', run: step(1e9) },
    { keys: ['i'], does: 'Start the loop at this frame', run: mark('loopStart') },
    { keys: ['u'], does: 'End the loop at this frame', run: mark('loopEnd') },
    { keys: ['1'], does: 'Result', run: view('result') },
    { keys: ['2'], does: 'Reference', run: view('reference') },
    { keys: ['3'], does: 'Side by side', run: view('side') },
    { keys: ['4'], does: 'Wipe', run: view('wipe') },
    { keys: ['5'], does: 'Difference', run: view('difference') },
    { keys: ['m'], does: 'Materials of the file', run: () => studio.set({ coloring: 'material' }, 'view') },
    { keys: ['c'], does: 'Clay', run: () => studio.set({ coloring: 'shaded' }, 'view') },
    { keys: ['h'], does: 'Error as a heat map', run: color('heat') },
    { keys: ['q'], does: 'Weights', run: color('weights') },
    { keys: ['l'], does: 'Clusters', run: color('clusters') },
    { keys: ['k'], does: 'Checker', run: color('checker') },
    { keys: ['w'], does: 'Wireframe', run: toggle('hasWire') },
    { keys: ['b'], does: 'Bones', run: toggle('hasBones') },
    { keys: ['v'], does: 'Virtual bones', run: toggle('hasVirtual') },
    { keys: ['x'], does: 'Worst vertex', run: toggle('hasWorst') },
    { keys: ['f'], does: 'Frame the locked bone, or the model', run: () => viewport?.focus() },
    { keys: ['7'], does: 'View from the front', run: () => viewport?.lookFrom('front') },
    { keys: ['8'], does: 'View from the right', run: () => viewport?.lookFrom('right') },
    { keys: ['9'], does: 'View from above', run: () => viewport?.lookFrom('top') },
    { keys: ['Shift+ArrowLeft'], does: 'Orbit left', run: turn(-0.15, 0) },
    { keys: ['Shift+ArrowRight'], does: 'Orbit right', run: turn(0.15, 0) },
    { keys: ['Shift+ArrowUp'], does: 'Orbit up', run: turn(0, -0.1) },
    { keys: ['Shift+ArrowDown'], does: 'Orbit down', run: turn(0, 0.1) },
    { keys: ['+', '='], does: 'Closer', run: () => viewport?.zoom(0.85) },
    { keys: ['-'], does: 'Farther', run: () => viewport?.zoom(1 / 0.85) },
    { keys: ['o'], does: 'Open files', run: () => find('#files').click() },
    { keys: ['r'], does: 'Run the job', run: runJob },
    { keys: ['Ctrl+z'], does: 'Undo', run: () => studio.history.undo() },
    { keys: ['Ctrl+y', 'Ctrl+Shift+z'], does: 'Redo', run: () => studio.history.redo() },
    { keys: ['Escape'], does: 'Close the menu; cancel the job if none is open', run: () => void studio.cancel() },
    { keys: ['?'], does: 'This list', run: () => find<HTMLDialogElement>('#shortcuts').showModal() },
  ];
}
