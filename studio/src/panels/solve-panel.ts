// SPDX-License-Identifier: MIT
// Selects a job, sets its options, runs it, and plots the error.
import type { Json } from '../../../src/entry/index.ts';
import { h, perFrame } from '../elements/dom.ts';
import { formatLength, formatNumber, unitFor } from '../elements/format.ts';
import { makeShareRow, type SharedJob } from '../files/share.ts';
import type { FieldView, JobView } from '../messages/protocol.ts';
import type { VersionInfo } from '../messages/views.ts';
import { makeLatest } from '../state/latest.ts';
import type { Studio } from '../state/studio.ts';
import { type Field, makeField } from './field.ts';
import { makeLivePlot } from './live-plot.ts';
import { PRESETS, valuesOf as presetValues } from './presets.ts';

export interface SolvePanel {
  root: HTMLElement;
  run(): void;
  /** Runs a job on a version. */
  runOn(version: number, job: string, values: Record<string, Json>): Promise<void>;
  /** The job that is shown, with the options that differ from their defaults. */
  current(): Promise<SharedJob>;
  /** Opens a job with some of its options set. */
  offer(job: string, values: Record<string, Json>): void;
}

export function makeSolvePanel(studio: Studio): SolvePanel {
  let jobs: JobView[] = [];
  let job = '';
  let isChosen = false;
  let isRefused = false;
  /** Whether a preset was chosen before the fields of the job arrived. */
  let isPresetDue = false;
  let fields = new Map<string, Field>();
  /** Values set by the user, by job and option. They are kept when results arrive. */
  const kept = new Map<string, Json>();
  const input = h('select', { 'aria-label': 'Input', onchange: () => build(undefined) });
  const choose = (name: string): void => {
    job = name;
    isChosen = true;
    build(undefined);
  };
  const picker = h('div', { class: 'segments jobs', role: 'group', 'aria-label': 'Job' });
  const form = h('div', { class: 'sheet inner' });
  const nothing = h('p', { class: 'muted' }, 'Open a file to see what can be done with it.');
  const runButton = h(
    'button',
    { class: 'primary', id: 'run', title: 'Run (R)', onclick: () => run(), disabled: true },
    'Run',
  );
  const preset = h(
    'select',
    { 'aria-label': 'Preset', id: 'preset', onchange: () => applyPreset() },
    h('option', { value: '' }, 'Defaults'),
    ...PRESETS.map(({ id, title, does }) => h('option', { value: id, title: does }, title)),
  );
  const share = makeShareRow(
    studio,
    () => current(),
    () => Number(input.value),
  );
  const inputField = h('div', { class: 'field chooser' }, h('span', { class: 'label' }, 'Input'), input);
  const presetNote = h('small', { hidden: true });
  const presetField = h('div', { class: 'field chooser' }, h('span', { class: 'label' }, 'Preset'), preset, presetNote);
  const foot = makeFoot(studio);
  const sheet = h('div', { class: 'sheet' }, nothing, inputField, picker, presetField, form, share);
  const root = h('div', { class: 'sheet', id: 'solve' }, sheet, h('div', { class: 'foot' }, ...foot, runButton));

  const source = (): VersionInfo | undefined => studio.versions.get(Number(input.value));

  const listInputs = (): void => {
    const before = input.value;
    const project = studio.shown?.project;
    nothing.hidden = project !== undefined;
    for (const part of [inputField, picker, presetField, form]) part.hidden = project === undefined;
    // shown with the fields of a job, so that it does not move when they arrive
    if (project === undefined) share.hidden = true;
    const list = [...studio.versions.values()].filter((version) => version.project === project);
    input.replaceChildren(...list.map((version) => h('option', { value: version.id }, version.title)));
    if (list.some(({ id }) => String(id) === before)) input.value = before;
    else isChosen = false;
    build(undefined);
  };

  const valuesOf = (): Record<string, Json> =>
    Object.fromEntries([...fields].map(([key, field]) => [key, field.get()]));

  /** Hides options that have no effect with the others, and shows defaults that depend on them. */
  const settle = async (): Promise<void> => {
    const views = await studio.assets.call('fields', { job, values: valuesOf() });
    for (const { key, isShown, value } of views) {
      const field = fields.get(key);
      if (!field) continue;
      field.root.hidden = !isShown;
      if (isShown && !kept.has(`${job} ${key}`)) field.set(value);
    }
  };

  /** Requests jobs and fields from the worker. If calls overlap, the last one is used. */
  const build = makeLatest<undefined>(async () => {
    const version = source();
    if (!version) return allowRun();
    jobs = await studio.assets.call('jobs', { version: version?.id });
    if (!isChosen) job = (jobs.find(({ fault }) => !fault) ?? jobs[0]).name;
    const picked = jobs.find(({ name }) => name === job)!;
    const keptValues = Object.fromEntries(
      [...kept].filter(([key]) => key.startsWith(`${job} `)).map(([key, value]) => [key.slice(job.length + 1), value]),
    );
    const views = await studio.assets.call('fields', { job, values: keptValues });
    picker.replaceChildren(
      ...jobs.map(({ name, title, description, fault }) =>
        h(
          'button',
          {
            'data-job': name,
            class: fault ? 'refused' : '',
            'aria-pressed': String(name === job),
            title: fault ?? description,
            onclick: () => choose(name),
          },
          title,
        ),
      ),
    );
    const size = version?.facts.size;
    const unit = unitFor((size?.diagonal ?? 1) / 200, size?.metresPerUnit);
    const isOpen = form.querySelector('details')?.open ?? false;
    fields = new Map(views.map((view) => [view.key, makeKept(view, unit)]));
    const rootsOf = (isFine: boolean) =>
      views.filter((view) => view.isFine === isFine).map(({ key }) => fields.get(key)!.root);
    form.replaceChildren(
      picked.fault ? h('div', { class: 'warn' }, picked.fault) : '',
      ...rootsOf(false),
      h('p', {}, picked.description),
      h('details', { class: 'fine', open: isOpen }, h('summary', {}, 'More options'), ...rootsOf(true)),
    );
    share.hidden = source() === undefined;
    isRefused = picked.fault !== undefined;
    allowRun();
    runButton.textContent = `Run ${picked.title.toLowerCase()}`;
    if (isPresetDue) applyPreset();
  });

  /** A job runs on a file that it accepts, with values that can be used. */
  const allowRun = (): void => {
    const isWrong = [...fields.values()].some((field) => !field.root.hidden && field.fault?.() !== undefined);
    runButton.disabled = isRefused || isWrong || !source();
  };

  const makeKept = (view: FieldView, unit: { name: string; perUnit: number }): Field => {
    const key = `${job} ${view.key}`;
    const keep = (): void => {
      allowRun();
      if (field.fault?.() !== undefined) return;
      kept.set(key, field.get());
      void settle();
    };
    const field = makeField(view, keep, unit);
    field.root.hidden = !view.isShown;
    if (kept.has(key)) field.set(kept.get(key));
    return field;
  };

  const run = (): void => {
    const version = source();
    if (!version || runButton.disabled || studio.job) return;
    void runOn(version.id, job, valuesOf());
  };
  const runOn = async (version: number, name: string, values: Record<string, Json>): Promise<void> => {
    const made = await studio.run(version, name, values);
    // a smoothed rig is what one goes on with; others are compared with their input
    if (made?.job === 'mush') setInput(made.id);
  };
  const current = async (): Promise<SharedJob> => ({
    command: job,
    options: await studio.assets.call('options', { job, values: valuesOf() }),
  });
  /** Sets the options of a preset; those of the last one go back to their defaults. */
  const applyPreset = (): void => {
    const picked = PRESETS.find(({ id }) => id === preset.value);
    presetNote.hidden = !picked;
    presetNote.textContent = picked ? `${picked.does}.` : '';
    isPresetDue = fields.size === 0;
    if (isPresetDue) return;
    for (const key of [...kept.keys()]) if (key.startsWith(`${job} `)) kept.delete(key);
    const values = picked ? presetValues(picked, job, [...fields.keys()]) : {};
    for (const [key, value] of Object.entries(values)) kept.set(`${job} ${key}`, value);
    build(undefined);
  };
  const setInput = (id: number): void => {
    input.value = String(id);
    isChosen = false;
    build(undefined);
  };
  studio.on(['versions', 'shown'], listInputs);
  studio.on(['job'], () => {
    runButton.hidden = studio.job !== undefined;
  });
  listInputs();
  return {
    root,
    run,
    runOn,
    current,
    offer(name, values) {
      for (const [key, value] of Object.entries(values)) kept.set(`${name} ${key}`, value);
      choose(name);
    },
  };
}

