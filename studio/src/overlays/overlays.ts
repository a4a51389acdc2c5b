// SPDX-License-Identifier: MIT
// Overlays of the viewport: labels, the scale of the heat map, statistics, the exaggeration and the worst vertex.
import { find, h, perFrame } from '../elements/dom.ts';
import { formatBytes, formatLength } from '../elements/format.ts';
import type { Studio } from '../state/studio.ts';
import type { Viewport } from '../viewport/viewport.ts';
import { showLegend } from './legend.ts';
import { makeWipeLine } from './wipe-line.ts';

export function makeOverlays(studio: Studio, viewport: Viewport): void {
  const gain = makeGain(studio);
  const update = perFrame(() => {
    // the herd covers the viewport: what belongs to the model is not shown over it
    find('#viewport').classList.toggle('covered', viewport.isCovered);
    showLabels(studio);
    showLegend(studio, viewport.painter);
    showStats(studio, viewport);
    gain();
  });
  studio.on(['view', 'shown', 'versions', 'comparison', 'live', 'frame', 'crowd', 'edit'], update);
  // labels of both sides stand below or beside one another
  new ResizeObserver(update).observe(find('#viewport'));
  viewport.onDrawn(() => showMarker(studio, viewport));
  makeWipeLine(studio);
  update();
}

function showLabels(studio: Studio): void {
  const { view, wipe } = studio.state;
  const { clientWidth, clientHeight } = find('#viewport');
  const isStacked = view === 'side' && clientHeight > clientWidth;
  const labels: HTMLElement[] = [];
  const add = (slot: 'reference' | 'result', at: number, width = 44): void => {
    const version = studio[slot];
    const title = slot === 'result' && studio.live ? 'Smoothing, live' : (version?.title ?? '');
    const label = h('span', { class: slot }, title);
    label.style.left = `${isStacked ? 50 : at}%`;
    label.style.maxWidth = `${width}%`;
    if (isStacked && slot === 'reference') label.style.bottom = '52%';
    labels.push(label);
  };
  if (studio.isPair && view === 'wipe') {
    // each label stays on its side of the line
    if (wipe > 0.08) add('reference', 50 * wipe, 96 * wipe);
    if (wipe < 0.92) add('result', 50 + 50 * wipe, 96 * (1 - wipe));
  } else if (studio.isPair && view === 'side') {
    add('reference', 25);
    add('result', 75);
  } else if (studio.isPair) add(view === 'reference' ? 'reference' : 'result', 50);
  find('#labels').replaceChildren(...labels);
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
    rows.push(['drawing', `${viewport.frameMilliseconds.toFixed(1)} ms`]);
  }
  find('#stats').replaceChildren(...rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

/** The slider of the difference view. */
function makeGain(studio: Studio): () => void {
  const label = h('span', {});
  const slider = h('input', {
    type: 'range',
    min: 0,
    max: 2,
    step: 0.05,
    'aria-label': 'Exaggeration',
    oninput: () => studio.set({ gain: Math.round(10 ** Number(slider.value)) }, 'view'),
  });
  const root = find('#gain');
  root.append('Exaggeration', slider, label);
  return () => {
    const { view, gain } = studio.state;
    root.hidden = view !== 'difference' || !studio.isPair;
    slider.value = String(Math.log10(gain));
    label.textContent = `× ${gain}`;
  };
}

function showMarker(studio: Studio, viewport: Viewport): void {
  const marker = find('#marker');
  const { worst, slots, painter } = viewport;
  const positions = slots.result.actor?.positions;
  marker.hidden = true;
  if (!studio.state.hasWorst || !painter.isHeat || !worst || !positions || worst.distance === 0) return;
  const i = 3 * worst.vertex;
  const at = viewport.project(positions[i], positions[i + 1], positions[i + 2], 'result');
  if (!at) return;
  marker.hidden = false;
  marker.style.transform = `translate(${at.x}px, ${at.y}px)`;
  const text = formatLength(worst.distance, studio.metresPerUnit);
  const label = marker.querySelector('span') as HTMLElement;
  if (label.textContent !== text) label.textContent = text;
}
