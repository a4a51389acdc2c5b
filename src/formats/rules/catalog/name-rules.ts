// SPDX-License-Identifier: MIT
import type { Scene } from '../../gltf/index.ts';
import type { Place } from '../finding.ts';
import type { Fault, Rule, Subject } from '../rule.ts';
import { animationName, listJoints, nodeName, shapeName } from './scene-facts.ts';

/** Control characters, and marks that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
/** Longest name that FBX and the engines that read it take without a limit of their own. */
const LONGEST = 255;

/** All names of a scene that programs look things up by. */
interface NameList {
  names: readonly string[];
  placeOf(index: number): Place;
  /** Whether a fault in it is a warning. */
  isGrave(index: number): boolean;
}

function listNames({ scene, added }: Subject): NameList[] {
  const joints = listJoints(scene);
  const { nodes, animations, look, shapes } = scene;
  return [
    {
      names: nodes.names.map((name, n) => (n === added ? '' : name)),
      placeOf: (n) => (joints.has(n) ? { joint: nodeName(nodes, n) } : { node: nodeName(nodes, n) }),
      isGrave: (n) => joints.has(n),
    },
    {
      names: animations.map(({ name }) => name),
      placeOf: (a) => ({ animation: animationName(scene, a) }),
      isGrave: () => animations.length > 1,
    },
    {
      names: look.materials.map(({ name }) => name),
      placeOf: (m) => ({ material: look.materials[m].name || String(m) }),
      isGrave: () => false,
    },
    ...shapes.map((shape) => ({
      names: shape.targets.map(({ name }) => name),
      placeOf: (t: number) => ({ mesh: shapeName(scene, shape), morph: shape.targets[t].name || String(t) }),
      isGrave: () => true,
    })),
  ];
}

/** Gives every name of a scene a new one, list by list. */
function rename(scene: Scene, change: (names: readonly string[], kind: string) => string[]): Scene {
  const nodes = change(scene.nodes.names, 'node');
  const animations = change(
    scene.animations.map(({ name }) => name),
    'animation',
  );
  const materials = change(
    scene.look.materials.map(({ name }) => name),
    'material',
  );
  return {
    ...scene,
    nodes: { ...scene.nodes, names: nodes },
    animations: scene.animations.map((one, n) => ({ ...one, name: animations[n] })),
    look: { ...scene.look, materials: scene.look.materials.map((one, n) => ({ ...one, name: materials[n] })) },
    shapes: scene.shapes.map((shape) => {
      const targets = change(
        shape.targets.map(({ name }) => name),
        'target',
      );
      return { ...shape, targets: shape.targets.map((one, t) => ({ ...one, name: targets[t] })) };
    }),
  };
}

/** The names, with a number behind each that was there before. */
function makeUnique(names: readonly string[]): string[] {
  const all = new Set(names);
  const used = new Set<string>();
  const next = new Map<string, number>();
  return names.map((name) => {
    if (name === '' || !used.has(name)) {
      used.add(name);
      return name;
    }
    let number = next.get(name) ?? 2;
    while (all.has(`${name}_${number}`)) number++;
    next.set(name, number + 1);
    const made = `${name}_${number}`;
    all.add(made);
    used.add(made);
    return made;
  });
}

const emptyNames: Rule = {
  id: 'name-empty',
  severity: 'note',
  title: 'Joints, animations and morph targets have names',
  remedy: 'name it: clips are played on other characters by these names',
  check(subject) {
    return listNames(subject).flatMap(({ names, placeOf, isGrave }) =>
      names.flatMap((name, n): Fault[] =>
        name === '' && isGrave(n) ? [{ place: placeOf(n), fault: 'it has no name', severity: 'warning' }] : [],
      ),
    );
  },
  fix({ scene }) {
    return rename(scene, (names, kind) => makeUnique(names.map((name, n) => name || `${kind}_${n}`)));
  },
};

const sameNames: Rule = {
  id: 'name-duplicate',
  severity: 'note',
  title: 'Names are unique among nodes, animations, materials and the morph targets of a mesh',
  remedy: 'give each a name of its own',
  check(subject) {
    return listNames(subject).flatMap(({ names, placeOf, isGrave }) => {
      const places = new Map<string, number[]>();
      names.forEach((name, n) => {
        if (name === '') return;
        const known = places.get(name);
        if (known) known.push(n);
        else places.set(name, [n]);
      });
      return [...places.values()].flatMap((same): Fault[] => {
        if (same.length < 2) return [];
        const isBad = same.filter(isGrave).length > 1;
        const fault = `${same.length} have this name`;
        return [{ place: placeOf(same[0]), fault, ...(isBad ? { severity: 'warning' } : {}) }];
      });
    });
  },
  fix: ({ scene }) => rename(scene, makeUnique),
};

const oddNames: Rule = {
  id: 'name-characters',
  severity: 'warning',
  title: `Names have no control characters, and at most ${LONGEST} characters`,
  remedy: 'rename it',
  check(subject) {
    return listNames(subject).flatMap(({ names, placeOf }) =>
      names.flatMap((name, n): Fault[] => {
        if (CONTROL.test(name)) return [{ place: placeOf(n), fault: 'its name has control characters' }];
        if (name.length > LONGEST)
          return [{ place: placeOf(n), fault: `its name has ${name.length} characters, more than ${LONGEST}` }];
        return [];
      }),
    );
  },
  fix({ scene }) {
    const mend = (name: string): string =>
      [...name.slice(0, LONGEST)].map((character) => (CONTROL.test(character) ? '_' : character)).join('');
    return rename(scene, (names) => names.map(mend));
  },
};

/** Rules about names. */
export const NAME_RULES: readonly Rule[] = [oddNames, emptyNames, sameNames];
