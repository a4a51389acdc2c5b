// SPDX-License-Identifier: MIT
// Frames as tracking needs them: without floating specks, and with their triangles outward.
import { PointGrid } from '../../core/mesh/geometry/point-grid.ts';
import type { MeshPart } from '../../core/model/mesh/mesh.ts';
import { type Debris, findDebris, type ScanFrame } from '../../methods/track/index.ts';
import { type OrientedFrames, orientFrames } from '../skeleton/index.ts';

/** Frames that are ready for tracking. */
export interface PreparedFrames<Frame extends ScanFrame> extends OrientedFrames<Frame> {
  /** Number of specks that were dropped, and of the frames that had some. */
  debris: { parts: number; frames: number };
}

/**
 * Drops specks of the frames, and orients frames and template.
 * @param template a template that is no frame: its parts are kept
 */
export function prepareFrames<Frame extends ScanFrame>(
  frames: readonly Frame[],
  template?: Frame,
): PreparedFrames<Frame> {
  const debris = findDebris(frames);
  const cleaned = frames.map((frame, k) => (debris[k] ? dropDebris(frame, debris[k]) : frame));
  const found = debris.filter((one) => one !== undefined);
  return {
    ...orientFrames(cleaned, template),
    debris: { parts: found.reduce((sum, { count }) => sum + count, 0), frames: found.length },
  };
}

/** The frame without the triangles of its specks. Their vertices move to the nearest vertex that is left, so that vertices keep their numbers and do not count as points of the body. */
function dropDebris<Frame extends ScanFrame & { parts?: MeshPart[] }>(frame: Frame, { isDebris }: Debris): Frame {
  const triangles = frame.triangles.filter((_, c) => isDebris[Math.floor(c / 3)] === 0);
  const isUsed = new Uint8Array(frame.positions.length / 3);
  for (const i of triangles) isUsed[i] = 1;
  const isLoose = new Uint8Array(isUsed.length);
  for (const [c, i] of frame.triangles.entries()) if (isDebris[Math.floor(c / 3)] === 1) isLoose[i] = 1 - isUsed[i];
  const used = Uint32Array.from(isUsed.keys()).filter((i) => isUsed[i] === 1);
  const grid = new PointGrid(Float32Array.from({ length: 3 * used.length }, (_, c) => coordinateOf(frame, used, c)));
  const positions = frame.positions.slice();
  for (let i = 0; i < isLoose.length; i++) {
    if (isLoose[i] === 0) continue;
    const nearest = 3 * used[grid.findNearest(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2])];
    for (let a = 0; a < 3; a++) positions[3 * i + a] = frame.positions[nearest + a];
  }
  return { ...frame, positions, triangles, ...(frame.parts && { parts: countParts(frame.parts, isDebris) }) };
}

function coordinateOf({ positions }: ScanFrame, vertices: Uint32Array, c: number): number {
  return positions[3 * vertices[Math.floor(c / 3)] + (c % 3)];
}

/** Parts with the triangles that are left. */
function countParts(parts: readonly MeshPart[], isDebris: Uint8Array): MeshPart[] {
  let triangleStart = 0;
  return parts.map((part) => {
    const end = part.triangleStart + part.triangleCount;
    const triangleCount = isDebris.subarray(part.triangleStart, end).reduce((count, x) => count + 1 - x, 0);
    const own = { ...part, triangleStart, triangleCount };
    triangleStart += triangleCount;
    return own;
  });
}
