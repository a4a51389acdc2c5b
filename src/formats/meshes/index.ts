// SPDX-License-Identifier: MIT
export { makePointFrame } from './make-point-frame.ts';
export { parseDecimal } from './parse-decimal.ts';
export { readMeshFrame } from './read-mesh-frame.ts';
export { type WriteObjOptions, writeObj } from './write-obj.ts';
