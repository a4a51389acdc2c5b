// SPDX-License-Identifier: MIT
// A job opens its inputs and the files that its options name by their type, and nothing else: a text option cannot reach the disk, whatever a job does with it.
import { listFiles } from '../../core/options/list-files.ts';
import type { OptionSchema, Values } from '../../core/options/option.ts';
import type { Job, JobIo } from './job.ts';

/** Access to the files that a job names. */
export interface LimitedFiles {
  io: JobIo;
  /** Throws if a file would be written elsewhere than beside the output or beside a file that an option names. */
  checkWritten(paths: readonly string[]): void;
}

/**
 * Limits the access of a job to its inputs, its output, and the files that its options name. Anything else is a defect of the job, and throws.
 * @param isFolder whether the output is a folder with files of any name
 */
export function limitFiles(
  io: JobIo,
  job: Job,
  { schema, values, isFolder = false }: { schema: OptionSchema; values: Values; isFolder?: boolean },
): LimitedFiles {
  const named = listFiles(schema, values);
  const pathsOf = (use: 'input' | 'output') => named.filter((file) => file.use === use).map(({ path }) => path);
  const readable = new Set([...job.inputs, ...pathsOf('input')]);
  const folders = new Set([...(job.output === undefined ? [] : [job.output]), ...pathsOf('output')].map(folderOf));
  const inside = isFolder && job.output !== undefined ? `${job.output.replace(/[/\\]+$/, '')}/` : undefined;
  const checkRead = (path: string) => {
    if (!readable.has(path)) throw new Error(`${job.command} opens a file that neither an input nor an option names`);
  };
  const checkWritten = (paths: readonly string[]) => {
    for (const path of paths)
      if (!folders.has(folderOf(path)) && !(inside !== undefined && folderOf(path) === inside))
        throw new Error(`${job.command} writes a file where neither its output nor an option is`);
  };
  const limited: JobIo = {
    ...io,
    async open(input, options, remark) {
      checkRead(input);
      if (options.rest !== undefined) checkRead(options.rest);
      return io.open(input, options, remark);
    },
    async read(path) {
      checkRead(path);
      return io.read(path);
    },
    async checkOutputs(outputs, inputs) {
      checkWritten(outputs);
      await io.checkOutputs?.(outputs, inputs);
    },
  };
  if (io.list)
    limited.list = async (input) => {
      checkRead(input);
      const paths = (await io.list?.(input)) ?? [input];
      for (const path of paths) readable.add(path);
      return paths;
    };
  return { io: limited, checkWritten };
}

function folderOf(path: string): string {
  return path.replace(/[^/\\]*$/, '');
}
