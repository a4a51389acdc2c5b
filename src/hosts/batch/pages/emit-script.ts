// SPDX-License-Identifier: MIT
// Scripts for engines that have their own queue. Slurm and Open Job Description run parts of a list of jobs with `ossify batch`, so that a finished job is
// not run again when a part is; make runs one command per job.
import { posix } from 'node:path';
import { listFiles, mapFiles } from '../../../core/options/list-files.ts';
import { flagOf } from '../../../core/options/option.ts';
import { findJob } from '../../../jobs/table/index.ts';
import type { BatchJob } from '../batch-job.ts';

/** Maximum tasks of an array: Slurm's default limit is 1001. */
const MAX_TASKS = 1000;

/** What a script runs. */
export interface ScriptFacts {
  jobs: readonly BatchJob[];
  /** Absolute name of the list of jobs. */
  list: string;
  /** Absolute name of the output folder. */
  out: string;
  /** Seconds for one job. */
  timeLimit: number;
  /** Threads of a job. */
  threads?: number;
}

/** The script of an engine, as text. */
export function emitScript(engine: 'openjd' | 'slurm' | 'make', facts: ScriptFacts): string {
  return { openjd: emitOpenJobDescription, slurm: emitSlurm, make: emitMake }[engine](facts);
}

const tasksOf = ({ jobs }: ScriptFacts) => Math.min(jobs.length, MAX_TASKS);

function emitSlurm(facts: ScriptFacts): string {
  const { jobs, list, out, timeLimit, threads = 1 } = facts;
  const tasks = tasksOf(facts);
  const minutes = Math.ceil((Math.ceil(jobs.length / tasks) * timeLimit) / 60);
  return `#!/bin/sh
#SBATCH --job-name=ossify
#SBATCH --array=1-${tasks}
#SBATCH --cpus-per-task=${threads}
#SBATCH --time=${minutes}
exec ossify batch ${quote(list)} --out ${quote(out)} --part "$SLURM_ARRAY_TASK_ID/${tasks}" --jobs 1 --threads "\${SLURM_CPUS_PER_TASK:-1}" --time-limit ${timeLimit}
`;
}

/** https://github.com/OpenJobDescription/openjd-specifications, version 2023-09 */
function emitOpenJobDescription(facts: ScriptFacts): string {
  const { list, out, timeLimit, threads = 1 } = facts;
  const tasks = tasksOf(facts);
  const args = ['batch', '{{Param.JobList}}', '--out', '{{Param.Out}}', '--part', `{{Task.Param.Part}}/${tasks}`];
  args.push('--jobs', '1', '--threads', String(threads), '--time-limit', String(timeLimit));
  // JSON strings are valid YAML
  return `specificationVersion: jobtemplate-2023-09
name: ossify
parameterDefinitions:
  - name: JobList
    type: PATH
    objectType: FILE
    dataFlow: IN
    default: ${JSON.stringify(list)}
  - name: Out
    type: PATH
    objectType: DIRECTORY
    dataFlow: OUT
    default: ${JSON.stringify(out)}
steps:
  - name: Batch
    parameterSpace:
      taskParameterDefinitions:
        - name: Part
          type: INT
          range: "1-${tasks}"
    hostRequirements:
      amounts:
        - name: amount.worker.vcpu
          min: ${threads}
    script:
      actions:
        onRun:
          command: ossify
          args: [${args.map((word) => JSON.stringify(word)).join(', ')}]
`;
}

function emitMake({ jobs, out }: ScriptFacts): string {
  const rules = jobs.map((job, n) => {
    const { command, inputs, output, options = {} } = job;
    const target = output === undefined ? `job-${n + 1}` : `${out}/${output}`;
    const { options: schema } = findJob(command);
    const placed = mapFiles(schema, options, ({ path, use }) => (use === 'output' ? `${out}/${path}` : path));
    const read = listFiles(schema, options).flatMap(({ path, use }) => (use === 'input' ? path : []));
    const words = Object.entries(placed).flatMap(([key, value]) => {
      if (value === undefined || value === null || value === false) return [];
      return value === true ? [flagOf(key)] : [flagOf(key), Array.isArray(value) ? value.join(',') : String(value)];
    });
    const files = output === undefined ? inputs : [...inputs, target];
    const sources = [...inputs, ...read].every((input) => !/[+*?]/.test(input))
      ? [...inputs, ...read].map(escapeMake).join(' ')
      : '';
    const line = [command, ...files, ...words].map(spell).join(' ');
    const written = listFiles(schema, placed).flatMap(({ path, use }) => (use === 'output' ? path : []));
    const folders = [...(output === undefined ? [] : [target]), ...written].map((path) => posix.dirname(path));
    const folder = folders.length === 0 ? '' : `\t@mkdir -p ${[...new Set(folders)].map(spell).join(' ')}\n`;
    return { target: escapeMake(target), rule: `${escapeMake(target)}: ${sources}\n${folder}\t$(OSSIFY) ${line}\n` };
  });
  const all = rules.map(({ target }) => `  ${target}`).join(' \\\n');
  return `# make -j 4 -f <this file>
OSSIFY ?= ossify
.DELETE_ON_ERROR:
.PHONY: all
all: \\\n${all}

${rules.map(({ rule }) => rule).join('\n')}`;
}

/** A word of a shell. */
function quote(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A word of the shell in a line of make. */
function spell(word: string): string {
  return quote(word).replaceAll('$', '$$$$');
}

/** A name in a rule of make. */
function escapeMake(name: string): string {
  return name.replace(/[ #%:\\]/g, (character) => `\\${character}`).replaceAll('$', '$$$$');
}
