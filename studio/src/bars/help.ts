// SPDX-License-Identifier: MIT
import { find, h } from '../elements/dom.ts';

export interface Shortcut {
  /** Keys, with Ctrl+ and Shift+ before them. Cmd counts as Ctrl. */
  keys: string[];
  does: string;
  run(): void;
}

/** Names of keys; not every font has arrows. */
const NAMES: Record<string, string> = {
  ' ': 'Space',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
};

/** Handles keyboard shortcuts, and lists them. Keys in form fields are ignored. */
export function makeShortcuts(shortcuts: readonly Shortcut[]): void {
  const dialog = find<HTMLDialogElement>('#shortcuts');
  const label = (keys: string): string =>
    keys
      .split(/(?<=.)\+(?=.)/)
      .map((key) => NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key))
      .join(' ');
  dialog.setAttribute('aria-label', 'Keyboard shortcuts');
  dialog.append(
    // the list starts at its top, where the focus is
    h('h2', { tabindex: -1, autofocus: true }, 'Keyboard shortcuts'),
    h(
      'dl',
      {},
      ...shortcuts.map(({ keys, does }) => h('div', {}, h('dt', {}, h('kbd', {}, label(keys[0]))), h('dd', {}, does))),
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
    if (event.altKey || document.querySelector('dialog[open]')) return;
    if (event.key === 'Escape' && closeMenus()) return;
    const shortcut = byKey.get(nameOf(event));
    if (!shortcut || isTaken(event)) return;
    event.preventDefault();
    shortcut.run();
  });
}

function nameOf({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const plain = key.length === 1 ? key.toLowerCase() : key;
  // a shifted character, such as ?, is a key of its own
  const isShift = shiftKey && (key.length > 1 || ctrlKey || metaKey);
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${isShift ? 'Shift+' : ''}${plain}`;
}

/** Whether the element with the focus needs the key itself. */
function isTaken({ key, target }: KeyboardEvent): boolean {
  const element = target as HTMLElement;
  if (element.matches('input:not([type="range"]):not([type="checkbox"]), select, textarea')) return true;
  const isMoving = key === ' ' || key.startsWith('Arrow') || key === 'Enter' || key === 'Home' || key === 'End';
  return isMoving && element.matches('button, summary, input, [role="slider"], [role="treeitem"], [role="separator"]');
}

function closeMenus(): boolean {
  const open = document.querySelectorAll<HTMLDetailsElement>('details.menu[open]');
  for (const menu of open) menu.open = false;
  return open.length > 0;
}
