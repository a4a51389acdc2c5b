// SPDX-License-Identifier: MIT
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '../../../core/model/errors.ts';
import { count, flag, group, option } from '../../../core/options/option.ts';
import { COMMON_OPTIONS, READ_OPTIONS } from '../../../jobs/engine/index.ts';
import { type CliContext, defineCommand } from '../command.ts';
import { EXIT_DONE } from '../terminal/exit-status.ts';
import { listViewInput } from './view-inputs.ts';
import { startViewServer, type ViewServer } from './view-server.ts';

export const viewCommand = defineCommand({
  name: 'view',
  summary: 'open the studio on files: see them move, solve, compare, pose, export',
  description:
    'Serves the studio on a free port of this machine and opens it in the browser. It serves the files it was given and no others, to this machine alone; ' +
    'what is solved there stays in the page until it is exported. It ends with Ctrl-C.',
  arguments: [{ name: '[inputs...]', description: "files, rest.obj+motion.pc2, 'frames/*.obj'; several are compared" }],
  examples: [
    { line: 'view', does: 'the studio, with its samples' },
    { line: 'view walk.glb', does: 'a file' },
    {
      line: 'view rest.obj+motion.pc2 result.glb --fps 30',
      does: 'an animation and what was made of it, side by side',
    },
    { line: 'view --no-open --port 8080', does: 'for a browser that you open yourself' },
  ],
  isStoppable: true,
  jsonHelp: 'print the address and the names of the files as JSON',
  hasReport: false,
  options: {
    ...group('Server options:', {
      noOpen: option(flag, 'do not open the browser'),
      port: option(count(0, 65_535), 'port', { default: 0, defaultText: 'a free one' }),
    }),
    ...READ_OPTIONS,
    ...COMMON_OPTIONS,
  },
  async run(context) {
    const { options, args } = context;
    const { signal } = context.io;
    const inputs = await Promise.all(args.map((input) => listViewInput(input, options)));
    const folder = findStudio(context as CliContext<never>);
    const server = await listen(folder, inputs, options.port);
    try {
      context.tell({ url: server.url, files: inputs.map(({ files }) => files.map(({ name }) => name)) });
      context.say(`Ossify Studio is at ${server.url} (Ctrl-C ends it)`);
      if (!options.noOpen) openBrowser(server.url, context as CliContext<never>);
      context.progress.clear();
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
    } finally {
      await server.close();
    }
    return EXIT_DONE;
  },
});

/** The folder of the built page: OSSIFY_STUDIO, or beside the folder of this file in the package, or dist of a checkout. */
function findStudio({ io }: CliContext<never>): string {
  const given = io.environment.OSSIFY_STUDIO;
  const own = ['../../../studio/', '../../../../dist/studio/'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const folders = given ? [given] : own;
  const found = folders.find((folder) => existsSync(join(folder, 'index.html')));
  if (found === undefined) throw new InputError('view', 'the studio is not built; run npm run build first');
  return found;
}

async function listen(...[folder, inputs, port]: Parameters<typeof startViewServer>): Promise<ViewServer> {
  try {
    return await startViewServer(folder, inputs, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const why = code === 'EACCES' ? 'may not be used' : 'is in use';
    throw new InputError('view', `port ${port} ${why}; give another --port, or none for a free one`, { cause: error });
  }
}

/** Opens an address in the browser. Without a desktop nothing happens; the address is printed anyway. */
function openBrowser(url: string, { note }: CliContext<never>): void {
  const [program, ...words] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  const child = spawn(program, words, { stdio: 'ignore', detached: true });
  child.on('error', () => note(`no browser could be opened; open ${url} yourself`));
  child.unref();
}
