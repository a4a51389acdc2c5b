// SPDX-License-Identifier: MIT
// The list of versions; selects the reference (A) and the result (B).
import { h } from './dom.ts';
import { formatBytes, formatCount } from './format.ts';
import type { VersionInfo } from './protocol.ts';
import type { Studio } from './studio.ts';

export function makeVersionsPanel(studio: Studio, root: HTMLElement): void {
  const update = (): void => {
    const list = [...studio.versions.values()];
    const items = list.length > 0 ? sortByProject(list).map((version) => makeItem(studio, version)) : [];
    root.replaceChildren(
      h(
        'div',
        { class: 'row' },
        h('h2', {}, 'Versions'),
        h('span', { class: 'grow' }),
        list.length > 0 && h('small', { class: 'muted' }, 'A reference · B result'),
      ),
      items.length > 0
        ? h('ul', {}, ...items)
        : h('p', { class: 'muted' }, 'Files that you open, and results, are listed here.'),
    );
    const shown = root.querySelectorAll('li.shown');
    shown[shown.length - 1]?.scrollIntoView({ block: 'nearest' });
  };
  studio.on(['versions', 'shown'], update);
  update();
}

function sortByProject(list: VersionInfo[]): VersionInfo[] {
  return [...list].sort((a, b) => a.project - b.project || a.id - b.id);
}

function makeItem(studio: Studio, version: VersionInfo): HTMLElement {
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
  return h(
    'li',
    {
      class: `${isReference || isResult ? 'shown' : ''} ${version.parent >= 0 ? 'child' : ''}`,
      'data-version': version.id,
    },
    chip('reference', isReference),
    chip('result', isResult),
    h(
      'button',
      { class: 'name', onclick: show, title: version.title },
      h('b', {}, version.title),
      h('small', {}, describe(version)),
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
}

function describe({ facts, bytes, seconds }: VersionInfo): string {
  const words: string[] = [];
  if (facts.twoLayer) words.push(formatCount(facts.twoLayer.virtualBones, 'virtual bone'));
  else if (facts.rig) words.push(formatCount(facts.rig.joints || facts.rig.bones, 'bone'));
  else if (facts.kind === 'morphing') words.push(formatCount(facts.morphTargets, 'morph target'));
  else if (facts.clips.length > 0) words.push(formatCount(facts.clips[0].frames, 'frame'));
  words.push(formatBytes(bytes));
  if (seconds !== undefined) words.push(`${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`);
  return words.join(' · ');
}
