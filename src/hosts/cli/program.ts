// SPDX-License-Identifier: MIT
import { Command } from 'commander';
import { ASSET_FORMATS } from '../../formats/assets/index.ts';
import { version } from '../disk/index.ts';
import { type CliCommand, makeCommand } from './command.ts';

export type RunCommand = (spec: CliCommand, args: string[], command: Command) => Promise<void>;

/** Makes commander's program of some commands. It never exits the process: wrong usage is thrown. */
export function makeProgram(commands: readonly CliCommand[], run: RunCommand): Command {
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
  for (const spec of commands) {
    const command = makeCommand(spec)
      .copyInheritedSettings(program)
      .helpOption('-h, --help', 'print help')
      .action(() => run(spec, command.processedArgs.flat().filter(isText), command));
    program.addCommand(command);
  }
  return program;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

const FORMATS = ASSET_FORMATS.flatMap(({ kind, label }) => (kind === 'cache' ? [] : [label])).join(', ');

const HELP = `
An input is a file (${FORMATS}), a mesh with its point caches (rest.obj+motion.pc2, rest.obj+a.mdd,b.mdd), or a sequence
('frames/*.obj', quoted, or a folder of frames, in natural order). Lengths are in file units, or 1mm where the file has units, or 0.5% of the
rest pose's box diagonal.

Files for an engine: --for unreal, unity, godot, blender, web, vrm or ar; \`ossify help presets\` prints what each of them sets.

Exit status: 0 done, 1 the job failed, 2 wrong usage, 3 the quality gate was not met, 130 interrupted.

Examples:
  $ ossify demo out/demo
  $ ossify info model.glb
  $ ossify decompose cloth.abc out.glb --bones 20
  $ ossify decompose rest.obj+motion.pc2 out.glb --bones 20
  $ ossify reduce rig.glb out.glb --influences 4
  $ ossify mush rig.glb out.glb
  $ ossify compress rig.glb out.glb --virtual-bones 200
  $ ossify convert rig.glb out.glb --helpers 4
  $ ossify compare rest.obj+motion.pc2 result.glb --page errors.html
  $ ossify help compare`;
