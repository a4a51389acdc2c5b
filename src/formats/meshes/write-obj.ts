// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';
import { checkMesh, type Mesh } from '../../core/model/mesh/mesh.ts';

/** Options of writeObj. */
export interface WriteObjOptions {
  /** Positions to write instead of those of the mesh, for a frame of a clip: vertexCount x 3. Normals are not written then. */
  positions?: Float32Array;
}

/** Lines per block. A single string would need twice the memory for a large mesh. */
const BLOCK = 4096;

/**
 * Writes a mesh as OBJ: positions (exact float32), colours, UVs, normals, and a material name per part. Vertices and
 * triangles keep their order, with one v line per vertex, so that point caches of the mesh match the file.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { frameCountOf, frameOf, writeObj } from 'ossify';
 *
 * for (let k = 0; k < frameCountOf(clip); k++)
 *   await writeFile(`frame-${k}.obj`, writeObj(clip.mesh, { positions: frameOf(clip, k) }));
 * ```
 */
export function writeObj(mesh: Mesh, options: WriteObjOptions = {}): Uint8Array<ArrayBuffer> {
  checkMesh(mesh);
  const positions = options.positions ?? mesh.positions;
  if (positions.length !== mesh.positions.length) {
    throw new InputError('writeObj', `${mesh.positions.length / 3} vertices expected, got ${positions.length / 3}`);
  }
  const normals = options.positions ? undefined : mesh.normals;
  const uvs = mesh.attributes.find((a) => a.name === 'TEXCOORD_0' && a.size === 2)?.values;
  const colors = mesh.attributes.find((a) => a.name === 'COLOR_0' && a.size >= 3);
  const text = new TextBlocks();
  text.add(`o ${oneLine(mesh.name)}`);
  const vertexCount = mesh.positions.length / 3;
  for (let i = 0; i < vertexCount; i++) {
    const color = colors ? ` ${numbers(colors.values, i * colors.size, 3)}` : '';
    text.add(`v ${numbers(positions, 3 * i, 3)}${color}`);
  }
  // OBJ counts v from the bottom of the picture, glTF from the top.
  if (uvs)
    for (let i = 0; i < vertexCount; i++) text.add(`vt ${short(uvs[2 * i])} ${short(Math.fround(1 - uvs[2 * i + 1]))}`);
  if (normals) for (let i = 0; i < vertexCount; i++) text.add(`vn ${numbers(normals, 3 * i, 3)}`);
  const corner = (i: number): string => {
    const n = i + 1;
    return normals ? `${n}/${uvs ? n : ''}/${n}` : uvs ? `${n}/${n}` : `${n}`;
  };
  const hasMaterials = mesh.parts.some((part) => part.material !== '');
  for (const part of mesh.parts) {
    if (mesh.parts.length > 1) text.add(`g ${oneLine(part.name)}`);
    if (hasMaterials) text.add(`usemtl ${oneLine(part.material)}`.trimEnd());
    for (let f = part.triangleStart; f < part.triangleStart + part.triangleCount; f++) {
      const [a, b, c] = [mesh.triangles[3 * f], mesh.triangles[3 * f + 1], mesh.triangles[3 * f + 2]];
      text.add(`f ${corner(a)} ${corner(b)} ${corner(c)}`);
    }
  }
  return text.toBytes();
}

class TextBlocks {
  private lines: string[] = [];
  private readonly blocks: Uint8Array[] = [];
  private readonly encoder = new TextEncoder();

  add(line: string): void {
    this.lines.push(line);
    if (this.lines.length === BLOCK) this.flush();
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    this.flush();
    const bytes = new Uint8Array(this.blocks.reduce((sum, block) => sum + block.length, 0));
    let at = 0;
    for (const block of this.blocks) {
      bytes.set(block, at);
      at += block.length;
    }
    return bytes;
  }

  private flush(): void {
    if (this.lines.length > 0) this.blocks.push(this.encoder.encode(`${this.lines.join('\n')}\n`));
    this.lines = [];
  }
}

function numbers(values: Float32Array, start: number, count: number): string {
  let text = short(values[start]);
  for (let c = 1; c < count; c++) text += ` ${short(values[start + c])}`;
  return text;
}

/** The shortest decimal that reads back as the same float32; nine digits always do. */
function short(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}

/** Removes line breaks, comments and continuations from a name. */
function oneLine(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return name.replace(/[\u0000-\u001f\u007f\\#]+/g, ' ').trim();
}
