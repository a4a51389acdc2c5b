// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RULES } from '../catalog/list-rules.ts';
import type { Finding } from '../finding.ts';
import { describePlace, settleFindings } from '../finding.ts';
import { GltfPlaces } from '../validator/place-in-gltf.ts';
import { findCodeMeaning } from '../validator/validator-codes.ts';
import { makeCharacter } from './make-character.ts';

const finding = (more: Partial<Finding>): Finding => ({
  ...{ rule: 'a', severity: 'note', place: {}, fault: 'it is wrong', remedy: 'mend it', canFix: true },
  ...more,
});

describe('rules', () => {
  it('have names of their own, and the guide lists each', () => {
    const page = readFileSync('docs/guide/check.md', 'utf8');
    const ids = RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !page.includes(`\`${id}\``))).toEqual([]);
  });

  it('do not change the scene that they check or repair', () => {
    const subject = { scene: makeCharacter(), up: 'y', metresPerUnit: 1 } as const;
    const before = structuredClone(subject.scene);
    for (const rule of RULES) {
      rule.check(subject);
      rule.fix?.(subject);
    }
    expect(subject.scene).toEqual(before);
  });
});

describe('settleFindings', () => {
  it('puts errors first, and joins many that say the same', () => {
    const many = Array.from({ length: 9 }, (_, n) => finding({ place: { node: `n${n}` } }));
    const settled = settleFindings([...many, finding({ rule: 'b', severity: 'error' })]);
    expect(settled.map(({ rule }) => rule)).toEqual(['b', 'a']);
    expect(settled[1].fault).toBe('it is wrong; the same in 8 other places');
  });

  it('lists a dozen places of a rule, and counts the others', () => {
    const many = Array.from({ length: 40 }, (_, n) => finding({ fault: `fault ${n}` }));
    const settled = settleFindings(many);
    expect(settled).toHaveLength(13);
    expect(settled[12].fault).toBe('28 more places, the first: fault 12');
  });
});

describe('places', () => {
  it('are named by mesh, part and vertex', () => {
    expect(describePlace({ mesh: 'Body', part: 1, vertex: 12 })).toBe('mesh "Body", part 1, vertex 12');
    expect(describePlace({ animation: 'walk', where: 'keys' })).toBe('animation "walk", keys');
  });

  it('of accessors are the meshes and animations that use them', () => {
    const places = new GltfPlaces({
      meshes: [{ name: 'Body', primitives: [{ attributes: { NORMAL: 4 }, indices: 3 }] }],
      animations: [{ samplers: [{ input: 5, output: 6 }] }],
    });
    expect(places.find('/accessors/4')).toEqual({ mesh: 'Body', part: 0, where: 'NORMAL' });
    expect(places.find('/accessors/6')).toEqual({ animation: '0' });
    expect(places.find('/accessors/9')).toEqual({ where: '/accessors/9' });
    expect(places.find('/meshes/7/primitives/2')).toEqual({ mesh: '7', part: 2 });
  });

  it('of names that are those of objects in JavaScript are found', () => {
    expect(new GltfPlaces({ meshes: 3, nodes: [null] }).find('/nodes/0')).toEqual({ node: '0' });
    expect(findCodeMeaning('constructor').rule).toBe('gltf-constructor');
  });
});
