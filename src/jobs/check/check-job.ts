// SPDX-License-Identifier: MIT
import { FormatError, UsageError } from '../../core/model/errors.ts';
import { choice, group, type OptionsOf, option, outputFile } from '../../core/options/option.ts';
import { checkFile, type Finding, type ReaderRemark } from '../../formats/rules/index.ts';
import { TARGET_NAMES, TARGETS } from '../../formats/targets/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  type JobContext,
  type JobFacts,
  type OpenedInput,
  READ_OPTIONS,
} from '../engine/index.ts';
import { CHARACTER_EXTENSIONS, listExtensions } from '../shared/index.ts';
import { countFindings, describeCheck } from './describe-check.ts';
import { resolverOf } from './resolver-of.ts';
import { type RepairedFile, writeRepaired } from './write-repaired.ts';

/** Repairs are what this command lists: it has nothing to be strict about. */
const { strict: _strict, ...COMMON } = COMMON_OPTIONS;

const OPTIONS = {
  ...group('Check options:', {
    for: option(choice(TARGET_NAMES), 'also check the rules of a target (ossify help presets)'),
    fix: option(
      outputFile,
      `repair what can be repaired, and write it to this ${listExtensions(CHARACTER_EXTENSIONS)} file`,
    ),
  }),
  ...READ_OPTIONS,
  ...COMMON,
};

/** Files whose format has rules of its own. */
const STORED = /\.(glb|gltf|vrm|usdz)$/i;

type Context = JobContext<OptionsOf<typeof OPTIONS>>;

export const checkJob = defineJob({
  name: 'check',
  title: 'Check',
  summary: 'list what is wrong with a character, and repair it',
  description:
    'Lists what is wrong with a file: the place, the fault, what to do, and whether --fix repairs it. Errors stop players or lose data, warnings show in some of them, notes are for ' +
    'information. The exit status is 1 if there are errors; with --fix, if the written file has any.',
  inputs: [{ name: 'input', description: 'a file with a character, or any other that is read' }],
  examples: [
    { line: 'check knight.glb', does: 'errors, warnings and notes' },
    { line: 'check knight.fbx --for unity', does: 'also what Unity needs' },
    { line: 'check knight.glb --fix fixed.glb', does: 'repairs what can be repaired, and checks the result' },
    { line: 'check knight.glb --for ar --fix knight.usdz --json', does: 'both lists as JSON' },
  ],
  options: OPTIONS,
  check: checkOptions,
  run: runCheck,
  describe: describeCheck,
});

function checkOptions({ fix, for: target }: OptionsOf<typeof OPTIONS>): void {
  if (fix === undefined) return;
  const isAmong = (extensions: readonly string[]): boolean =>
    extensions.some((extension) => fix.toLowerCase().endsWith(extension));
  if (!isAmong(CHARACTER_EXTENSIONS))
    throw new UsageError('--fix', `must end in ${listExtensions(CHARACTER_EXTENSIONS)}, not "${fix}"`);
  const { title, formats } = TARGETS[target ?? 'blender'];
  if (target !== undefined && !isAmong(formats.value))
    throw new UsageError('--fix', `must end in ${listExtensions(formats.value)} for ${title}, not "${fix}"`);
}

async function runCheck(context: Context): Promise<JobFacts> {
  const { options } = context;
  const [input] = context.job.inputs;
  const target = options.for === undefined ? undefined : TARGETS[options.for];
  const { opened, unreadable, remarks } = await openInput(context, input);
  await context.claim(options.fix === undefined ? [] : [options.fix]);
  const bytes = STORED.test(input) ? await context.read(input, input) : undefined;
  const asset = opened?.asset;
  const findings = await context.phase('check', () =>
    checkFile({ name: input, asset, unreadable, remarks, bytes, resolve: resolverOf(asset), target }),
  );
  const written =
    options.fix !== undefined && asset
      ? await writeRepaired(context, asset, { path: options.fix, target, findings })
      : undefined;
  if (options.fix !== undefined && !written)
    context.note(`${options.fix} was not written: the input cannot be read, so nothing of it can be repaired`);
  return makeFacts(opened, findings, written, { file: input, target: options.for });
}

/** Reads the input; a file with a fault that the reader does not repair is a finding, and a file that is not there is an error. */
async function openInput(
  context: Context,
  input: string,
): Promise<{ opened?: OpenedInput; unreadable?: string; remarks: ReaderRemark[] }> {
  const remarks: ReaderRemark[] = [];
  try {
    const opened = await context.open(input, { topology: 'any' }, (text, kind, facts) => {
      remarks.push({ text, kind, facts });
    });
    return { opened, remarks };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const at = error.byteOffset === undefined ? '' : ` (byte ${error.byteOffset})`;
    return { unreadable: `${error.fault}${at}`, remarks };
  }
}

function makeFacts(
  opened: OpenedInput | undefined,
  findings: Finding[],
  written: RepairedFile | undefined,
  told: { file: string; target?: string },
): JobFacts {
  const left = written?.findings ?? findings;
  return {
    inputs: opened ? [opened] : [],
    files: written?.files ?? [],
    result: {
      ...told,
      ...countFindings(findings),
      findings,
      ...(written
        ? { written: { path: written.path, ...countFindings(written.findings), findings: written.findings } }
        : {}),
    },
    isUnfit: left.some(({ severity }) => severity === 'error'),
  };
}
