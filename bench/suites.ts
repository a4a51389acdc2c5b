// SPDX-License-Identifier: MIT
// Every suite of `ossify bench`. A new suite is one more file and one more line here.
import type { BenchSuite } from './bench-suite.ts';
import { collideSuite } from './collide-suite.ts';
import { decomposeSuite } from './decompose-suite.ts';
import { facesSuite } from './faces-suite.ts';
import { kernelsSuite } from './kernels-suite.ts';
import { smaSuite } from './sma-suite.ts';

export const BENCH_SUITES: readonly BenchSuite[] = [kernelsSuite, decomposeSuite, smaSuite, collideSuite, facesSuite];
