// SPDX-License-Identifier: MIT
// The page before a file is open: what it does, what it reads, recent work and samples.
import { find, h } from '../elements/dom.ts';
import { formatCount } from '../elements/format.ts';
import type { Studio } from '../state/studio.ts';

const STEPS = [
  ['Open', 'an animated mesh, a face with shapes, or a rig'],
  ['Solve', 'for few bones, and see the error of every vertex'],
  ['Export', 'a small GLB that plays in every engine'],
];

/** The most instructive samples, with what to try on them; the menu lists all. */
const FIRST_SAMPLES = [
  { name: 'quadruped', does: 'A walking animal without bones. Decompose it.' },
  { name: 'creature', does: 'A rig with 31 bones. Pose it, smooth it, see a herd of it.' },
  { name: 'sheet', does: 'A flag in the wind. See how few bones it needs.' },
  { name: 'parts', does: 'A marching robot of rigid pieces with materials.' },
  { name: 'tube-swell', does: 'A swelling that travels: difficult for bones.' },
  { name: 'bar-bend', does: 'A bar with six known bones. The smallest example.' },
];

export function makeEmptyCard(studio: Studio): void {
  const root = find('#empty');
  root.append(
    h(
      'div',
      { class: 'card' },
      h('h2', {}, 'Give bones to anything that moves'),
      h('ol', { class: 'steps' }, ...STEPS.map(([verb, rest]) => h('li', {}, h('b', {}, verb), ` ${rest}`))),
      h('button', { class: 'primary', onclick: () => find('#files').click() }, 'Open files…'),
      h(
        'p',
        {},
        'or drop them here: glTF, FBX, USD, Alembic, an .obj with its .pc2 or .mdd, a sequence of .obj, .ply or .stl files, or a folder. ',
        h('span', { class: 'promise' }, 'Nothing leaves this machine.'),
      ),
      h('div', { id: 'recent', hidden: true }),
      h('h3', {}, 'Or try a sample'),
      h(
        'div',
        { class: 'grid' },
        ...FIRST_SAMPLES.map(({ name, does }) =>
          h(
            'button',
            { 'data-sample': name, onclick: () => void studio.openSample(name) },
            h('img', { src: `./samples/${name}.png`, alt: '', width: 84, height: 64 }),
            h('span', {}, h('b', {}, name), h('small', {}, does)),
          ),
        ),
      ),
    ),
  );
  const update = (): void => {
    const isEmpty = studio.versions.size === 0 && !studio.isExpecting;
    root.hidden = !isEmpty;
    // they are behind the card
    for (const covered of ['#tools', '#timeline']) find(covered).inert = isEmpty;
    find('#title').textContent = studio.shown
      ? `${studio.shown.title} · ${formatCount(studio.shown.facts.mesh.vertices, 'vertex', 'vertices')}`
      : '';
  };
  // shown once it is known that no file is on its way
  studio.on(['versions', 'shown'], update);
}
