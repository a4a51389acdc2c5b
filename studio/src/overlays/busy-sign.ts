// SPDX-License-Identifier: MIT
// What the page is waiting for: long work with a way to end it, and frames that have not arrived.
import { find, h } from '../elements/dom.ts';
import type { Studio } from '../state/studio.ts';

export function makeBusySign(studio: Studio): void {
  const root = find('#busy');
  const text = h('span');
  const cancel = h('button', { class: 'quiet', id: 'cancel-busy', onclick: () => studio.busy?.cancel?.() }, 'Cancel');
  root.append(h('i'), text, cancel);
  const update = (): void => {
    const { busy, live } = studio;
    const sentence = busy?.text ?? (live?.isBusy ? 'Smoothing' : undefined);
    root.hidden = sentence === undefined;
    text.textContent = sentence ?? '';
    cancel.hidden = busy?.cancel === undefined;
  };
  studio.on(['busy', 'live'], update);

  const veil = find('#veil');
  veil.append(h('i'), h('span'));
  const updateVeil = (): void => {
    veil.hidden = studio.shown === undefined || !studio.isWaiting;
    const sentence = `Waiting for frame ${studio.state.frame}`;
    const label = veil.querySelector('span') as HTMLElement;
    if (label.textContent !== sentence) label.textContent = sentence;
  };
  studio.on(['frame', 'frames', 'shown', 'pose'], updateVeil);
}
