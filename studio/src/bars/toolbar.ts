// SPDX-License-Identifier: MIT
// The toolbar of the viewport: view, colours and layers.
import { h } from '../elements/dom.ts';
import type { Coloring, State, ViewMode } from '../state/state.ts';
import type { Studio } from '../state/studio.ts';

const VIEWS: { value: ViewMode; label: string; title: string; isPair?: boolean; isError?: boolean }[] = [
  { value: 'result', label: 'Result', title: 'The result alone (1)' },
  { value: 'reference', label: 'Reference', title: 'What it is compared with (2)', isPair: true },
  { value: 'side', label: 'Side by side', title: 'Both, with linked cameras (3)', isPair: true },
  { value: 'wipe', label: 'Wipe', title: 'Both in one place; drag the line (4)', isPair: true },
  {
    value: 'difference',
    label: 'Difference',
    title: 'The error, exaggerated, in colours (5)',
    isPair: true,
    isError: true,
  },
];

const COLORINGS: { value: Coloring; label: string; title: string; needs?: 'pair' | 'skin' | 'look' | 'light' }[] = [
  { value: 'material', label: 'Material', title: 'Materials and textures of the file (M)', needs: 'look' },
  { value: 'shaded', label: 'Clay', title: 'Plain clay (C)' },
  { value: 'heat', label: 'Error', title: 'How far each vertex is off (H)', needs: 'pair' },
  { value: 'weights', label: 'Weights', title: 'Bones mixed by weight; hover to see one (Q)', needs: 'skin' },
  { value: 'clusters', label: 'Clusters', title: 'The strongest bone of each vertex (L)', needs: 'skin' },
  { value: 'light', label: 'Light', title: 'Light on the vertices, frame by frame', needs: 'light' },
  { value: 'checker', label: 'Checker', title: 'A checker fixed to the rest shape: shows sliding skin (K)' },
];

type Layer = 'hasWire' | 'hasBones' | 'hasVirtual' | 'hasWorst';
const LAYERS: { key: Layer; label: string; title: string; isUsable(studio: Studio): boolean }[] = [
  { key: 'hasWire', label: 'Wire', title: 'Wireframe (W)', isUsable: (s) => s.shown !== undefined },
  { key: 'hasBones', label: 'Bones', title: 'Bones (B)', isUsable: (s) => [s.reference, s.result].some((v) => v?.rig) },
  {
    key: 'hasVirtual',
    label: 'Virtual',
    title: 'Virtual bones, as cubes (V)',
    isUsable: (s) => [s.reference, s.result].some((v) => v?.virtual),
  },
  {
    key: 'hasWorst',
    label: 'Worst',
    title: 'Marks the worst vertex of the frame in Error and Difference (X)',
    isUsable: (s) => s.isComparable && (s.state.coloring === 'heat' || s.state.view === 'difference'),
  },
];

/** @param isCovered whether the herd is drawn, on which nothing here has an effect */
export function makeToolbar(
  studio: Studio,
  root: HTMLElement,
  { onHome, isCovered }: { onHome(): void; isCovered(): boolean },
): void {
  const views = makeSegments('View', VIEWS, (view) => studio.set({ view }, 'view', 'frame'));
  const colorings = makeSegments('Colours', COLORINGS, (coloring) => studio.set({ coloring, bone: -1 }, 'view'));
  const layers = LAYERS.map(({ key, label, title }) =>
    h(
      'button',
      { class: 'toggle', title, onclick: () => studio.set({ [key]: !studio.state[key] } as Partial<State>, 'view') },
      label,
    ),
  );
  const home = h('button', { class: 'toggle', title: 'Show all of it (F)', onclick: onHome }, 'Frame');
  root.append(views.root, colorings.root, h('div', { class: 'layers' }, ...layers, home));

  const update = (): void => {
    const { state } = studio;
    const isOff = isCovered();
    const versions = [studio.reference, studio.result];
    const has = {
      pair: studio.isComparable,
      light: versions.some((version) => version?.hasLight),
      skin: versions.some((version) => version?.rig),
      look: versions.some((version) => version?.mesh.look),
    };
    for (const { value, isPair, isError } of VIEWS) {
      const isUsable = isError ? studio.isComparable : !isPair || studio.isPair;
      views.set(value, state.view === value, !isOff && isUsable);
    }
    for (const { value, needs } of COLORINGS)
      colorings.set(value, state.coloring === value, !isOff && (needs === undefined || has[needs]));
    LAYERS.forEach(({ key, isUsable }, n) => {
      layers[n].setAttribute('aria-pressed', String(state[key] && isUsable(studio)));
      layers[n].disabled = isOff || !isUsable(studio);
    });
    home.disabled = isOff;
  };
  studio.on(['view', 'shown', 'versions', 'live', 'crowd'], update);
  update();
}

function makeSegments<T extends string>(
  name: string,
  entries: { value: T; label: string; title: string }[],
  onPick: (value: T) => void,
): { root: HTMLElement; set(value: T, isOn: boolean, isUsable: boolean): void } {
  const buttons = new Map(
    entries.map(({ value, label, title }) => [
      value,
      h('button', { title, 'data-value': value, onclick: () => onPick(value) }, label),
    ]),
  );
  const root = h('div', { class: 'segments', role: 'group', 'aria-label': name }, ...buttons.values());
  return {
    root,
    set(value, isOn, isUsable) {
      const button = buttons.get(value);
      if (!button) return;
      button.setAttribute('aria-pressed', String(isOn && isUsable));
      button.disabled = !isUsable;
      // few files have light, and the bar has little room
      button.hidden = value === 'light' && !isUsable;
    },
  };
}
