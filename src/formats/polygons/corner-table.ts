// SPDX-License-Identifier: MIT

/**
 * Vertices by their combination of point, UV and normal. A hash table with open addressing, so that the time is linear in the
 * number of corners for any file, even one that uses one point with a million UVs.
 */
export class CornerTable {
  vertexCount: number;
  /** A corner with the vertex's combination, -1 if none; longer than vertexCount. */
  readonly cornerOfVertex: Int32Array;
  private readonly positionOfVertex: Uint32Array;
  private readonly positions: Int32Array;
  private readonly uvs: Int32Array;
  private readonly normals: Int32Array | undefined;
  /** Vertex + 1; 0: free. */
  private readonly slots: Uint32Array;
  private partStart = 0;

  /**
   * @param positions cornerCount point indices
   * @param uvs cornerCount UV indices
   * @param normals cornerCount normal indices, if the mesh has normals
   * @param positionCount number of points
   * @param reserved number of first vertices that are points, to be filled by put
   */
  constructor(
    positions: Int32Array,
    uvs: Int32Array,
    normals: Int32Array | undefined,
    positionCount: number,
    reserved: number,
  ) {
    this.positions = positions;
    this.uvs = uvs;
    this.normals = normals;
    this.vertexCount = reserved;
    const most = positionCount + positions.length;
    this.cornerOfVertex = new Int32Array(most).fill(-1);
    this.positionOfVertex = new Uint32Array(most);
    for (let v = 0; v < reserved; v++) this.positionOfVertex[v] = v;
    let size = 16;
    while (size < 2 * most) size *= 2;
    this.slots = new Uint32Array(size);
  }

  put(corner: number, vertex: number): void {
    this.cornerOfVertex[vertex] = corner;
    this.slots[this.slotOf(corner)] = vertex + 1;
  }

  /** The vertex of a corner; a new one if this part has none with its combination. */
  vertexOf(corner: number): number {
    const slot = this.slotOf(corner);
    if (this.slots[slot] === 0) {
      this.slots[slot] = this.vertexCount + 1;
      this.cornerOfVertex[this.vertexCount] = corner;
      this.positionOfVertex[this.vertexCount++] = this.positions[corner];
    }
    return this.slots[slot] - 1;
  }

  appendUnused(position: number): void {
    this.positionOfVertex[this.vertexCount++] = position;
  }

  /** Begins a part: its corners do not share vertices with earlier parts. */
  beginPart(): void {
    this.partStart = this.vertexCount;
  }

  list(): { positionOfVertex: Uint32Array; cornerOfVertex: Int32Array } {
    return {
      positionOfVertex: this.positionOfVertex.slice(0, this.vertexCount),
      cornerOfVertex: this.cornerOfVertex.slice(0, this.vertexCount),
    };
  }

  private slotOf(corner: number): number {
    const { positions, uvs, normals, slots, cornerOfVertex, partStart } = this;
    const mask = slots.length - 1;
    const v = positions[corner];
    const t = uvs[corner];
    const n = normals ? normals[corner] : -1;
    let hash = Math.imul(v, 0x9e3779b1) ^ Math.imul(t + 1, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15) ^ partStart, 0x27d4eb2f) ^ Math.imul(n + 1, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    let slot = (hash ^ (hash >>> 13)) & mask;
    while (slots[slot] !== 0) {
      const vertex = slots[slot] - 1;
      const other = cornerOfVertex[vertex];
      const isSame = positions[other] === v && uvs[other] === t && (!normals || normals[other] === n);
      if (isSame && vertex >= partStart) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
