// SPDX-License-Identifier: MIT
// The bones of the shown version: as a tree with search, where a click locks a bone's weights; and their number as a slider.
import { h } from '../elements/dom.ts';
import { formatCount } from '../elements/format.ts';
import type { RigView, VersionInfo } from '../messages/views.ts';
import type { Studio } from '../state/studio.ts';
import { makeBoneCurve } from './bone-curve.ts';
import { listTree } from './list-tree.ts';

export function makeBonesPanel(studio: Studio): HTMLElement {
  const search = h('input', {
    type: 'search',
    placeholder: 'Search bones',
    'aria-label': 'Search bones',
    class: 'wide',
  });
  const tree = h('ul', { role: 'tree', 'aria-label': 'Bones', class: 'tree', tabindex: 0 });
  const count = h('small', { class: 'muted' });
  const unlock = h('button', { onclick: () => lock(-1) }, 'Show all bones');
  const warn = h('div', { class: 'warn' });
  const curve = makeBoneCurve(studio);
  const head = h('div', { class: 'row' }, h('h2', {}, 'Bones'), count, h('span', { class: 'grow' }), unlock);
  const root = h('div', { class: 'sheet', id: 'bones' }, warn, curve, head, search, tree);
  const version = (): VersionInfo | undefined =>
    [studio.shown, studio.result, studio.reference].find((one) => one?.rig);
  const lock = (bone: number): void => {
    const isSame = studio.state.lock === bone;
    studio.set(
      { lock: isSame ? -1 : bone, ...(isSame || bone < 0 ? {} : { coloring: 'weights' as const }) },
      'view',
      'bone',
    );
  };

  const build = (): void => {
    const rig = version()?.rig;
    warn.hidden = rig !== undefined;
    warn.textContent = studio.shown
      ? 'This version has no bones; decompose first, or open a rig.'
      : 'Open a file to see its bones.';
    for (const part of [curve, head, search, tree]) part.hidden = rig === undefined;
    if (!rig) {
      tree.replaceChildren();
      count.textContent = '';
      return;
    }
    const wanted = search.value.trim().toLowerCase();
    const used = countVertices(rig);
    const rows = listTree(rig).filter(({ index: bone }) => rig.names[bone].toLowerCase().includes(wanted));
    count.textContent = wanted ? `${rows.length} of ${rig.names.length}` : formatCount(rig.names.length, 'bone');
    tree.replaceChildren(
      ...rows.map(({ index: bone, depth }) => {
        const item = h(
          'li',
          {
            role: 'treeitem',
            'aria-level': depth + 1,
            'aria-selected': 'false',
            'data-bone': bone,
            tabindex: -1,
            title: `${rig.names[bone]}: ${formatCount(used[bone], 'vertex', 'vertices')}`,
            onclick: () => lock(bone),
          },
          h('span', {}, rig.names[bone]),
          h('small', { class: 'muted' }, used[bone] > 0 ? used[bone].toLocaleString('en') : '–'),
        );
        item.style.paddingLeft = `${6 + (wanted ? 0 : 11 * Math.min(depth, 9))}px`;
        return item;
      }),
    );
    paint();
  };
  const paint = (): void => {
    unlock.disabled = studio.state.lock < 0;
    for (const item of tree.querySelectorAll<HTMLElement>('[role="treeitem"]')) {
      const isOn = Number(item.dataset.bone) === studio.state.lock;
      item.setAttribute('aria-selected', String(isOn));
      if (isOn && !root.hidden) item.scrollIntoView({ block: 'nearest' });
    }
  };
  search.addEventListener('input', build);
  tree.addEventListener('keydown', (event) => {
    const items = [...tree.querySelectorAll<HTMLElement>('[role="treeitem"]')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const places: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    if (event.key in places) items[Math.max(0, Math.min(items.length - 1, places[event.key]))]?.focus();
    else if ((event.key === 'Enter' || event.key === ' ') && at >= 0) lock(Number(items[at].dataset.bone));
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  let shown: unknown;
  studio.on(['shown', 'versions', 'view'], () => {
    const rig = version()?.rig;
    const key = rig ?? studio.shown?.id;
    if (key === shown) return paint();
    shown = key;
    build();
  });
  studio.on(['bone'], paint);
  build();
  return root;
}

/** Vertices that each bone moves. */
function countVertices({ names, skin }: RigView): Uint32Array {
  const counts = new Uint32Array(names.length);
  for (let e = 0; e < skin.weights.length; e++) if (skin.weights[e] > 0) counts[skin.boneIndices[e]]++;
  return counts;
}
