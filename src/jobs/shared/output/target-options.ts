// SPDX-License-Identifier: MIT
// --for TARGET and --textures of jobs that write characters. Jobs do not read them: they are taken out of the job before it runs, and the output is fitted to them
// when it is final (jobs/written). `--for size` stays with the jobs that have it.

import { UsageError } from '../../../core/model/errors.ts';
import { choice, flagOf, group, type Json, type OptionSchema, option } from '../../../core/options/option.ts';
import { type StoredForm, TARGET_NAMES, TARGETS, type Target } from '../../../formats/targets/index.ts';
import type { FileSettings, Job, JobContext, JobSpec } from '../../engine/index.ts';
import { CHARACTER_EXTENSIONS, type Encoding, listExtensions } from './output-formats.ts';

const NAMES = TARGET_NAMES.join(', ');
const TARGET_HELP = `software that the file is made for: ${NAMES}; \`ossify help presets\` lists their settings`;

const TEXTURES = option(
  choice(['embed', 'beside'], '<place>'),
  'where images are: embed, in the file (.glb, .vrm, .usdz and .fbx), or beside, in files of its folder (.gltf, .usda, .usdc and .fbx); default: embed where the format can',
);

/** The job with --for TARGET and --textures, if it writes characters: the same object for the same job. */
export function acceptTargets(spec: JobSpec): JobSpec {
  if (!writesCharacters(spec)) return spec;
  const known = ACCEPTED.get(spec) ?? withTargets(spec);
  ACCEPTED.set(spec, known);
  return known;
}

const ACCEPTED = new WeakMap<JobSpec, JobSpec>();

function withTargets(spec: JobSpec): JobSpec {
  const { for: aim, ...others } = spec.options;
  const hasSize = aim !== undefined;
  const both = {
    for: option(
      choice(hasSize ? ['size', ...TARGET_NAMES] : TARGET_NAMES, hasSize ? '<aim>' : '<target>'),
      hasSize ? `${aim.help}; or the ${TARGET_HELP}` : TARGET_HELP,
      hasSize ? { group: aim.group } : {},
    ),
    textures: TEXTURES,
  };
  const { for: wanted, textures } = group('Output options:', both);
  // the help keeps the place of --for
  const options: OptionSchema = hasSize
    ? {
        ...Object.fromEntries(Object.entries(spec.options).map(([key, one]) => [key, key === 'for' ? wanted : one])),
        textures,
      }
    : { ...others, for: wanted, textures };
  return { ...spec, options };
}

function writesCharacters({ name, output }: JobSpec): boolean {
  return output?.isCharacter === true || (name === 'bake' && output !== undefined);
}

/** What a job is without its target, and the target. */
export interface SplitJob {
  /** The job as it runs: without --textures, and without --for unless it is a size. */
  own: Job;
  values: Record<string, unknown>;
  settings: FileSettings;
}

/**
 * Takes the target out of a job and checks that the output fits it. Throws a UsageError that names the remedy.
 * @param values the settled options of the job
 */
export function splitTarget(spec: JobSpec, job: Job, values: Record<string, unknown>): SplitJob {
  if (!writesCharacters(spec)) return { own: job, values, settings: {} };
  const { for: aim, textures, ...left } = values;
  const target = TARGET_NAMES.find((name) => name === aim);
  const { for: given, textures: _, ...rest } = job.options ?? {};
  const isSize = given !== undefined && target === undefined;
  const place = textures === 'embed' || textures === 'beside' ? textures : undefined;
  if (target) checkTarget(TARGETS[target], job, spec);
  if (place) checkTextures(place, job.output ?? '');
  const chosen = target ? chooseOptions(spec, TARGETS[target], rest) : {};
  return {
    own: { ...job, ...(job.options ? { options: { ...rest, ...chosen, ...(isSize ? { for: given } : {}) } } : {}) },
    values: target ? { ...left, ...chosen } : { ...left, ...(aim === undefined ? {} : { for: aim }) },
    settings: { ...(target ? { target } : {}), ...(place ? { textures: place } : {}) },
  };
}

/** Options that a target sets where they are not given: bones of morph targets have shear unless they are told otherwise. */
function chooseOptions(
  { name }: JobSpec,
  { bones }: Target,
  { bones: count, transforms }: Readonly<Record<string, Json | undefined>>,
): { transforms?: string } {
  const isShapes = name === 'convert' && count !== undefined && count !== null;
  const isOpen = transforms === undefined || transforms === null;
  return isShapes && isOpen && bones && bones.value !== 'affine' ? { transforms: bones.value } : {};
}

function checkTarget(target: Target, job: Job, spec: JobSpec): void {
  const { name, title, formats, influences, bones, stored } = target;
  const { output = '', options = {} } = job;
  const flag = `--for ${name}`;
  if (options.as !== undefined && options.as !== null)
    throw new UsageError(flag, 'applies to characters, not to textures; remove it');
  if (!formats.value.some((extension) => output.toLowerCase().endsWith(extension))) {
    const stem = output.replace(/\.[^./\\]*$/, '') || 'out';
    throw new UsageError(
      flag,
      `${title} opens ${listExtensions(formats.value)}, not "${output}"; write ${stem}${formats.value[0]}`,
    );
  }
  const most = influences?.value;
  const count = Number(options.influences);
  if (most !== undefined && count > most && countsBones(spec, options))
    throw new UsageError('--influences', `${count} is more than ${title} reads; give ${most} or less with ${flag}`);
  if (bones && bones.value !== 'affine' && options.transforms === 'affine')
    throw new UsageError('--transforms affine', `${title} ignores shear; give rigid or similarity with ${flag}`);
  const forms: readonly StoredForm[] = stored?.value ?? [];
  for (const form of ['quantize', 'meshopt'] as const)
    if (options[form] === true && !forms.includes(form))
      throw new UsageError(flagOf(form), `${title} does not read it; remove it with ${flag}`);
}

/** Whether --influences counts bones of the file, and not virtual ones beside its plain skin. */
function countsBones({ name }: JobSpec, { method }: Readonly<Record<string, Json | undefined>>): boolean {
  return name !== 'compress' && method !== 'twolayer';
}

/** Formats by where they can have images. */
const PLACES = {
  embed: ['.glb', '.vrm', '.usdz', '.fbx'],
  beside: ['.gltf', '.usda', '.usdc', '.fbx'],
} as const;

function checkTextures(place: 'embed' | 'beside', output: string): void {
  const flag = `--textures ${place}`;
  const ends = (extension: string): boolean => output.toLowerCase().endsWith(extension);
  if (!CHARACTER_EXTENSIONS.some(ends))
    throw new UsageError(flag, `applies to ${listExtensions(CHARACTER_EXTENSIONS)}`);
  if (PLACES[place].some(ends)) return;
  const other = place === 'embed' ? 'beside' : 'embed';
  throw new UsageError(
    flag,
    `"${output}" always has its images ${place === 'embed' ? 'beside it' : 'inside'}; write ${listExtensions(PLACES[place])}, or leave it out (${other})`,
  );
}

/** How the output of a job is written. Changes of its scene are added to the list of steps. */
export function encodingOf(context: Pick<JobContext, 'settings' | 'noteChange'>): Omit<Encoding, 'path'> {
  const { target, textures } = context.settings;
  return { target: target && TARGETS[target], textures, steps: [], log: (text) => context.noteChange(text) };
}
