// SPDX-License-Identifier: MIT
// The list of versions; selects the reference (A) and the result (B).
import { h, icon } from '../elements/dom.ts';
import { formatBytes, formatCount, formatLength } from '../elements/format.ts';
import type { VersionInfo } from '../messages/views.ts';
import type { Studio } from '../state/studio.ts';

type Order = 'made' | 'error' | 'bones' | 'size' | 'time';
const ORDERS: Record<Order, string> = { made: 'As made', error: 'Error', bones: 'Bones', size: 'Size', time: 'Time' };

export function makeVersionsPanel(studio: Studio, root: HTMLElement): void {
  let order: Order = 'made';
  const sorting = h(
    'select',
    {
      'aria-label': 'Sort versions',
      title: 'Sort',
      onchange: () => {
        order = sorting.value as Order;
        update();
      },
    },
    ...Object.entries(ORDERS).map(([value, label]) => h('option', { value }, label)),
  );
  const list = h('ul', {});
  const nothing = h('p', { class: 'muted' }, 'Files that you open, and results, are listed here.');
  root.append(
    h('div', { class: 'row' }, h('h2', {}, 'Versions'), h('span', { class: 'grow' }), sorting),
    list,
    nothing,
  );
  const update = (): void => {
    const versions = sortVersions(studio, order);
    sorting.hidden = versions.length < 2;
    nothing.hidden = versions.length > 0;
    // a name that is being edited keeps its field
    if (list.querySelector('input')) return;
    list.replaceChildren(...versions.map((version) => makeItem(studio, version, update)));
    const shown = list.querySelectorAll('li.shown');
    shown[shown.length - 1]?.scrollIntoView({ block: 'nearest' });
  };
  studio.on(['versions', 'shown', 'comparison'], update);
  update();
}

function sortVersions(studio: Studio, order: Order): VersionInfo[] {
  const keys: Record<Order, (version: VersionInfo) => number> = {
    made: ({ id }) => id,
    error: ({ id }) => studio.errors.get(id)?.rmse ?? -1,
    bones: (version) => boneCountOf(version) ?? -1,
    size: ({ bytes }) => bytes,
    time: ({ seconds }) => seconds ?? -1,
  };
  const key = keys[order];
  return [...studio.versions.values()].sort((a, b) => a.project - b.project || key(a) - key(b) || a.id - b.id);
}

function boneCountOf({ facts }: VersionInfo): number | undefined {
  return facts.rig && (facts.rig.joints || facts.rig.bones);
}

function makeItem(studio: Studio, version: VersionInfo, update: () => void): HTMLElement {
  const { state } = studio;
  const isReference = state.reference === version.id;
  const isResult = state.result === version.id;
  const isOther = studio.reference !== undefined && studio.reference.project !== version.project;
  const show = (): void => {
    if (isOther || studio.versions.size === 1) studio.show({ reference: version.id, result: -1 });
    else if (isReference) studio.show({ result: -1 });
    else studio.show({ result: version.id });
  };
  const chip = (slot: 'reference' | 'result', isOn: boolean) =>
    h(
      'button',
      {
        class: `chip ${slot}`,
        'aria-pressed': String(isOn),
        title: slot === 'reference' ? `Compare with ${version.title}` : `Show ${version.title} as the result`,
        onclick: () => {
          if (slot === 'result' && isResult) studio.show({ result: -1 });
          else if (slot === 'result' && !isReference && !isOther) studio.show({ result: version.id });
          else if (slot === 'reference')
            studio.show({ reference: version.id, result: isResult || isOther ? -1 : state.result });
        },
      },
      slot === 'reference' ? 'A' : 'B',
    );
  const title = h('b', {}, version.title);
  const item = h(
    'li',
    {
      class: `${isReference || isResult ? 'shown' : ''} ${version.parent >= 0 ? 'child' : ''}`,
      'data-version': version.id,
    },
    chip('reference', isReference),
    chip('result', isResult),
    h(
      'button',
      { class: 'name', onclick: show, ondblclick: () => rename(), title: `${version.title} (F2 renames)`, onkeydown },
      title,
      h(
        'small',
        {},
        ...describe(studio, version).map((text, n) => `${n > 0 ? ' · ' : ''}${text.replaceAll(' ', '\u00a0')}`),
        version.isStopped === true && h('em', { class: 'badge' }, 'stopped'),
      ),
    ),
    h(
      'button',
      { class: 'quiet', title: 'Rename', 'aria-label': `Rename ${version.title}`, onclick: () => rename() },
      icon('edit'),
    ),
    h(
      'button',
      {
        class: 'quiet',
        title: `Close ${version.title}`,
        'aria-label': `Close ${version.title}`,
        onclick: () => studio.close(version.id),
      },
      '×',
    ),
  );
  function onkeydown({ key }: KeyboardEvent): void {
    if (key === 'F2') rename();
  }
  function rename(): void {
    const field = h('input', { value: version.title, 'aria-label': 'Name of the version', class: 'rename' });
    let isEnded = false;
    const end = (isKept: boolean): void => {
      // removing a field that has the focus blurs it, which ends it again
      if (isEnded) return;
      isEnded = true;
      field.remove();
      if (isKept) studio.rename(version.id, field.value);
      update();
    };
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') end(true);
      else if (event.key === 'Escape') end(false);
      event.stopPropagation();
    });
    field.addEventListener('blur', () => end(true));
    item.querySelector('.name')?.replaceWith(field);
    field.select();
  }
  return item;
}

/** Error, bones, size and time of a version. */
function describe(studio: Studio, version: VersionInfo): string[] {
  const { facts, bytes, seconds } = version;
  const words: string[] = [];
  const error = studio.errors.get(version.id);
  const level = levelOf(version);
  if (error) words.push(`${formatLength(error.rmse, studio.metresPerUnit)} RMSE`);
  else if (level) words.push(`${formatLength(level.max, studio.metresPerUnit)} Hausdorff`);
  const bones = boneCountOf(version);
  if (facts.twoLayer) words.push(formatCount(facts.twoLayer.virtualBones, 'virtual bone'));
  else if (bones) words.push(formatCount(bones, 'bone'));
  else if (facts.kind === 'morphing') words.push(formatCount(facts.morphTargets, 'morph target'));
  else if (facts.clips.length > 0) words.push(formatCount(facts.clips[0].frames, 'frame'));
  words.push(formatBytes(bytes));
  if (seconds !== undefined) words.push(`${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`);
  return words;
}

/** The measured distance of a level of detail. */
function levelOf({ report, facts }: VersionInfo): { max: number } | undefined {
  const levels = report?.result.levels as { triangles: number; max: number }[] | undefined;
  return levels?.find(({ triangles }) => triangles === facts.mesh.triangles);
}
