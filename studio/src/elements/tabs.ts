// SPDX-License-Identifier: MIT
import { h } from './dom.ts';

export interface Tab {
  name: string;
  root: HTMLElement;
  onShow?(): void;
  onHide?(): void;
}

/** Panels of which one is open. Arrow keys move between the tabs. */
export function makeTabs(root: HTMLElement, tabs: readonly Tab[]): { open(name: string): void } {
  let current = -1;
  const buttons = tabs.map(({ name }, n) =>
    h(
      'button',
      {
        role: 'tab',
        'data-tab': name,
        onclick: () => open(n),
        onkeydown: (event: KeyboardEvent) => {
          const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
          if (by === 0) return;
          event.stopPropagation();
          open((current + by + tabs.length) % tabs.length);
          buttons[current].focus();
        },
      },
      name,
    ),
  );
  const open = (n: number): void => {
    if (n === current) return;
    if (current >= 0) tabs[current].onHide?.();
    current = n;
    tabs.forEach((tab, m) => {
      tab.root.hidden = m !== n;
      tab.root.setAttribute('role', 'tabpanel');
      buttons[m].setAttribute('aria-selected', String(m === n));
      buttons[m].tabIndex = m === n ? 0 : -1;
    });
    tabs[n].onShow?.();
  };
  root.append(h('div', { class: 'tabs', role: 'tablist' }, ...buttons), ...tabs.map((tab) => tab.root));
  open(0);
  return { open: (name) => open(tabs.findIndex((tab) => tab.name === name)) };
}
