// SPDX-License-Identifier: MIT
// Every suite of `ossify bench`. A new suite is a file in the folder of its unit and a line here.

import { collideSuite } from './collide/collide-suite.ts';
import { commandsSuite } from './commands/commands-suite.ts';
import { compressSuite } from './compress/compress-suite.ts';
import { convertSuite } from './convert/convert-suite.ts';
import { decomposeSuite } from './decompose/decompose-suite.ts';
import { smaSuite } from './decompose/sma-suite.ts';
import { facesSuite } from './faces/faces-suite.ts';
import { kernelsSuite } from './kernels/kernels-suite.ts';
import { ddmSuite } from './mush/ddm-suite.ts';
import { elasticSuite } from './mush/elastic-suite.ts';
import { noiseSuite } from './noise/noise-suite.ts';
import { weightsSuite } from './reduce/weights-suite.ts';
import { rigsSuite } from './rigs/rigs-suite.ts';
import type { BenchSuite } from './shared/bench-suite.ts';
import { sizeSuite } from './size/size-suite.ts';
import { skeletonSuite } from './skeleton/skeleton-suite.ts';
import { misfitSuite } from './track/misfit-suite.ts';
import { scansSuite } from './track/scans-suite.ts';
import { trackSuite } from './track/track-suite.ts';

export const BENCH_SUITES: readonly BenchSuite[] = [
  kernelsSuite,
  commandsSuite,
  decomposeSuite,
  skeletonSuite,
  rigsSuite,
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
