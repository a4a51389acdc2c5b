// SPDX-License-Identifier: MIT

export { makePaperGrid } from './batch/paper-grid.ts';
export { captureCli } from './capture-cli.ts';
export { describeMachine, formatMachine, type Machine } from './terminal/machine.ts';
