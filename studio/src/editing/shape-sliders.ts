// SPDX-License-Identifier: MIT
// The weights of shapes in a pose: morph targets, and shapes that drive bones. Both versions follow, by the names of the shapes.
import { h } from '../elements/dom.ts';
import { listShapes } from '../state/shape-weights.ts';
import type { Studio } from '../state/studio.ts';

/** @param onPose called after a slider changed the pose */
export function makeShapeSliders(studio: Studio, onPose: () => void): HTMLElement {
  const list = h('div', { class: 'sheet inner' });
  const root = h('details', { class: 'fine', id: 'shapes', hidden: true }, h('summary', {}, 'Shapes'), list);
  let shown = -1;
  let showWeights: (() => void)[] = [];
  const makeSlider = (name: string): HTMLElement => {
    const slider = h('input', { type: 'range', class: 'wide', min: 0, max: 1, step: 0.01, 'aria-label': name });
    const value = h('output', { class: 'number' });
    slider.addEventListener('input', () => {
      studio.posing.setWeights(new Map(studio.posing.weights).set(name, Number(slider.value)));
      onPose();
    });
    showWeights.push(() => {
      const weight = studio.posing.weights.get(name) ?? 0;
      slider.value = String(weight);
      value.textContent = weight.toFixed(2);
    });
    return h('div', { class: 'field' }, h('span', { class: 'label' }, name), value, slider);
  };
  const show = (): void => {
    for (const one of showWeights) one();
  };
  const build = (): void => {
    const version = studio.shown;
    if (version?.id === shown) return;
    shown = version?.id ?? -1;
    const names = version ? listShapes(version) : [];
    root.hidden = names.length === 0;
    // without joints to turn, the sliders are all that the panel has
    root.open = version?.drivers !== undefined || !version?.rig;
    showWeights = [];
    list.replaceChildren(...names.map(makeSlider));
    show();
  };
  studio.on(['shown', 'versions', 'view'], build);
  studio.on(['pose'], show);
  build();
  return root;
}
