// SPDX-License-Identifier: MIT
// The studio in a real browser, as somebody uses it: one build and one browser for all tests.
import { afterAll, beforeAll, describe } from 'vitest';
import { describeSolving } from './describe-solving.ts';
import { describeViews } from './describe-views.ts';
import { type OpenStudio, openStudio } from './open-studio.ts';

describe('the studio', () => {
  let open: OpenStudio;
  beforeAll(async () => {
    open = await openStudio();
  });
  afterAll(() => open?.close());

  describe('solves', () => describeSolving(() => open));
  describe('has views that', () => describeViews(() => open));
});
