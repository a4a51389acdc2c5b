// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { renumberBones } from '../remove-bones.ts';

it('numbers the bones that are left, without those that are removed', () => {
  expect(renumberBones(new Set([0, 5, 6, 9, 12]), [9, 5])).toEqual(new Set([0, 5, 10]));
  expect(renumberBones(new Set([5]), [5])).toEqual(new Set());
});
