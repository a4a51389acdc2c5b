// SPDX-License-Identifier: MIT
// Picks a job, sets its options, runs it, and shows how the error falls.
import { h, perFrame } from './dom.ts';
import { type Field, makeField } from './field.ts';
import type { Job } from './job-options.ts';
import { JOBS } from './jobs.ts';
import { makeLivePlot } from './live-plot.ts';
import type { VersionInfo } from './protocol.ts';
import type { Studio } from './studio.ts';
import { formatLength, formatNumber, unitFor } from './words.ts';

export interface SolvePanel {
  root: HTMLElement;
  run(): void;
  /** Opens a job with some of its options set. */
  offer(job: string, options: Record<string, unknown>): void;
}

export function makeSolvePanel(studio: Studio): SolvePanel {
  let job: Job = JOBS[0];
  let isChosen = false;
  let fields = new Map<string, Field>();
  /** What was set by hand, by job and option: it outlives results. */
  const kept = new Map<string, unknown>();
  const input = h('select', { 'aria-label': 'Input', class: 'wide', onchange: () => build() });
  const choose = (one: Job): void => {
    job = one;
    isChosen = true;
    build();
  };
  const pickers = JOBS.map((one) => h('button', { 'data-job': one.name, onclick: () => choose(one) }, one.title));
  const form = h('div', { class: 'sheet', style: 'padding:0;overflow:visible' });
  const runButton = h('button', { class: 'primary', id: 'run', title: 'Run (R)', onclick: () => run() }, 'Run');
  const foot = makeFoot(studio);
  const jobs = h('div', { class: 'segments jobs', role: 'group', 'aria-label': 'Job' }, ...pickers);
  const sheet = h(
    'div',
    { class: 'sheet' },
    h('div', { class: 'field' }, h('span', { class: 'label' }, 'Input'), input),
    jobs,
    form,
  );
  const root = h('div', { class: 'sheet', id: 'solve' }, sheet, h('div', { class: 'foot' }, ...foot, runButton));

  const source = (): VersionInfo | undefined => studio.versions.get(Number(input.value));

  const listInputs = (): void => {
    const before = input.value;
    const project = studio.shown?.project;
    const list = [...studio.versions.values()].filter((version) => version.project === project);
    input.replaceChildren(...list.map((version) => h('option', { value: version.id }, version.title)));
    if (list.some(({ id }) => String(id) === before)) input.value = before;
    else isChosen = false;
    build();
  };

  const valuesOf = (): Record<string, unknown> =>
    Object.fromEntries([...fields].map(([key, field]) => [key, field.get()]));
  /** Hides options that mean nothing beside the others. */
  const settle = (): void => {
    const values = valuesOf();
    for (const { key, isFor, valueFor } of job.options) {
      const field = fields.get(key)!;
      field.root.hidden = isFor?.(values) === false;
      if (valueFor && !field.root.hidden && !kept.has(`${job.name} ${key}`)) field.set(valueFor(values));
    }
  };

  const build = (): void => {
    const version = source();
    const faults = new Map(JOBS.map((one) => [one.name, version ? one.refuses(version.facts) : 'Open a file first.']));
    if (!isChosen) job = JOBS.find((one) => !faults.get(one.name)) ?? JOBS[0];
    pickers.forEach((button, n) => {
      button.setAttribute('aria-pressed', String(JOBS[n] === job));
      button.title = faults.get(JOBS[n].name) ?? JOBS[n].does;
      button.classList.toggle('refused', faults.get(JOBS[n].name) !== undefined);
    });
    const fault = faults.get(job.name);
    const size = version?.facts.size;
    const unit = unitFor((size?.diagonal ?? 1) / 200, size?.metresPerUnit);
    const isOpen = form.querySelector('details')?.open ?? false;
    fields = new Map(
      job.options.map((option) => {
        const key = `${job.name} ${option.key}`;
        const field = makeField(
          option,
          () => {
            kept.set(key, field.get());
            settle();
          },
          unit,
        );
        if (kept.has(key)) field.set(kept.get(key));
        return [option.key, field];
      }),
    );
    settle();
    const rootsOf = (isFine: boolean) =>
      job.options.filter((one) => (one.isFine ?? false) === isFine).map(({ key }) => fields.get(key)!.root);
    form.replaceChildren(
      h('p', {}, job.does),
      fault ? h('div', { class: 'warn' }, fault) : '',
      ...rootsOf(false),
      h('details', { class: 'fine', open: isOpen }, h('summary', {}, 'More options'), ...rootsOf(true)),
    );
    runButton.disabled = fault !== undefined;
    runButton.textContent = `Run ${job.title.toLowerCase()}`;
  };

  const run = (): void => {
    const version = source();
    if (!version || runButton.disabled || studio.job) return;
    void studio.run(version.id, job.name, valuesOf());
  };
  studio.on(['versions', 'shown'], listInputs);
  studio.on(['job'], () => {
    runButton.hidden = studio.job !== undefined;
  });
  listInputs();
  return {
    root,
    run,
    offer(name, options) {
      for (const [key, value] of Object.entries(options)) kept.set(`${name} ${key}`, value);
      const found = JOBS.find((one) => one.name === name);
      if (found) choose(found);
    },
  };
}

