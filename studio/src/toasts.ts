// SPDX-License-Identifier: MIT
import { find, h } from './dom.ts';

const MOST = 4;

/** Says a sentence until it is dismissed. The oldest go when there are many. */
export function showToast(sentence: string): void {
  const root = find('#toasts');
  const toast = h('div', { class: 'toast' }, h('span', {}, sentence.slice(0, 600)));
  toast.append(h('button', { 'aria-label': 'Dismiss', onclick: () => toast.remove() }, '×'));
  root.append(toast);
  while (root.children.length > MOST) root.firstElementChild?.remove();
}
