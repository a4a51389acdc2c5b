// SPDX-License-Identifier: MIT
// The studio in a real browser, as somebody uses it: one build and one browser for all tests.
import { afterAll, beforeAll, describe } from 'vitest';
import { describeFaces } from './describe-faces.ts';
import { describeFeatures } from './describe-features.ts';
import { describeFrames } from './describe-frames.ts';
import { describeHostile } from './describe-hostile.ts';
import { describeLimits } from './describe-limits.ts';
import { describePictures } from './describe-pictures.ts';
import { describeSolving } from './describe-solving.ts';
import { describeStates } from './describe-states.ts';
import { describeViews } from './describe-views.ts';
import { describeWork } from './describe-work.ts';
import { type OpenStudio, openStudio } from './page/open-studio.ts';

/** A software renderer on a busy machine takes its time. */
const PATIENCE = 240_000;

describe('the studio', { timeout: PATIENCE }, () => {
  let open: OpenStudio;
  beforeAll(async () => {
    open = await openStudio();
  });
  afterAll(() => open?.close());

  describe('solves', () => describeSolving(() => open));
  describe('has pictures that', () => describeFrames(() => open));
  describe('works: it', () => describeWork(() => open));
  describe('has tools that', () => describeFeatures(() => open));
  describe('has faces that', () => describeFaces(() => open));
  describe('has states that', () => describeStates(() => open));
  describe('has states that', () => describePictures(() => open));
  describe('under attack: it', () => describeHostile(() => open));
  describe('has views that', () => describeViews(() => open));
  // a software renderer is busy with the frames of its large model for seconds after its page is closed, so it comes last
  describe('costs little: it', () => describeLimits(() => open));
});
