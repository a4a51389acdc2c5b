// SPDX-License-Identifier: MIT
// Overlays of the viewport: labels, the scale of the heat map, statistics, the wipe line, the worst vertex, hints and states.
import { SAMPLES } from '../../src/sample.ts';
import { heatGradient } from './colorings.ts';
import { find, h, perFrame } from './dom.ts';
import { formatBytes, formatCount, formatLength, formatNumber, unitFor } from './format.ts';
import type { Studio } from './studio.ts';
import type { Viewport } from './viewport.ts';

export function makeOverlays(studio: Studio, viewport: Viewport | undefined): void {
  makeEmpty(studio);
  makeBusy(studio);
  if (!viewport) return;
  const update = perFrame(() => {
    showLabels(studio);
    showLegend(studio, viewport);
    showStats(studio, viewport);
    showWipe(studio);
  });
  studio.on(['view', 'shown', 'versions', 'comparison', 'live', 'frame'], update);
  viewport.onDrawn(() => showMarker(studio, viewport));
  makeWipe(studio);
  update();
}

function showLabels(studio: Studio): void {
  const { view } = studio.state;
  const { clientWidth, clientHeight } = find('#viewport');
  const isStacked = view === 'side' && clientHeight > clientWidth;
  const labels: HTMLElement[] = [];
  const add = (slot: 'reference' | 'result', at: number): void => {
    const version = studio[slot];
    const title = slot === 'result' && studio.live ? 'Smoothing, live' : (version?.title ?? '');
    const label = h('span', { class: slot }, title);
    label.style.left = `${isStacked ? 50 : at}%`;
    if (isStacked && slot === 'reference') label.style.bottom = '52%';
    labels.push(label);
  };
  if (studio.isPair && (view === 'side' || view === 'wipe')) {
    add('reference', 25);
    add('result', 75);
  } else if (studio.isPair) add(view === 'reference' ? 'reference' : 'result', 50);
  find('#labels').replaceChildren(...labels);
}

function showLegend(studio: Studio, viewport: Viewport): void {
  const legend = find('#legend');
  legend.hidden = !viewport.isHeat || viewport.heatTop <= 0;
  if (legend.hidden) return;
  const metres = studio.metresPerUnit;
  const top = viewport.heatTop;
  const { name, perUnit } = unitFor(top, metres);
  const bar = h('div', { class: 'bar' });
  bar.style.background = heatGradient();
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((ratio) => {
    const tick = h('span', { class: 'tick' }, `${formatNumber(top * ratio * perUnit)}${ratio === 1 ? ` ${name}` : ''}`);
    tick.style.top = `${22 + (1 - ratio) * 168}px`;
    return tick;
  });
  legend.replaceChildren(h('b', {}, 'Distance'), bar, ...ticks);
}

function showStats(studio: Studio, viewport: Viewport): void {
  const version = studio.shown;
  const rows: [string, string][] = [];
  if (version) {
    const { facts } = version;
    rows.push(
      ['vertices', facts.mesh.vertices.toLocaleString('en')],
      ['triangles', facts.mesh.triangles.toLocaleString('en')],
    );
    if (facts.rig)
      rows.push(
        ['bones', String(facts.rig.joints || facts.rig.bones)],
        ['weights', `≤ ${facts.twoLayer?.maxInfluences ?? facts.rig.maxInfluences}`],
      );
    if (facts.twoLayer) rows.push(['virtual', String(facts.twoLayer.virtualBones)]);
    if (studio.isPair && studio.reference && studio.result) {
      rows.push(['before', formatBytes(studio.reference.bytes)], ['after', formatBytes(studio.result.bytes)]);
    } else rows.push(['size', formatBytes(version.bytes)]);
    rows.push(['frame', `${viewport.frameMilliseconds.toFixed(1)} ms`]);
  }
  find('#stats').replaceChildren(...rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

function showMarker(studio: Studio, viewport: Viewport): void {
  const marker = find('#marker');
  const { worst, slots } = viewport;
  const positions = slots.result.actor?.positions;
  marker.hidden = true;
  if (!studio.state.hasWorst || !worst || !positions || worst.distance === 0) return;
  const i = 3 * worst.vertex;
  const at = viewport.project(positions[i], positions[i + 1], positions[i + 2], 'result');
  if (!at) return;
  marker.hidden = false;
  marker.style.transform = `translate(${at.x}px, ${at.y}px)`;
  const text = formatLength(worst.distance, studio.metresPerUnit);
  const label = marker.querySelector('span') as HTMLElement;
  if (label.textContent !== text) label.textContent = text;
}

function showWipe(studio: Studio): void {
  const line = find('#wipe');
  line.hidden = studio.state.view !== 'wipe' || !studio.isPair;
  line.style.left = `${100 * studio.state.wipe}%`;
  line.setAttribute('aria-valuenow', String(Math.round(100 * studio.state.wipe)));
}

function makeWipe(studio: Studio): void {
  const line = find('#wipe');
  const move = (wipe: number): void => studio.set({ wipe: Math.max(0.02, Math.min(0.98, wipe)) }, 'view');
  line.addEventListener('pointerdown', (event) => line.setPointerCapture(event.pointerId));
  line.addEventListener('pointermove', (event) => {
    if (!line.hasPointerCapture(event.pointerId)) return;
    const box = find('#viewport').getBoundingClientRect();
    move((event.clientX - box.left) / box.width);
  });
  line.addEventListener('keydown', (event) => {
    const by = event.key === 'ArrowLeft' ? -0.02 : event.key === 'ArrowRight' ? 0.02 : 0;
    if (by === 0) return;
    event.stopPropagation();
    event.preventDefault();
    move(studio.state.wipe + by);
  });
}

/** The most instructive samples; the menu lists all. */
const FIRST_SAMPLES = ['bar-bend', 'tube-swell', 'creature', 'quadruped', 'sheet', 'parts'];

function makeEmpty(studio: Studio): void {
  const root = find('#empty');
  root.append(
    h(
      'div',
      { class: 'card' },
      h('h2', {}, 'Give bones to anything that moves'),
      h(
        'p',
        {},
        'Drop a .glb, .gltf or .abc, an .obj with its .pc2 or .mdd, or a sequence of .obj, .ply or .stl files. Nothing leaves this machine.',
      ),
      h('button', { class: 'primary', onclick: () => find('#files').click() }, 'Open files…'),
      h(
        'div',
        { class: 'grid' },
        ...SAMPLES.filter(({ name }) => FIRST_SAMPLES.includes(name)).map(({ name, description }) =>
          h(
            'button',
            { 'data-sample': name, onclick: () => void studio.openSample(name) },
            h('b', {}, name),
            h('small', {}, description),
          ),
        ),
      ),
    ),
  );
  const update = (): void => {
    root.hidden = studio.versions.size > 0;
    const title = studio.shown
      ? `${studio.shown.title} · ${formatCount(studio.shown.facts.mesh.vertices, 'vertex', 'vertices')}`
      : '';
    find('#title').textContent = title;
  };
  studio.on(['versions', 'shown'], update);
  update();
}

function makeBusy(studio: Studio): void {
  const root = find('#busy');
  studio.on(['busy'], () => {
    root.hidden = studio.busy === undefined;
    (root.querySelector('span') as HTMLElement).textContent = studio.busy ?? '';
  });
}
