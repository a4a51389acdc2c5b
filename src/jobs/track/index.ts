// SPDX-License-Identifier: MIT

export { isOtherObject, listMisfitWarnings } from './judge-misfits.ts';
export { measureTracked } from './measure-tracked.ts';
export { prepareFrames } from './prepare-frames.ts';
export { TRACK_DEFAULTS, type TrackedClip, type TrackOptions, track } from './track.ts';
export { trackJob } from './track-job.ts';
export { writeDisplaced } from './write-displaced.ts';
