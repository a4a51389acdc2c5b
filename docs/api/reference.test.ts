// SPDX-License-Identifier: MIT
// The API reference is complete: public names have a sentence, functions have an example, and types that they mention can be imported.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  Application,
  type DeclarationReflection,
  Logger,
  type LogLevel,
  type ProjectReflection,
  ReflectionKind,
  type SignatureReflection,
} from 'typedoc';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeNamesPage } from './build-names.mjs';

/** Functions that need no example: checks, counts and views of one model, and those that the example of another function shows. */
const OBVIOUS: readonly (string | RegExp)[] = [
  /^check[A-Z]/,
  /Of$/,
  'makeLooseSkeleton',
  'makeTimes', // makeMesh
  'cagePoseInto', // bindToCage
  'makeCageDeformer', // bindToCage
  'restDisplacements', // makePoseSpace
];

class Collector extends Logger {
  readonly lines: string[] = [];
  override log(message: string, level: LogLevel): void {
    if (level >= 2) this.lines.push(message);
  }
}

/** A name with its group, such as deformers: ossify/deform.makeDdm. */
function placeOf(reflection: DeclarationReflection): string {
  const file = reflection.sources?.[0]?.fullFileName ?? '';
  const group = /\/src\/(\w+)\//.exec(file)?.[1] ?? 'entry';
  return `${group}: ${reflection.getFriendlyFullName()}`;
}

function listNames(project: ProjectReflection): DeclarationReflection[] {
  return (project.children ?? []).flatMap((module) => module.children ?? []);
}

/** Members of classes and of options. The sentence of a class is also that of its constructor. */
function listMembers(project: ProjectReflection): DeclarationReflection[] {
  return listNames(project)
    .filter((one) => one.kindOf(ReflectionKind.Class) || one.name.endsWith('Options'))
    .flatMap((one) => one.children ?? [])
    .filter((member) => !member.flags.isExternal && !member.kindOf(ReflectionKind.Constructor));
}

/** What a comment can be attached to: the signatures of a function, the accessors of a property, or the name itself. */
function listDocumented(one: DeclarationReflection): (DeclarationReflection | SignatureReflection)[] {
  const signatures = [...(one.signatures ?? []), one.getSignature, one.setSignature].filter(
    (each) => each !== undefined,
  );
  return signatures.length > 0 ? signatures : [one];
}

describe('the API reference', () => {
  const collector = new Collector();
  let project: ProjectReflection;

  beforeAll(async () => {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const application = await Application.bootstrap({
      options: `${folder}/typedoc.json`,
      validation: { notDocumented: false, notExported: true, invalidLink: false, invalidPath: true },
    });
    application.logger = collector;
    const converted = await application.convert();
    if (!converted) throw new Error(collector.lines.join('\n'));
    project = converted;
    application.validate(project);
  });

  it('has a module for every entry point', () => {
    const modules = project.getReflectionsByKind(ReflectionKind.Module).map((module) => module.name);
    expect(modules).toEqual([
      'ossify',
      ...['batch', 'collide', 'deform', 'draw', 'gpu', 'sample', 'three'].map((entry) => `ossify/${entry}`),
    ]);
  });

  it('is the page of exported names in docs/reference/api.md (npm run docs:names)', () => {
    expect(readFileSync(new URL('../reference/api.md', import.meta.url), 'utf8')).toBe(makeNamesPage(project));
  });

  const isBare = (one: DeclarationReflection) => listDocumented(one).some((each) => !each.hasComment());

  it('has a sentence for every public name', () => {
    expect(listNames(project).filter(isBare).map(placeOf)).toEqual([]);
  });

  it('has a sentence for every member of a class or of options', () => {
    expect(listMembers(project).filter(isBare).map(placeOf)).toEqual([]);
  });

  it('has every type that a public name mentions', () => {
    expect(collector.lines.filter((line) => line.includes('is referenced by'))).toEqual([]);
  });

  it('has an example for every function that its signature does not explain', () => {
    const isObvious = ({ name }: DeclarationReflection) =>
      OBVIOUS.some((one) => (typeof one === 'string' ? one === name : one.test(name)));
    const hasExample = (one: DeclarationReflection) =>
      listDocumented(one).some((each) => each.comment?.getTag('@example'));
    const bare = listNames(project).filter(
      (one) => one.kindOf(ReflectionKind.Function) && !isObvious(one) && !hasExample(one),
    );
    expect(bare.map(placeOf)).toEqual([]);
  });
});
