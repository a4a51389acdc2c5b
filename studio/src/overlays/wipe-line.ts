// SPDX-License-Identifier: MIT
import { find } from '../elements/dom.ts';
import type { Studio } from '../state/studio.ts';

/** The line between both sides of the wipe: dragged, or moved by arrow keys. */
export function makeWipeLine(studio: Studio): void {
  const line = find('#wipe');
  const move = (wipe: number): void => studio.set({ wipe: Math.max(0.02, Math.min(0.98, wipe)) }, 'view');
  line.addEventListener('pointerdown', (event) => line.setPointerCapture(event.pointerId));
  line.addEventListener('pointermove', (event) => {
    if (!line.hasPointerCapture(event.pointerId)) return;
    const box = find('#viewport').getBoundingClientRect();
    move((event.clientX - box.left) / box.width);
  });
  line.addEventListener('keydown', (event) => {
    const by = event.key === 'ArrowLeft' ? -0.02 : event.key === 'ArrowRight' ? 0.02 : 0;
    if (by === 0) return;
    event.stopPropagation();
    event.preventDefault();
    move(studio.state.wipe + by);
  });
  const update = (): void => {
    line.hidden = studio.state.view !== 'wipe' || !studio.isPair;
    line.style.left = `${100 * studio.state.wipe}%`;
    line.setAttribute('aria-valuenow', String(Math.round(100 * studio.state.wipe)));
  };
  studio.on(['view', 'shown', 'live'], update);
  update();
}
