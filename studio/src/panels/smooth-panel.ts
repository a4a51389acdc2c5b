// SPDX-License-Identifier: MIT
// Direct Delta Mush while the sliders move.
import { DDM_DEFAULTS, type DdmVariant } from '../../../src/entry/index.ts';
import { h } from '../elements/dom.ts';
import type { TuneOptions } from '../messages/protocol.ts';
import type { VersionInfo } from '../messages/views.ts';
import type { Studio } from '../state/studio.ts';
import { type Field, makeField } from './field.ts';

const KEYS = ['variant', 'lambda', 'kappa', 'alpha', 'iterations'];

export function makeSmoothPanel(studio: Studio, onKeep: (options: TuneOptions) => void): HTMLElement {
  const start = (): void => {
    const version = source();
    if (!version) return;
    // the preview is compared with the version that it smooths
    if (studio.state.reference !== version.id || studio.state.result >= 0)
      studio.show({ reference: version.id, result: -1 });
    studio.tune(version.id, valuesOf(fields));
  };
  const fields = new Map<string, Field>();
  const list = h('div', { class: 'sheet', style: 'padding:0;overflow:visible' });
  const { lambda } = DDM_DEFAULTS;
  /** Fields are made with the first file. */
  const build = async (): Promise<void> => {
    const views = await studio.assets.call('fields', { job: 'mush', values: { lambda } });
    for (const view of views.filter(({ key }) => KEYS.includes(key))) {
      const own = view.key === 'lambda' && view.kind === 'number' ? { ...view, value: lambda } : view;
      fields.set(view.key, makeField(own, start, { name: '', perUnit: 1 }));
    }
    list.replaceChildren(...[...fields.values()].map((field) => field.root));
    update();
  };
  let isBuilt = false;
  const time = h('p', { id: 'tuned', 'aria-live': 'polite' });
  const begin = h('button', { class: 'primary', id: 'tune', onclick: start }, 'Try it');
  const keep = h(
    'button',
    { onclick: () => onKeep(valuesOf(fields)), title: 'Runs the mush job with these values' },
    'Keep as a version',
  );
  const stop = h('button', { onclick: () => studio.tuning.end() }, 'Stop');
  const warn = h('div', { class: 'warn' }, 'Needs a skinned model without delta mush; open a rig, or decompose first.');
  const root = h(
    'div',
    { class: 'sheet', id: 'smooth' },
    h(
      'p',
      {},
      'Direct Delta Mush, live. κ, α and the variant take effect while you drag; λ and the iterations need a new smoothing. The checker shows where skin slides.',
    ),
    warn,
    h('div', { class: 'row' }, begin, keep, stop),
    time,
    list,
  );

  const source = (): VersionInfo | undefined => {
    const list = [studio.live && studio.versions.get(studio.live.version), studio.result, studio.reference];
    return list.find((version) => version?.isTunable);
  };
  const update = (): void => {
    const version = source();
    if (!isBuilt && studio.versions.size > 0) {
      isBuilt = true;
      void build();
    }
    warn.hidden = version !== undefined;
    // its values are those of the fields
    begin.disabled = !version || fields.size === 0;
    begin.hidden = studio.live !== undefined;
    keep.hidden = stop.hidden = studio.live === undefined;
    const reply = studio.live?.reply;
    time.textContent = reply ? `${reply.isFull ? 'Smoothed' : 'Updated'} in ${Math.round(reply.milliseconds)} ms` : '';
    root.dataset.milliseconds = String(reply?.milliseconds ?? '');
    root.dataset.isFull = String(reply?.isFull ?? '');
  };
  studio.on(['live', 'shown', 'versions'], update);
  update();
  return root;
}

function valuesOf(fields: Map<string, Field>): TuneOptions {
  const get = (key: string): number => Number(fields.get(key)?.get());
  const lambda = get('lambda') || DDM_DEFAULTS.lambda;
  return {
    lambda,
    kappa: Math.min(get('kappa'), lambda),
    alpha: get('alpha'),
    iterations: get('iterations'),
    variant: get('variant') as DdmVariant,
  };
}
