// SPDX-License-Identifier: MIT
import { Command } from 'commander';
import { benchCommand } from './bench.ts';
import { type CommandSpec, type CommonOptions, makeCommand } from './command.ts';
import { compareCommand } from './compare.ts';
import { completionCommand } from './completion.ts';
import { compressCommand } from './compress.ts';
import { convertCommand } from './convert.ts';
import { decomposeCommand } from './decompose.ts';
import { demoCommand } from './demo.ts';
import { drawCommand } from './draw.ts';
import { infoCommand } from './info.ts';
import { mushCommand } from './mush.ts';
import { version } from './package-version.ts';
import { reduceCommand } from './reduce.ts';
import { sampleCommand } from './sample.ts';
import { skeletonCommand } from './skeleton.ts';
import { viewCommand } from './view.ts';

/** Every command, in the order the help lists them. */
export const COMMANDS: readonly CommandSpec[] = [
  infoCommand,
  decomposeCommand,
  skeletonCommand,
  reduceCommand,
  mushCommand,
  compressCommand,
  convertCommand,
  compareCommand,
  drawCommand,
  viewCommand,
  sampleCommand,
  demoCommand,
  benchCommand,
  completionCommand,
];

export type RunCommand = (spec: CommandSpec, args: string[], options: CommonOptions) => Promise<void>;

/** Makes commander's program. It never exits the process: wrong usage is thrown. */
export function makeProgram(run: RunCommand): Command {
  const program = new Command('ossify')
    .description('Gives bones to anything that moves: animated meshes and heavy rigs become small skinning models.')
    .usage('<command> <input> [<output>] [options]')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .showHelpAfterError(false)
    .showSuggestionAfterError(true)
    .allowExcessArguments(false)
    .exitOverride()
    .addHelpText('after', HELP);
  for (const spec of COMMANDS) {
    const command = makeCommand(spec)
      .copyInheritedSettings(program)
      .helpOption('-h, --help', 'print help')
      .action(() => run(spec, command.processedArgs.flat().filter(isText), command.opts<CommonOptions>()));
    program.addCommand(command);
  }
  return program;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

const HELP = `
An input is a file (GLB, glTF, OBJ), a mesh with its point caches (rest.obj+motion.pc2, rest.obj+a.mdd,b.mdd), or a sequence
('frames/*.obj', quoted, in natural order). Lengths are in file units, or 1mm where the file has units, or 0.5% of the rest
pose's box diagonal.

Exit status: 0 done, 1 the job failed, 2 wrong usage, 3 the quality gate was not met, 130 interrupted.

Examples:
  $ ossify demo out/demo
  $ ossify info model.glb
  $ ossify decompose rest.obj+motion.pc2 out.glb --bones 20
  $ ossify reduce rig.glb out.glb --influences 4
  $ ossify mush rig.glb out.glb
  $ ossify compress rig.glb out.glb --virtual-bones 200
  $ ossify convert rig.glb out.glb --helpers 4
  $ ossify compare rest.obj+motion.pc2 result.glb --page errors.html
  $ ossify help compare`;
