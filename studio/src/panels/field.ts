// SPDX-License-Identifier: MIT
// One option of a job as a field: a slider with a number, a choice, a switch or a length.
import type { Json } from '../../../src/entry/index.ts';
import { h } from '../elements/dom.ts';
import type { FieldView } from '../messages/protocol.ts';

export interface Field {
  root: HTMLElement;
  get(): Json;
  set(value: Json | undefined): void;
  /** Why the value cannot be used, as shown beside the field; undefined if it can. */
  fault?(): string | undefined;
}

let last = 0;

/** @param unit unit of lengths: its name, such as 'mm', and its number per file unit */
export function makeField(option: FieldView, onInput: () => void, unit: { name: string; perUnit: number }): Field {
  const id = `field-${++last}`;
  const note = h('small', { id: `${id}-note` }, option.note);
  const label = h('label', { for: id }, option.label);
  if (option.kind === 'switch') {
    const input = h('input', { id, type: 'checkbox', onchange: onInput, 'aria-describedby': `${id}-note` });
    input.checked = option.value;
    return {
      root: h('div', { class: 'field' }, label, input, note),
      get: () => input.checked,
      set: (value) => {
        input.checked = value === true;
      },
    };
  }
  if (option.kind === 'choice') return makeChoice(option, note, onInput);
  if (option.kind === 'length') {
    const input = h('input', {
      id,
      type: 'number',
      min: 0,
      step: 'any',
      value: option.value * unit.perUnit,
      oninput: onInput,
      'aria-describedby': `${id}-note`,
    });
    label.append(` (${unit.name})`);
    const fault = (): string | undefined =>
      input.validity.badInput || Number(input.value) < 0 ? 'Enter a length of 0 or more.' : undefined;
    const warning = makeWarning(input, fault);
    return {
      fault,
      root: h('div', { class: 'field', 'data-key': option.key }, label, input, warning, note),
      get: () => Math.max(0, Number(input.value) || 0) / unit.perUnit,
      set: (value) => {
        input.value = String(Number(value) * unit.perUnit);
      },
    };
  }
  return makeNumber(option, id, label, note, onInput);
}

type NumberOption = Extract<FieldView, { kind: 'number' }>;
type ChoiceOption = Extract<FieldView, { kind: 'choice' }>;

function makeNumber(
  option: NumberOption,
  id: string,
  label: HTMLElement,
  note: HTMLElement,
  onInput: () => void,
): Field {
  const { min, max, step, isLog } = option;
  const low = isLog ? Math.log(Math.max(min, step)) : min;
  const high = isLog ? Math.log(max) : max;
  const toSlider = (value: number): number => (isLog ? Math.log(Math.max(value, min, step)) : value);
  const fromSlider = (value: number): number => {
    const exact = isLog ? Math.exp(value) : value;
    return Number((Math.round(exact / step) * step).toPrecision(10));
  };
  const input = h('input', {
    id,
    type: 'number',
    min,
    max,
    step: 'any',
    value: option.value,
    'aria-describedby': `${id}-note`,
  });
  const hasSlider = max - min < 1e6;
  const slider = h('input', {
    type: 'range',
    class: 'wide',
    min: low,
    max: high,
    step: isLog ? (high - low) / 400 : step,
    'aria-label': option.label,
    'data-key': option.key,
  });
  slider.value = String(toSlider(option.value));
  input.addEventListener('input', () => {
    slider.value = String(toSlider(Number(input.value)));
    onInput();
  });
  slider.addEventListener('input', () => {
    input.value = String(fromSlider(Number(slider.value)));
    onInput();
  });
  const isWhole = Number.isInteger(step) && Number.isInteger(min);
  const fault = (): string | undefined => {
    const value = Number(input.value);
    if (input.validity.badInput || input.value.trim() === '') return 'Enter a number.';
    // the default may lie outside: zero is "not given" for options without one
    if (value === option.value) return undefined;
    if (value < min || value > max) return `Enter a number from ${min} to ${max.toLocaleString('en')}.`;
    return isWhole && !Number.isInteger(value) ? 'Enter a whole number.' : undefined;
  };
  const warning = makeWarning(input, fault);
  slider.addEventListener('input', () => input.dispatchEvent(new Event('change')));
  return {
    fault,
    root: h('div', { class: 'field', 'data-key': option.key }, label, input, hasSlider && slider, warning, note),
    get() {
      const value = input.value.trim() === '' ? option.value : Number(input.value);
      if (value === option.value) return value;
      const held = Math.min(max, Math.max(min, Number.isFinite(value) ? value : option.value));
      return isWhole ? Math.round(held) : held;
    },
    set(value) {
      input.value = String(value);
      slider.value = String(toSlider(Number(value)));
    },
  };
}

/** The fault of a value, beside its field. */
function makeWarning(input: HTMLInputElement, fault: () => string | undefined): HTMLElement {
  const warning = h('small', { class: 'fault-note', role: 'alert', hidden: true });
  const update = (): void => {
    const sentence = fault();
    warning.hidden = sentence === undefined;
    warning.textContent = sentence ?? '';
    input.setAttribute('aria-invalid', String(sentence !== undefined));
  };
  for (const type of ['input', 'change', 'blur']) input.addEventListener(type, update);
  return warning;
}

function makeChoice(option: ChoiceOption, note: HTMLElement, onInput: () => void): Field {
  let value = option.value;
  const buttons = option.choices.map((choice) =>
    h(
      'button',
      {
        type: 'button',
        'data-choice': choice.value,
        onclick: () => {
          value = choice.value;
          paint();
          onInput();
        },
      },
      choice.label,
    ),
  );
  const paint = (): void => {
    option.choices.forEach((choice, n) => {
      buttons[n].setAttribute('aria-pressed', String(choice.value === value));
    });
  };
  paint();
  return {
    root: h(
      'div',
      { class: 'field', 'data-key': option.key },
      h('span', { class: 'label' }, option.label),
      h('div', { class: 'segments', role: 'group', 'aria-label': option.label }, ...buttons),
      note,
    ),
    get: () => value,
    set: (next) => {
      value = String(next);
      paint();
    },
  };
}
