// SPDX-License-Identifier: MIT
// --controllers and --drivers: files beside the model that set its drivers up elsewhere.
import { jsonText, type OutputFile } from '../engine/index.ts';

interface ScriptOptions {
  controllers?: string;
  drivers?: string;
}

/** How the contents are made; file is the name of the model's file. */
interface ScriptMakers {
  controllers(): object;
  drivers(file: string): string;
}

const pathOf = (output: string, tool: string): string => output.replace(/\.[^.]*$/, `.${tool}.py`);

/** The paths of the files that are written beside the output. */
export function listScripts(output: string, { controllers, drivers }: ScriptOptions): string[] {
  return [
    ...(controllers === undefined ? [] : [controllers]),
    ...(drivers === undefined ? [] : [pathOf(output, drivers)]),
  ];
}

/** The files that are written beside the output. */
export function makeScripts(output: string, { controllers, drivers }: ScriptOptions, make: ScriptMakers): OutputFile[] {
  const files: OutputFile[] = [];
  if (controllers !== undefined) files.push({ path: controllers, bytes: `${jsonText(make.controllers())}\n` });
  if (drivers !== undefined)
    files.push({ path: pathOf(output, drivers), bytes: make.drivers(output.replace(/^.*[/\\](?=.)/, '')) });
  return files;
}
