// SPDX-License-Identifier: MIT
// The door ossify/deform: deformers on the CPU, and clips from files that deform.
export { bakeClip } from './deform/bake-clip.ts';
export { makeDualQuaternion } from './deform/dual-quaternion.ts';
export { makeLinearBlend } from './deform/linear-blend.ts';
export { sampleAnimation } from './deform/sample-animation.ts';
