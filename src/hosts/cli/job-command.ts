// SPDX-License-Identifier: MIT

import { formatNumber, type Job, type JobSpec, type ReportTable } from '../../jobs/engine/index.ts';
import { formatTable } from '../../jobs/report/index.ts';
import { runJob } from '../../jobs/table/index.ts';
import { makeDiskIo, makeFolder, removeFolders } from '../disk/index.ts';
import type { CliCommand, CliContext } from './command.ts';
import { EXIT_DONE, EXIT_FAILED, EXIT_GATE } from './terminal/exit-status.ts';

/** Makes the command of a job: runs the job, writes its files and prints its report. */
export function jobCommand(spec: JobSpec): CliCommand {
  const bracket = (name: string, isOptional?: boolean) => (isOptional ? `[${name}]` : `<${name}>`);
  const { output } = spec;
  return {
    ...spec,
    arguments: [
      ...spec.inputs.map(({ name, description, isOptional, choices }) => ({
        name: bracket(name, isOptional),
        description,
        choices,
      })),
      ...(output ? [{ name: bracket('output', output.isOptional), description: output.description }] : []),
    ],
    async run(context) {
      const inputs = context.args.slice(0, spec.inputs.length);
      const job: Job = { command: spec.name, inputs, output: context.args[spec.inputs.length], options: context.given };
      const paths: string[] = [];
      const made = output?.isFolder && job.output !== undefined ? await makeFolder(job.output) : [];
      const io = makeDiskIo({
        signal: context.io.signal,
        openSearchDevice: async () => (await import('./open-search-device.ts')).openSearchDevice(),
        async checkOutputs(outputs, read) {
          paths.push(...read);
          await context.checkOutputs(outputs, read);
        },
      });
      const { report, files, gate, isUnfit } = await runJob(job, io, {
        onProgress: ({ phase, fraction, eRms }) => context.progress.show({ phase, ratio: fraction, eRms }),
        onNote: (text) => context.note(text),
        onDetail: context.log,
        onInterrupted: () =>
          context.note('interrupted; writing the best result so far (press Ctrl-C again to quit without writing)'),
        signal: context.io.signal,
      }).catch(async (error: unknown) => {
        await removeFolders(made);
        throw error;
      });
      await context.save(files, paths, report);
      context.tell(report);
      context.say(formatSections(spec.describe(report), context));
      if (isUnfit) return EXIT_FAILED;
      if (context.io.signal.aborted || !gate || gate.isMet) return EXIT_DONE;
      context.progress.clear();
      const subject = job.output ?? job.inputs[job.inputs.length - 1];
      const unit = report.inputs.some(({ metresPerUnit }) => metresPerUnit === 1) ? 'm' : 'file units';
      const exceeds = `the ${gate.of === 'rms' ? 'root mean square error' : 'vertex error'} ${formatNumber(gate.max)} ${unit} exceeds the maximum of ${formatNumber(gate.maxError)} ${unit}`;
      context.io.stderr.write(`ossify: ${subject}: ${exceeds}\n`);
      return EXIT_GATE;
    },
  };
}

function formatSections(sections: readonly (ReportTable | string)[], { styles }: CliContext): string {
  const texts = sections.map((section) =>
    typeof section === 'string'
      ? `${section}\n`
      : formatTable(section.rows, { align: section.align, heading: section.hasHeading ? styles.bold : undefined }),
  );
  // an empty line around tables
  return texts
    .map((text, n) => {
      const isApart = n > 0 && (typeof sections[n] !== 'string' || typeof sections[n - 1] !== 'string');
      return isApart ? `\n${text}` : text;
    })
    .join('');
}
