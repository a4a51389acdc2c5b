// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import type { Misfit } from '../../../methods/track/measure-misfits.ts';
import { checkMisfits, listMisfitWarnings } from '../judge-misfits.ts';

const GOOD: Misfit = { unexplained: 0, lost: 0, distance: 0, missing: 0, stretch: 0.02, torn: 0 };
const OTHER: Misfit = { unexplained: 0.01, lost: 0.01, distance: 0.1, missing: 0, stretch: 0.3, torn: 0.2 };
const names = ['a', 'b', 'c'];

it('refuses a frame of another object by its name, and a template that fits few frames by its own', () => {
  expect(() => checkMisfits([GOOD, GOOD, GOOD], names, undefined, 'x')).not.toThrow();
  expect(() => checkMisfits([GOOD, OTHER, GOOD], names, 't', 'x')).toThrow(/^b: shows another object .* 23 % .* or x$/);
  expect(() => checkMisfits([GOOD, OTHER, OTHER], names, 't', 'x')).toThrow(/^t: does not fit these frames/);
});

it('allows noise and coarse meshes that do not stretch, and other bodies that are covered', () => {
  const coarse = { ...GOOD, unexplained: 0.15, stretch: 0.08 };
  const similar = { ...GOOD, unexplained: 0.006, stretch: 0.21 };
  expect(() => checkMisfits([coarse, similar, GOOD], names, undefined, 'x')).not.toThrow();
});

it('warns of lost parts, of stretched ones, and of frames that show little', () => {
  const lost = { ...GOOD, lost: 0.03, distance: 0.12 };
  const torn = { ...GOOD, torn: 0.05 };
  const empty = { ...GOOD, missing: 0.5 };
  expect(listMisfitWarnings([lost, torn, empty], names, undefined)).toEqual([
    expect.stringMatching(/^a: a part of the surface was not followed \(3 % of its area, up to 12 % of the box/),
    expect.stringMatching(/^b: parts of the result are stretched .* \(5 % of the lengths\)/),
    expect.stringMatching(/^c: shows only 50 % of the surface/),
  ]);
  expect(listMisfitWarnings([GOOD, GOOD, { ...GOOD, missing: 0.14 }], names, undefined)).toEqual([]);
});

it('warns once of a template with other proportions', () => {
  const torn = { ...GOOD, torn: 0.05 };
  expect(listMisfitWarnings([torn, torn, GOOD], names, 't')).toEqual([
    expect.stringMatching(/^t: differs from the frames in its proportions: up to 5 %/),
  ]);
});
