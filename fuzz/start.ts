// SPDX-License-Identifier: MIT
// Counts allocations before anything else is loaded: see track-allocations.ts.
import { trackAllocations } from './run/track-allocations.ts';

trackAllocations();
// Without await: the other chunks of the bundle import this one.
import('./main.ts').then(({ run }) => run());
