// SPDX-License-Identifier: MIT
export { chooseRest, spreadFrames } from './choose-rest.ts';
export { correctRest, correctRestBy } from './correct-rest.ts';
export { isRestFrame } from './is-rest-frame.ts';
export { REST_FRAMES, SPREAD, settleNoisy } from './settle-noisy.ts';
export { smoothByPatches, smoothTrajectories } from './smooth-trajectories.ts';
