// SPDX-License-Identifier: MIT
// The API reference is complete: functions have a sentence, and types that they mention can be imported.
import { fileURLToPath } from 'node:url';
import { Application, Logger, type LogLevel, ReflectionKind } from 'typedoc';
import { beforeAll, describe, expect, it } from 'vitest';

/** Rooms whose public functions, types and fields are documented and whose types are exported. */
const COMPLETE = ['correct', 'ddm', 'draw', 'metric', 'rig', 'sample', 'skeleton', 'weights'];
/** Rooms whose public functions and types are documented and whose types are exported; their fields are not checked yet. */
const ROOMS = [...COMPLETE, 'gpu', 'recipe'];

class Collector extends Logger {
  readonly lines: string[] = [];
  override log(message: string, level: LogLevel): void {
    if (level >= 2) this.lines.push(message);
  }
}

describe('the API reference', () => {
  const collector = new Collector();
  let modules: string[] = [];

  beforeAll(async () => {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const application = await Application.bootstrap({
      options: `${folder}/typedoc.json`,
      validation: { notDocumented: true, notExported: true, invalidLink: false, invalidPath: true },
      requiredToBeDocumented: [
        'Class',
        'Function',
        'Interface',
        'TypeAlias',
        'Variable',
        'Method',
        'CallSignature',
        'Module',
        'Property',
      ],
    });
    application.logger = collector;
    const project = await application.convert();
    if (!project) throw new Error(collector.lines.join('\n'));
    modules = project.getReflectionsByKind(ReflectionKind.Module).map((module) => module.name);
    application.validate(project);
  });

  const listOf = (fault: RegExp, rooms: readonly string[] = ROOMS): string[] =>
    collector.lines.filter((line) => fault.test(line) && rooms.some((room) => line.includes(`/src/${room}/`)));

  it('has a module for every door', () => {
    expect(modules).toEqual(['ossify', 'ossify/deform', 'ossify/draw', 'ossify/gpu', 'ossify/sample', 'ossify/three']);
  });

  it('has a sentence for every public name', () => {
    // TypeDoc loses the comments of members behind Partial<…>, and takes them for properties
    expect(listOf(/(?<!\(Property\)), .* does not have any documentation/)).toEqual([]);
  });

  it('has a sentence for every field', () => {
    // fields of anonymous types are described with the field that has the type
    expect(listOf(/^(?!.*__type).*\(Property\), .* does not have any documentation/, COMPLETE)).toEqual([]);
  });

  it('has every type that a public name mentions', () => {
    expect(listOf(/is referenced by .* but not included/)).toEqual([]);
  });
});
