// SPDX-License-Identifier: MIT
export { type Misfit, measureMisfits } from './measure-misfits.ts';
export { frameIndexOf, isFrameIndex, TRACK_OPTIONS, type TrackValues } from './options.ts';
export { DeviceSearch } from './register/device-search.ts';
export { FrameProjector } from './register/frame-projector.ts';
export { OwnedSearchers } from './register/owned-searchers.ts';
export type { ScanFrame } from './register/scan-frame.ts';
export { type NearestFound, type PointSearch, SurfaceSearch } from './register/surface-search.ts';
export { type Debris, findDebris } from './template/find-debris.ts';
export { trackFrames } from './track-frames.ts';
export type { TrackInput, TrackResult } from './track-input.ts';
export { trackMethod } from './track-method.ts';
