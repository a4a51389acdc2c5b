// SPDX-License-Identifier: MIT
// Property tests draw cases from the seed that vitest.config.ts chooses. A failure prints the line that repeats it.
import fc from 'fast-check';

fc.configureGlobal({
  seed: Number(process.env.OSSIFY_SEED),
  reporter(details) {
    if (!details.failed) return;
    const report = fc.defaultReportMessage(details);
    throw new Error(`OSSIFY_SEED=${details.seed} npx vitest run <this file> repeats this failure\n${report}`, {
      cause: details.errorInstance,
    });
  },
});
