// SPDX-License-Identifier: MIT
// What the shown file holds: facts, materials, parts and nodes, the remarks of the validator, how it was read, and the colours of the page.
import { h } from '../elements/dom.ts';
import { formatBytes, formatCount, formatLength } from '../elements/format.ts';
import { setTheme, type Theme, themeOf } from '../elements/theme.ts';
import type { VersionInfo } from '../messages/views.ts';
import type { Studio } from '../state/studio.ts';
import { makeNodeTree } from './node-tree.ts';
import { makeReadForm, type ReadForm } from './read-form.ts';

/** Formats that state their unit, up axis and times. */
const STATED = /\.(glb|gltf|fbx|usd[acz]?|abc)$/i;

export function makeInfoPanel(studio: Studio): { root: HTMLElement; readOptions: ReadForm['get'] } {
  const facts = h('dl', { class: 'figures' });
  const materials = h('ul', { class: 'list', id: 'materials' });
  const parts = h('ul', { class: 'list' });
  const nodes = makeNodeTree();
  const remarks = h('ul', { class: 'list', id: 'remarks' });
  const validate = h('button', { id: 'validate', onclick: () => void check() }, 'Check the GLB');
  const form = makeReadForm(() => void reread());
  const theme = h(
    'select',
    { 'aria-label': 'Colours of the page', onchange: () => setTheme(theme.value as Theme) },
    ...['system', 'light', 'dark'].map((value) => h('option', { value }, value)),
  );
  theme.value = themeOf();
  const reading = section(
    'Reading',
    h('p', {}, 'For formats that do not state them (OBJ, PLY, STL, PC2, MDD).'),
    form.root,
  );
  const nothing = h('p', { class: 'muted' }, 'Open a file to see what it holds.');
  const held = h(
    'div',
    { class: 'sheet inner' },
    section('File', facts),
    section('Materials', materials),
    section('Parts', parts),
    section('Nodes', nodes.root),
    section('Validator', validate, remarks),
  );
  const root = h(
    'div',
    { class: 'sheet', id: 'info' },
    nothing,
    held,
    reading,
    section('Page', h('div', { class: 'field' }, h('span', { class: 'label' }, 'Colours'), theme)),
  );

  let shown: VersionInfo | undefined;
  const update = (): void => {
    const version = studio.shown;
    nothing.hidden = version !== undefined;
    held.hidden = version === undefined;
    if (version === shown || !version) return;
    shown = version;
    remarks.replaceChildren();
    facts.replaceChildren(...listFacts(version).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
    const look = version.mesh.look;
    materials.replaceChildren(
      ...(look?.materials ?? []).map((material) => {
        const swatch = h('i', { class: 'swatch' });
        const [r, g, b] = material.color.map((x) => Math.round(255 * x ** (1 / 2.2)));
        swatch.style.background = `rgb(${r} ${g} ${b})`;
        const maps = ['colorMap', 'normalMap', 'metallicRoughnessMap', 'occlusionMap', 'emissiveMap'] as const;
        const count = maps.filter((key) => material[key]).length;
        const notes = [
          `roughness ${material.roughness}`,
          `metal ${material.metallic}`,
          count > 0 && formatCount(count, 'map'),
        ];
        return h('li', {}, swatch, h('b', {}, material.name), h('small', {}, notes.filter(Boolean).join(', ')));
      }),
    );
    // materials that are white and without maps are not drawn, and are listed by name only
    if (!look?.materials.length)
      materials.append(...version.facts.mesh.materials.map((name) => h('li', {}, h('b', {}, name))));
    if (materials.childElementCount === 0) materials.append(h('li', { class: 'muted' }, 'none'));
    parts.replaceChildren(
      ...version.facts.mesh.parts.map(({ name, material, vertices, triangles }) =>
        h(
          'li',
          {},
          h('b', {}, name || 'unnamed'),
          h(
            'small',
            {},
            `${formatCount(vertices, 'vertex', 'vertices')}, ${formatCount(triangles, 'triangle')}${material ? `, ${material}` : ''}`,
          ),
        ),
      ),
    );
    nodes.show(version.nodes);
    void studio.assets.call('files', { version: version.id }).then(
      ({ readOptions }) => form.set(readOptions),
      () => {},
    );
  };
  const check = async (): Promise<void> => {
    const version = studio.shown;
    if (!version) return;
    const list = await studio.attempt('Checking the file', () =>
      studio.assets.call('validate', { version: version.id }),
    );
    if (!list) return;
    remarks.replaceChildren(
      ...(list.length === 0
        ? [h('li', {}, 'No remarks: the file is valid.')]
        : list.map(({ severity, message, pointer }) =>
            h('li', { class: severity }, h('b', {}, severity), ` ${message} `, h('small', {}, pointer)),
          )),
    );
  };
  /** Opens the shown file again with other options, in its place. */
  const reread = async (): Promise<void> => {
    const version = studio.shown;
    if (!version || version.parent >= 0 || STATED.test(version.fileName)) return;
    const { files, readOptions } = await studio.assets.call('files', { version: version.id });
    const { up: _, unit: __, fps: ___, ...rest } = readOptions;
    studio.close(version.id);
    await studio.open(files, { ...rest, ...form.get() });
  };
  studio.on(['shown', 'versions', 'view'], update);
  update();
  return { root, readOptions: form.get };
}

function section(title: string, ...children: HTMLElement[]): HTMLElement {
  return h('section', { class: 'sheet inner' }, h('h2', {}, title), ...children);
}

function listFacts({ facts, bytes, motions, morphs, drivers }: VersionInfo): [string, string][] {
  const { mesh, size, rig } = facts;
  const rows: [string, string][] = [
    ['Kind', facts.kind],
    ['Vertices', mesh.vertices.toLocaleString('en')],
    ['Triangles', mesh.triangles.toLocaleString('en')],
    ['Box diagonal', formatLength(size.diagonal, size.metresPerUnit)],
    ['Up axis', size.up],
    ['Size', formatBytes(bytes)],
    ['Animations', motions.map(({ name, times }) => `${name} (${times.length})`).join(', ')],
  ];
  if (rig)
    rows.push(['Bones', String(rig.joints || rig.bones)], ['Weights per vertex', `at most ${rig.maxInfluences}`]);
  if (morphs?.length) rows.push(['Morph targets', String(morphs.length)]);
  if (drivers) rows.push(['Shapes that drive bones', String(drivers.shapes.length)]);
  return rows;
}
