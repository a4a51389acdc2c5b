// SPDX-License-Identifier: MIT
import { find, h } from './dom.ts';

const MOST = 4;
const MOST_CHARACTERS = 600;
/** Milliseconds that a remark stays; faults stay until they are dismissed. */
const NOTE_STAYS = 12_000;

/** Says a sentence. The oldest go when there are many. */
export function showToast(sentence: string, isNote = false): void {
  const root = find('#toasts');
  const toast = h('div', { class: isNote ? 'toast note' : 'toast' }, h('span', {}, sentence.slice(0, MOST_CHARACTERS)));
  toast.append(h('button', { 'aria-label': 'Dismiss', onclick: () => toast.remove() }, '×'));
  root.append(toast);
  if (isNote) setTimeout(() => toast.remove(), NOTE_STAYS);
  while (root.children.length > MOST) root.firstElementChild?.remove();
}