/** Below the form, always in sight: the running job, the last one's plot, and the figures of the shown pair. */
function makeFoot(studio: Studio): HTMLElement[] {
  const cancel = h(
    'button',
    { id: 'cancel', title: 'Cancel, and keep the best so far (Esc)', onclick: () => void studio.cancel() },
    'Cancel',
  );
  const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Progress' });
  const phase = h('span', { id: 'phase' });
  const plot = makeLivePlot();
  const head = h('div', { class: 'row' }, phase, h('span', { class: 'grow' }), cancel);
  const running = h('div', { id: 'running', hidden: true }, head, bar, plot.root);
  const outcome = h('dl', { class: 'figures', id: 'outcome' });

  const showJob = perFrame(() => {
    const { job } = studio;
    const current = job ?? studio.lastJob;
    running.hidden = !job && !current?.errors.length;
    if (!current) return;
    const { progress, errors, isCancelled } = current;
    const error = errors.at(-1);
    cancel.hidden = bar.hidden = head.hidden = !job;
    bar.value = progress.fraction;
    const what = isCancelled ? 'Stopping, with the best so far' : progress.phase;
    phase.textContent = `${what}${error === undefined ? '' : ` · error ${formatNumber(error)}`}`;
    cancel.disabled = isCancelled;
    plot.root.hidden = errors.length === 0;
    plot.update(current.seconds, errors);
  });

  const showOutcome = (): void => {
    const { comparison, reference, result } = studio;
    outcome.replaceChildren();
    if (!comparison || !reference || !result) return;
    const metres = studio.metresPerUnit;
    const figure = (id: keyof typeof FIGURES, text: string): HTMLElement[] => [
      h('dt', { title: FIGURES[id][1] }, FIGURES[id][0]),
      h('dd', { title: FIGURES[id][1], 'data-figure': id, 'data-value': comparison[id] }, text),
    ];
    outcome.append(
      ...figure('rmse', formatLength(comparison.rmse, metres)),
      ...figure('rmsePercent', `${formatNumber(comparison.rmsePercent)} %`),
      ...figure('max', formatLength(comparison.max, metres)),
      ...figure('p99', formatLength(comparison.p99, metres)),
      ...figure('eRms', formatNumber(comparison.eRms, 4)),
      ...figure('normalDegrees', `${formatNumber(comparison.normalDegrees)}°`),
    );
  };
  studio.on(['job'], showJob);
  studio.on(['comparison', 'shown'], showOutcome);
  return [running, outcome];
}

const FIGURES = {
  rmse: ['RMSE', 'Root mean square distance of all vertices in all frames'],
  rmsePercent: ['of size', 'RMSE in percent of the box diagonal'],
  max: ['largest', 'Largest distance of any vertex in any frame'],
  p99: ['99 %', '99 % of the distances are below this'],
  eRms: ['E_RMS', '1000 × rms per coordinate, smallest enclosing ball scaled to radius 1'],
  normalDegrees: ['normals', 'Root mean square angle between vertex normals'],
} as const;
