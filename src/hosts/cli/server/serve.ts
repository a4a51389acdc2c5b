// SPDX-License-Identifier: MIT
import { memorySize } from '../../../core/options/memory-size.ts';
import { count, group, type OptionsOf, option, positive, text } from '../../../core/options/option.ts';
import { HOST_OPTIONS, POOL_OPTIONS, QUEUE_OPTIONS } from '../batch/batch-options.ts';
import { type CliContext, defineCommand } from '../command.ts';

const { attempts: _attempts, ...LIMITS } = POOL_OPTIONS;

const OPTIONS = {
  ...group('Server options:', {
    port: option(count(0, 65_535), 'port; 0 for a free one', { default: 8080 }),
    host: option(text('<address>'), 'address to listen on; others than this machine need 0.0.0.0 or the like', {
      default: '127.0.0.1',
    }),
    token: option(
      text('<text>'),
      'token that requests need (default: the variable OSSIFY_TOKEN, or a new one that is printed)',
    ),
    maxSize: option(memorySize, 'maximum size of a file, such as 500MB (default: 256MB)'),
    maxStorage: option(
      memorySize,
      'maximum size of all files of jobs together, such as 50GB; the oldest results are removed first (default: 10GB)',
    ),
    maxJobs: option(count(1, 100_000), 'maximum jobs that are received, wait or run at once', { default: 100 }),
    keep: option(positive('<seconds>'), 'time for which results are kept', { default: 3600 }),
    folder: option(
      text('<folder>'),
      'folder for files of jobs; with a queue, one that all workers see (default: a temporary one)',
    ),
  }),
  ...LIMITS,
  ...QUEUE_OPTIONS,
  ...HOST_OPTIONS,
};

export type ServeContext = CliContext<OptionsOf<typeof OPTIONS>>;

export const serveCommand = defineCommand({
  name: 'serve',
  summary: 'run jobs over HTTP, for other tools',
  description:
    'Serves jobs over HTTP: POST a file with a command, follow its progress, fetch the result. It listens on this machine alone unless --host is given, and ' +
    'requests need a token. The OpenAPI description is at /openapi.json. It ends with Ctrl-C.',
  arguments: [],
  examples: [
    { line: 'serve', does: 'on port 8080 of this machine, with a new token' },
    { line: 'serve --port 9000 --max-size 1GB --jobs 4', does: 'four jobs at once, larger files' },
    { line: 'serve --queue redis://host --folder /mnt/jobs', does: 'with the workers of a farm' },
  ],
  options: OPTIONS,
  isStoppable: true,
  jsonHelp: 'print the address and the token as JSON',
  hasReport: false,
  async run(context) {
    const { performServe } = await import('./perform-serve.ts');
    return performServe(context);
  },
});
