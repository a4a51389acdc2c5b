// SPDX-License-Identifier: MIT
// The error against the number of bones, with a handle on it.
import { h } from './dom.ts';
import { formatCount, formatLength } from './format.ts';
import type { Studio } from './studio.ts';

const WIDTH = 280;
const HEIGHT = 90;
const PAD = 6;

export function makeBoneCurve(studio: Studio): HTMLElement {
  const { bones } = studio;
  const begin = h(
    'button',
    { class: 'primary', id: 'fewer-bones', onclick: () => void bones.start() },
    'Try fewer bones',
  );
  const progress = h('progress', { max: 1, value: 0, 'aria-label': 'Order of bones' });
  const label = h('output', { id: 'bone-count' });
  const slider = h('input', { type: 'range', class: 'wide', min: 1, step: 1, 'aria-label': 'Number of bones' });
  const space = 'http://www.w3.org/2000/svg';
  const make = <K extends keyof SVGElementTagNameMap>(tag: K): SVGElementTagNameMap[K] =>
    document.createElementNS(space, tag);
  const plot = make('svg');
  plot.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
  plot.setAttribute('class', 'curve');
  plot.setAttribute('role', 'img');
  plot.setAttribute('aria-label', 'Error against the number of bones');
  const line = make('path');
  const handle = make('circle');
  handle.setAttribute('r', '5');
  plot.append(line, handle);
  const keep = h('button', { onclick: () => void bones.keep() }, 'Keep as a version');
  const stop = h(
    'button',
    {
      onclick: () => {
        studio.edited.delete(bones.version);
        bones.end();
        studio.emit('frame', 'edit');
      },
    },
    'Stop',
  );
  const tool = h('div', { class: 'sheet inner' }, label, plot, slider, h('div', { class: 'row' }, keep, stop));
  const root = h('div', { class: 'sheet inner', id: 'bone-slider' }, begin, progress, tool);

  const place = (count: number): [number, number] => {
    const { errors } = bones;
    const most = Math.max(...(errors ?? [1]), 1e-30);
    const span = Math.max(1, (errors?.length ?? 1) - 1);
    return [
      PAD + ((count - 1) / span) * (WIDTH - 2 * PAD),
      HEIGHT - PAD - ((errors?.[count - 1] ?? 0) / most) * (HEIGHT - 2 * PAD),
    ];
  };
  const update = (): void => {
    const { errors, count, progress: done } = bones;
    begin.hidden = errors !== undefined || done !== undefined;
    progress.hidden = done === undefined;
    progress.value = done ?? 0;
    tool.hidden = errors === undefined;
    const version = studio.result ?? studio.reference;
    begin.disabled = !version?.rig || version.facts.ddm !== undefined || version.facts.twoLayer !== undefined;
    if (!errors) return;
    slider.max = String(errors.length);
    slider.value = String(count);
    label.textContent = `${formatCount(count, 'bone')}, RMSE ${formatLength(errors[count - 1], studio.metresPerUnit)}`;
    line.setAttribute('d', Array.from(errors, (_, n) => `${n > 0 ? 'L' : 'M'}${place(n + 1).join(' ')}`).join(''));
    const [x, y] = place(count);
    handle.setAttribute('cx', String(x));
    handle.setAttribute('cy', String(y));
  };
  const move = (event: PointerEvent): void => {
    const box = plot.getBoundingClientRect();
    const ratio = ((event.clientX - box.left) / box.width) * WIDTH;
    bones.set(1 + ((ratio - PAD) / (WIDTH - 2 * PAD)) * ((bones.errors?.length ?? 1) - 1));
  };
  plot.addEventListener('pointerdown', (event) => {
    plot.setPointerCapture(event.pointerId);
    move(event);
  });
  plot.addEventListener('pointermove', (event) => plot.hasPointerCapture(event.pointerId) && move(event));
  slider.addEventListener('input', () => bones.set(Number(slider.value)));
  studio.on(['bone'], update);
  studio.on(['shown'], () => {
    if (bones.version >= 0 && studio.state.result !== bones.version && studio.state.reference !== bones.version)
      bones.end();
    update();
  });
  // another frame or pose is shown with the chosen bones
  studio.on(['frame', 'pose'], () => bones.version >= 0 && studio.edited.has(bones.version) && bones.refresh());
  update();
  return root;
}
