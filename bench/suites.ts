// SPDX-License-Identifier: MIT
// Every suite of `ossify bench`. A new suite is one more file and one more line here.
import type { BenchSuite } from './bench-suite.ts';
import { collideSuite } from './collide-suite.ts';
import { compressSuite } from './compress-suite.ts';
import { convertSuite } from './convert-suite.ts';
import { ddmSuite } from './ddm-suite.ts';
import { decomposeSuite } from './decompose-suite.ts';
import { elasticSuite } from './elastic-suite.ts';
import { facesSuite } from './faces-suite.ts';
import { kernelsSuite } from './kernels-suite.ts';
import { misfitSuite } from './misfit-suite.ts';
import { noiseSuite } from './noise-suite.ts';
import { scansSuite } from './scans-suite.ts';
import { sizeSuite } from './size-suite.ts';
import { skeletonSuite } from './skeleton-suite.ts';
import { smaSuite } from './sma-suite.ts';
import { trackSuite } from './track-suite.ts';
import { weightsSuite } from './weights-suite.ts';

export const BENCH_SUITES: readonly BenchSuite[] = [
  kernelsSuite,
  decomposeSuite,
  skeletonSuite,
  weightsSuite,
  ddmSuite,
  compressSuite,
  elasticSuite,
  convertSuite,
  smaSuite,
  collideSuite,
  facesSuite,
  noiseSuite,
  sizeSuite,
  trackSuite,
  misfitSuite,
  scansSuite,
];
