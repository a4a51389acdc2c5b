// SPDX-License-Identifier: MIT
import { find, h } from './dom.ts';

const MAX_TOASTS = 4;
const MAX_CHARACTERS = 600;
/** Milliseconds for which a note is shown; faults stay until they are dismissed. */
const NOTE_STAYS = 12_000;

/** Shows a message. The oldest ones are removed when there are many. */
export function showToast(sentence: string, isNote = false): void {
  const root = find('#toasts');
  const toast = h('div', { class: isNote ? 'toast note' : 'toast' }, h('span', {}, sentence.slice(0, MAX_CHARACTERS)));
  toast.append(h('button', { 'aria-label': 'Dismiss', onclick: () => toast.remove() }, '×'));
  root.append(toast);
  if (isNote) setTimeout(() => toast.remove(), NOTE_STAYS);
  while (root.children.length > MAX_TOASTS) root.firstElementChild?.remove();
}
