// SPDX-License-Identifier: MIT
// Up axis, unit and frame rate of formats that do not state them.
import { h } from '../elements/dom.ts';
import type { ReadOptions } from '../messages/protocol.ts';

const UNITS: [string, number | undefined][] = [
  ['not known', undefined],
  ['m', 1],
  ['cm', 0.01],
  ['mm', 0.001],
  ['inch', 0.0254],
  ['foot', 0.3048],
];

export interface ReadForm {
  root: HTMLElement;
  get(): ReadOptions;
  set(options: ReadOptions): void;
}

/** @param onChange called when the user changes a value */
export function makeReadForm(onChange: () => void): ReadForm {
  const up = h(
    'select',
    { 'aria-label': 'Up axis', onchange: onChange },
    ...['y', 'z', 'x'].map((axis) => h('option', { value: axis }, axis)),
  );
  const unit = h(
    'select',
    { 'aria-label': 'Unit', onchange: onChange },
    ...UNITS.map(([name, metres]) => h('option', { value: metres ?? '' }, name)),
  );
  const fps = h('input', {
    type: 'number',
    min: 1,
    max: 1000,
    step: 'any',
    value: 24,
    'aria-label': 'Frames per second',
    onchange: onChange,
  });
  const row = (label: string, field: HTMLElement) =>
    h('div', { class: 'field' }, h('span', { class: 'label' }, label), field);
  return {
    root: h('div', { class: 'sheet inner' }, row('Up axis', up), row('Unit', unit), row('Frames per second', fps)),
    get: () => ({
      ...(up.value === 'y' ? {} : { up: up.value as 'z' }),
      ...(unit.value === '' ? {} : { unit: Number(unit.value) }),
      ...(Number(fps.value) > 0 && Number(fps.value) !== 24 ? { fps: Number(fps.value) } : {}),
    }),
    set(options) {
      up.value = options.up ?? 'y';
      unit.value = UNITS.some(([, metres]) => metres === options.unit) ? String(options.unit ?? '') : '';
      fps.value = String(options.fps ?? 24);
    },
  };
}
