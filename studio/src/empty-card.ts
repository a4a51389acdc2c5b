// SPDX-License-Identifier: MIT
// The page before a file is open: what it reads, recent work and samples.
import { SAMPLES } from '../../src/sample.ts';
import { find, h } from './dom.ts';
import { formatCount } from './format.ts';
import type { Studio } from './studio.ts';

/** The most instructive samples; the menu lists all. */
const FIRST_SAMPLES = ['bar-bend', 'tube-swell', 'creature', 'quadruped', 'sheet', 'parts'];

export function makeEmptyCard(studio: Studio): void {
  const root = find('#empty');
  root.append(
    h(
      'div',
      { class: 'card' },
      h('h2', {}, 'Give bones to anything that moves'),
      h(
        'p',
        {},
        'Drop a glTF, FBX, USD or Alembic file, an .obj with its .pc2 or .mdd, a sequence of .obj, .ply or .stl files, or a folder. Nothing leaves this machine.',
      ),
      h('button', { class: 'primary', onclick: () => find('#files').click() }, 'Open files…'),
      h('div', { id: 'recent', hidden: true }),
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
    find('#title').textContent = studio.shown
      ? `${studio.shown.title} · ${formatCount(studio.shown.facts.mesh.vertices, 'vertex', 'vertices')}`
      : '';
  };
  studio.on(['versions', 'shown'], update);
  update();
}
