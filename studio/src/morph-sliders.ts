// SPDX-License-Identifier: MIT
// The weights of morph targets in a pose.
import { h } from './dom.ts';
import type { Studio } from './studio.ts';

/** @param bonesOf the bones of the pose to morph */
export function makeMorphSliders(studio: Studio, bonesOf: () => Float64Array | undefined): HTMLElement {
  const list = h('div', { class: 'sheet inner' });
  const root = h('details', { class: 'fine', id: 'morphs', hidden: true }, h('summary', {}, 'Morph targets'), list);
  let shown: unknown;
  const build = (): void => {
    const names = studio.shown?.morphs;
    root.hidden = !names?.length;
    if (names === shown) return;
    shown = names;
    const weights = new Float32Array(names?.length ?? 0);
    list.replaceChildren(
      ...(names ?? []).map((name, n) => {
        const slider = h('input', {
          type: 'range',
          class: 'wide',
          min: 0,
          max: 1,
          step: 0.01,
          value: 0,
          'aria-label': name,
        });
        const value = h('output', { class: 'number' }, '0');
        slider.addEventListener('input', () => {
          weights[n] = Number(slider.value);
          value.textContent = weights[n].toFixed(2);
          const bones = bonesOf();
          if (bones) studio.posing.set(bones, weights.slice());
        });
        return h('div', { class: 'field' }, h('span', { class: 'label' }, name), value, slider);
      }),
    );
  };
  studio.on(['shown', 'versions'], build);
  build();
  return root;
}