/** Below the form, always visible: the running job, the plot of the last job, and the errors of the shown pair. */
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
  const curve = h('details', { id: 'curve' }, h('summary', {}, 'Error while solving'), plot.root);
  const running = h('div', { id: 'running', hidden: true }, head, bar, curve);
  const outcome = h('dl', { class: 'figures', id: 'outcome' });
  const measuring = h('p', { class: 'muted', id: 'measuring', hidden: true });

  let shownJob: unknown;
  const showJob = perFrame(() => {
    const { job } = studio;
    // the curve belongs to the version that is shown
    const current = job ?? studio.jobs.curves.get(studio.state.result);
    running.hidden = !job && !current?.errors.length;
    if (!current) return;
    const { progress, errors, isCancelled } = current;
    const error = errors.at(-1);
    cancel.hidden = bar.hidden = head.hidden = !job;
    bar.value = progress.fraction;
    const percent = `${Math.round(100 * progress.fraction)} %`;
    const what = isCancelled ? 'Stopping, with the best so far' : `${progress.phase}, ${percent}`;
    phase.textContent = `${what}${error === undefined ? '' : ` · error ${formatNumber(error)}`}`;
    cancel.disabled = isCancelled;
    curve.hidden = errors.length === 0;
    // the form needs the place once the job has ended
    if (job !== shownJob) curve.open = job !== undefined || innerHeight > ROOMY;
    shownJob = job;
    plot.update(current.seconds, errors);
  });

  const showOutcome = (): void => {
    const { comparison, reference, result } = studio;
    outcome.replaceChildren();
    const { comparing } = studio;
    measuring.hidden = comparing === undefined || studio.job !== undefined;
    measuring.textContent = `Measuring, ${Math.round(100 * (comparing ?? 0))} %`;
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
  studio.on(['job', 'shown'], showJob);
  studio.on(['comparison', 'shown'], showOutcome);
  return [running, h('div', { class: 'outcome' }, measuring, outcome)];
}

/** Height of windows, in pixels, in which the curve stays open beside the form. */
const ROOMY = 860;

const FIGURES = {
  rmse: ['RMSE', 'Root mean square distance of all vertices in all frames'],
  rmsePercent: ['of size', 'RMSE in percent of the box diagonal'],
  max: ['largest', 'Largest distance of any vertex in any frame'],
  p99: ['99 %', '99 % of the distances are below this'],
  eRms: ['E_RMS', '1000 × rms per coordinate, smallest enclosing ball scaled to radius 1'],
  normalDegrees: ['normals', 'Root mean square angle between vertex normals'],
} as const;
