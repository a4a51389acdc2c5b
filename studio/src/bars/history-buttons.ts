// SPDX-License-Identifier: MIT
// Undo and redo in the bar, and the warning before unsaved results are lost.
import { find, icon } from '../elements/dom.ts';
import type { Studio } from '../state/studio.ts';

export function makeHistoryButtons(studio: Studio): void {
  const [undo, redo] = [find<HTMLButtonElement>('#undo'), find<HTMLButtonElement>('#redo')];
  undo.append(icon('undo'));
  redo.append(icon('redo'));
  undo.addEventListener('click', () => studio.history.undo());
  redo.addEventListener('click', () => studio.history.redo());
  const update = (): void => {
    const { titles } = studio.history;
    undo.disabled = titles.undo === undefined;
    redo.disabled = titles.redo === undefined;
    undo.title = titles.undo ? `Undo: ${titles.undo} (Ctrl Z)` : 'Nothing to undo';
    redo.title = titles.redo ? `Redo: ${titles.redo} (Ctrl Y)` : 'Nothing to redo';
  };
  studio.on(['history'], update);
  update();
  addEventListener('beforeunload', (event) => {
    if ([...studio.unsaved].some((id) => studio.versions.has(id)) || studio.job) event.preventDefault();
  });
}
