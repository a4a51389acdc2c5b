// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { titleFiles } from '../title-files.ts';

it.each([
  [['Michelle.glb'], 'Michelle.glb'],
  [['walk.obj', 'walk.pc2'], 'walk.obj + .pc2'],
  [['rest.obj', 'motion.pc2'], 'rest.obj + motion.pc2'],
  [['f01.obj', 'f02.obj', 'f03.obj'], 'f01.obj and 2 more'],
])('files %j are called %s', (names, title) => {
  expect(titleFiles(names)).toBe(title);
});
