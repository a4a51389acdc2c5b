// SPDX-License-Identifier: MIT
// The angles of a joint: sliders and numbers, within its ranges.
import type { PoseEditor } from '../../../src/entry/deform.ts';
import { h } from '../elements/dom.ts';
import type { RigView } from '../messages/views.ts';

const DEGREES = 180 / Math.PI;

export interface PoseFields {
  root: HTMLElement;
  show(model: PoseEditor<RigView>, bone: number): void;
}

/** @param onTurn called with an axis (0: x, 1: y, 2: z) and its new angle, radians */
export function makePoseFields(onTurn: (axis: number, angle: number) => void): PoseFields {
  const name = h('b', {});
  const axes = ['x', 'y', 'z'].map((axis, c) => {
    const label = `Turn about ${axis}`;
    const slider = h('input', { type: 'range', class: 'wide', step: 0.5, 'aria-label': label, 'data-axis': axis });
    const number = h('input', { type: 'number', step: 'any', 'aria-label': `${label}, degrees` });
    const note = h('small', {});
    slider.addEventListener('input', () => onTurn(c, Number(slider.value) / DEGREES));
    number.addEventListener('change', () => {
      if (!number.validity.badInput && number.value !== '') onTurn(c, Number(number.value) / DEGREES);
    });
    const title = h('span', { class: 'label' }, `About ${axis}`);
    return { slider, number, note, root: h('div', { class: 'field' }, title, number, slider, note) };
  });
  return {
    root: h('div', { class: 'sheet inner', hidden: true }, name, ...axes.map(({ root }) => root)),
    show(model, bone) {
      name.textContent = model.rig.names[bone];
      const angles = model.anglesOf(bone);
      axes.forEach(({ slider, number, note }, c) => {
        const [low, high] = model.rangeOf(bone, c).map((angle) => angle * DEGREES);
        const value = angles[c] * DEGREES;
        Object.assign(slider, { min: String(low), max: String(high), value: String(value) });
        if (document.activeElement !== number) number.value = String(Number(value.toFixed(1)));
        note.textContent = `from ${Math.round(low)}° to ${Math.round(high)}°`;
      });
    },
  };
}
