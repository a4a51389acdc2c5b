// SPDX-License-Identifier: MIT
import { find, h } from './dom.ts';

export interface Shortcut {
  keys: string[];
  does: string;
  run(): void;
}

/** Handles keyboard shortcuts, and lists them. Keys in form fields are ignored. */
export function makeShortcuts(shortcuts: readonly Shortcut[]): void {
  const dialog = find<HTMLDialogElement>('#shortcuts');
  const label = (key: string): string =>
    key === ' ' ? 'Space' : key.length === 1 ? key.toUpperCase() : key.replace('Arrow', '');
  dialog.append(
    h('h2', {}, 'Keyboard shortcuts'),
    h(
      'dl',
      {},
      ...shortcuts.flatMap(({ keys, does }) => [
        h('dt', {}, ...keys.flatMap((key, n) => [n > 0 ? ' ' : '', h('kbd', {}, label(key))])),
        h('dd', {}, does),
      ]),
    ),
    h('p', { class: 'muted' }, 'Drag to orbit, right-drag to pan, scroll to zoom.'),
    h('form', { method: 'dialog' }, h('button', { class: 'primary' }, 'Close')),
  );
  find('#help').addEventListener('click', () => dialog.showModal());
  // after a mouse click, the button loses focus, so that shortcuts work; focus by keyboard is kept
  addEventListener('click', ({ detail, target }) => {
    const button = (target as HTMLElement).closest('button');
    if (detail > 0 && button && button === document.activeElement) button.blur();
  });
  const byKey = new Map(shortcuts.flatMap((one) => one.keys.map((key) => [key, one] as const)));
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const target = event.target as HTMLElement;
    const isField = target.matches('input:not([type="range"]):not([type="checkbox"]), select, textarea');
    const isOwn =
      target.matches('button, summary, input') &&
      (event.key === ' ' || event.key.startsWith('Arrow') || event.key === 'Enter');
    if (isField || isOwn) return;
    const shortcut = byKey.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run();
  });
}
