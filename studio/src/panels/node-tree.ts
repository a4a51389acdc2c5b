// SPDX-License-Identifier: MIT
import { h } from '../elements/dom.ts';
import { formatCount } from '../elements/format.ts';
import type { NodeView } from '../messages/views.ts';
import { listTree } from './list-tree.ts';

/** Rows that are shown: a file can have a node for every prop of a scene. */
const MAX_ROWS = 500;

/** The nodes of a file as a tree, with what each holds. */
export function makeNodeTree(): { root: HTMLElement; show(nodes: NodeView): void } {
  const tree = h('ul', { class: 'node-tree', id: 'nodes', 'aria-label': 'Nodes', tabindex: 0 });
  const note = h('small', { class: 'muted' });
  return {
    root: h('div', { class: 'sheet inner' }, tree, note),
    show(nodes) {
      const rows = listTree(nodes);
      tree.hidden = rows.length === 0;
      note.textContent = rows.length > MAX_ROWS ? `${MAX_ROWS} of ${formatCount(rows.length, 'node')}` : '';
      if (rows.length === 0) note.textContent = 'none';
      tree.replaceChildren(
        ...rows.slice(0, MAX_ROWS).map(({ index, depth }) => {
          const name = nodes.names[index] || `node ${index}`;
          const item = h(
            'li',
            { title: name },
            h('span', {}, name),
            h('small', { class: 'muted' }, nodes.kinds[index]),
          );
          item.style.paddingLeft = `${6 + 11 * Math.min(depth, 9)}px`;
          return item;
        }),
      );
    },
  };
}
