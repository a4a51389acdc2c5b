// SPDX-License-Identifier: MIT
import { h } from './dom.ts';

/** An entry of a menu. */
export interface MenuEntry {
  /** For tests and styles. */
  id: string;
  title: string;
  does: string;
  /** The attribute that holds the id. */
  attribute?: string;
  isUsable?(): boolean;
  run(): void;
}

/** Fills a menu, which is a details element. Arrow keys, Home and End move between entries; Escape and a click outside close it. */
export function makeMenu(menu: HTMLDetailsElement, entries: readonly MenuEntry[]): { update(): void } {
  const drawer = menu.querySelector('.drawer') as HTMLElement;
  const summary = menu.querySelector('summary') as HTMLElement;
  const buttons = entries.map((entry) =>
    h(
      'button',
      {
        role: 'menuitem',
        tabindex: -1,
        [entry.attribute ?? 'data-entry']: entry.id,
        onclick: () => {
          menu.open = false;
          entry.run();
        },
      },
      h('b', {}, entry.title),
      h('small', {}, entry.does),
    ),
  );
  drawer.append(...buttons);
  summary.setAttribute('aria-haspopup', 'menu');
  const usable = (): HTMLButtonElement[] => buttons.filter((button) => !button.disabled);
  menu.addEventListener('toggle', () => {
    summary.setAttribute('aria-expanded', String(menu.open));
    if (menu.open) usable()[0]?.focus();
  });
  menu.addEventListener('keydown', (event) => {
    if (!menu.open) {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      event.stopPropagation();
      menu.open = true;
      return;
    }
    const list = usable();
    const at = list.indexOf(document.activeElement as HTMLButtonElement);
    const places: Record<string, number> = {
      ArrowDown: (at + 1) % list.length,
      ArrowUp: (at - 1 + list.length) % list.length,
      Home: 0,
      End: list.length - 1,
    };
    if (event.key in places) list[places[event.key]]?.focus();
    else if (event.key === 'Escape') {
      menu.open = false;
      summary.focus();
    } else if (event.key === 'Tab') menu.open = false;
    else return;
    if (event.key !== 'Tab') event.preventDefault();
    event.stopPropagation();
  });
  addEventListener('pointerdown', (event) => {
    if (!menu.contains(event.target as Node)) menu.open = false;
  });
  return {
    update() {
      entries.forEach((entry, n) => {
        buttons[n].disabled = entry.isUsable?.() === false;
      });
    },
  };
}
