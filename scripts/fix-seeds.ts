// SPDX-License-Identifier: MIT
// Property tests draw the same cases in every run, so that a failure is a failure of the change at hand. FAST_CHECK_SEED=n draws others.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });
