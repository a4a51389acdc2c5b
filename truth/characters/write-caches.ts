// SPDX-License-Identifier: MIT
// The three plainest formats of stored positions, written and read here once more: the readers and writers of src/ are what is tested.

/** A mesh of triangles as OBJ. */
export function writeObjFile(positions: ArrayLike<number>, indices: ArrayLike<number>): Uint8Array {
  const lines: string[] = [];
  for (let i = 0; i < positions.length; i += 3) lines.push(`v ${positions[i]} ${positions[i + 1]} ${positions[i + 2]}`);
  for (let c = 0; c < indices.length; c += 3)
    lines.push(`f ${indices[c] + 1} ${indices[c + 1] + 1} ${indices[c + 2] + 1}`);
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

export function writePc2File(frames: readonly Float32Array[]): Uint8Array {
  const size = frames[0].length;
  const out = new DataView(new ArrayBuffer(32 + 4 * size * frames.length));
  new Uint8Array(out.buffer).set(new TextEncoder().encode('POINTCACHE2'));
  out.setInt32(12, 1, true);
  out.setInt32(16, size / 3, true);
  out.setFloat32(20, 0, true);
  out.setFloat32(24, 1, true);
  out.setInt32(28, frames.length, true);
  frames.forEach((frame, f) => {
    frame.forEach((value, c) => {
      out.setFloat32(32 + 4 * (f * size + c), value, true);
    });
  });
  return new Uint8Array(out.buffer);
}

export function writeMddFile(frames: readonly Float32Array[], fps: number): Uint8Array {
  const size = frames[0].length;
  const out = new DataView(new ArrayBuffer(8 + 4 * frames.length * (size + 1)));
  out.setInt32(0, frames.length);
  out.setInt32(4, size / 3);
  frames.forEach((frame, f) => {
    out.setFloat32(8 + 4 * f, f / fps);
    frame.forEach((value, c) => {
      out.setFloat32(8 + 4 * (frames.length + f * size + c), value);
    });
  });
  return new Uint8Array(out.buffer);
}
