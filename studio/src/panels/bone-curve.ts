// SPDX-License-Identifier: MIT
// The error against the number of bones, with a handle on it.
import { h } from '../elements/dom.ts';
import { formatCount, formatLength } from '../elements/format.ts';
import type { Studio } from '../state/studio.ts';

const WIDTH = 280;
const HEIGHT = 90;
const PAD = 6;
/** Errors below this ratio of the largest are drawn at the bottom. */
const LEAST = 1e-3;

export function makeBoneCurve(studio: Studio): HTMLElement {
  const { bones } = studio;
  const begin = h(
    'button',
    { class: 'primary', id: 'other-bones', onclick: () => void bones.start() },
    'Try other numbers of bones',
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
  plot.setAttribute('aria-label', 'Error against the number of bones, logarithmic');
  const solved = make('path');
  solved.setAttribute('class', 'solved');
  const line = make('path');
  const beyond = make('path');
  beyond.setAttribute('class', 'beyond');
  const handle = make('circle');
  handle.setAttribute('r', '5');
  plot.append(solved, line, beyond, handle);
  const keep = h('button', { id: 'keep-bones', onclick: () => void bones.keep() }, 'Keep as a version');
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

  /** A number without an error is drawn at the height of the nearest smaller one. */
  const heightOf = (count: number): number => {
    for (let n = count; n > 0; n--) {
      const error = bones.errorOf(n);
      if (error !== undefined) return error;
    }
    return 0;
  };
  /** Errors are drawn by their logarithm, so that those of many bones differ too. */
  const place = (count: number): [number, number] => {
    const all = [...(bones.errors ?? []), ...bones.grown.values()];
    const most = Math.max(...all, 1e-30);
    const least = Math.max(Math.min(...all), LEAST * most);
    const height = Math.log(Math.max(heightOf(count), least) / least) / Math.max(1e-9, Math.log(most / least));
    const span = Math.max(1, bones.maxBones - 1);
    return [PAD + ((count - 1) / span) * (WIDTH - 2 * PAD), HEIGHT - PAD - Math.min(1, height) * (HEIGHT - 2 * PAD)];
  };
  const trace = (counts: number[]): string =>
    counts.map((count, n) => `${n > 0 ? 'L' : 'M'}${place(count).join(' ')}`).join('');
  const describe = (): string => {
    const { count } = bones;
    const number = formatCount(count, 'bone');
    if (bones.isGrowing) return `Growing to ${number}…`;
    const error = bones.errorOf(count);
    if (error === undefined) return `${number}: release to grow`;
    const length = formatLength(error, studio.metresPerUnit);
    return `${number}, RMSE ${length}${bones.isRefining ? ', refining' : ''}`;
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
    keep.disabled = bones.isGrowing || bones.errorOf(count) === undefined;
    slider.max = String(bones.maxBones);
    slider.value = String(count);
    label.textContent = describe();
    const own = errors.length;
    line.setAttribute('d', trace(Array.from(errors, (_, n) => n + 1)));
    const grown = [...bones.grown.keys()].sort((a, b) => a - b);
    beyond.setAttribute('d', grown.length > 0 ? trace([own, ...grown]) : '');
    const [edge] = place(own);
    solved.setAttribute('d', bones.maxBones > own ? `M${edge} ${PAD}L${edge} ${HEIGHT - PAD}` : '');
    const [x, y] = place(count);
    handle.setAttribute('cx', String(x));
    handle.setAttribute('cy', String(y));
  };
  const move = (event: PointerEvent): void => {
    const box = plot.getBoundingClientRect();
    const ratio = ((event.clientX - box.left) / box.width) * WIDTH;
    bones.set(1 + ((ratio - PAD) / (WIDTH - 2 * PAD)) * (bones.maxBones - 1));
  };
  plot.addEventListener('pointerdown', (event) => {
    plot.setPointerCapture(event.pointerId);
    move(event);
  });
  plot.addEventListener('pointermove', (event) => plot.hasPointerCapture(event.pointerId) && move(event));
  plot.addEventListener('pointerup', () => bones.release());
  slider.addEventListener('change', () => bones.release());
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
