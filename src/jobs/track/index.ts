// SPDX-License-Identifier: MIT

export { TRACK_DEFAULTS, type TrackedClip, type TrackOptions, track } from './track.ts';
export { trackJob } from './track-job.ts';
