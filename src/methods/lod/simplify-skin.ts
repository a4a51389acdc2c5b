// SPDX-License-Identifier: MIT
// Simplifies a skinned mesh by edge collapses (Garland and Heckbert 1997 and 1998), over all poses of its animations instead of the rest pose alone. The point
// at the end of a collapsed edge keeps its vertices with all their data: weights stay convex and as sparse as before, and UVs, colours, morph targets and
// corrections stay valid. Only its rest position moves, to the minimum of the quadrics of all poses (frame-quadrics.ts).

import { makePauseForEvents } from '../../core/compute/pause-for-events.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Weld } from '../../core/mesh/topology/weld.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { MeshLevel } from '../../core/model/mesh/mesh-level.ts';
import { BinaryHeap } from '../../fit/clusters/index.ts';
import { MAP_SIZE, type VertexMaps } from '../../measure/index.ts';
import { AttributeQuadrics } from './attribute-quadrics.ts';
import { evaluateQuadric, FrameQuadrics, minimizeQuadric, QUADRIC_SIZE } from './frame-quadrics.ts';
import { PointMesh } from './point-mesh.ts';

/** Options of simplifySkin. */
export interface SimplifyOptions {
  /** Numbers of triangles at which a level is kept, falling. */
  counts: readonly number[];
  /** Weight of distances in UVs and colours, relative to distances in space. */
  attributes: number;
  /** Called with a ratio from 0 to 1. */
  onProgress?(ratio: number): void;
  /** Ends the work; levels that were reached are kept. */
  signal?: AbortSignal;
}

/** Weight of planes across borders and seams, relative to those of triangles of the size of the edge. */
const BORDER_WEIGHT = 2;
/** How strongly a vertex stays in its place where the quadrics are flat, relative to their trace. */
const STIFFNESS = 1e-3;
/** A collapse must not turn a triangle by more in any pose: the cosine of 78 degrees. */
const MIN_TURN = 0.2;
/**
 * Ratios of the poses in which a triangle may turn by more: the next one is used when no other collapse is left. Joints that bend far crush triangles, and these turn easily:
 * without it, two avatars of 2,164 and 3,944 triangles stopped above a tenth of them in 48 poses within joint ranges.
 */
const TURNED_POSES = [0, 0.1, 0.25, 0.5];
/**
 * The cost of a collapse is the quadric, an area times a squared distance, over this power of the area: 0 is Garland and Heckbert's, 1 a squared distance. By
 * 0.5 the largest distance fell on horse-gallop and the sample creature, and the mean on those, fox, bird and Michelle.
 */
const SPREAD = 0.5;
/** Collapses between two checks of the signal. */
const BLOCK = 256;

interface Candidate {
  cost: number;
  from: number;
  to: number;
  stamp: number;
  x: number;
  y: number;
  z: number;
}

/**
 * Simplifies a mesh that moves. Returns a level per count, in order; the last ones are missing if the surface cannot be simplified further, or if the
 * signal ends the work. The first one then has more triangles than its count.
 * @param maps how each vertex moves in some poses
 * @param weld vertices that are in one place in all poses
 */
export function simplifySkin(mesh: Mesh, maps: VertexMaps, weld: Weld, options: SimplifyOptions): Promise<MeshLevel[]> {
  return new Simplifier(mesh, maps, weld, options).run();
}

class Simplifier {
  readonly #mesh: Mesh;
  readonly #maps: VertexMaps;
  readonly #weld: Weld;
  readonly #options: SimplifyOptions;
  readonly #surface: PointMesh;
  readonly #quadrics: FrameQuadrics;
  readonly #attributes: AttributeQuadrics;
  /** pointCount x 3: rest positions */
  readonly #rest: Float64Array;
  /** pointCount x frameCount x 3 */
  readonly #posed: Float32Array;
  /** pointCount: raised when a point changes; older candidates are void */
  readonly #stamps: Uint32Array;
  /** pointCount: weight of the planes of its quadrics */
  readonly #areas: Float64Array;
  readonly #heap = new BinaryHeap<Candidate>(
    (a, b) => a.cost < b.cost || (a.cost === b.cost && (a.from < b.from || (a.from === b.from && a.to < b.to))),
  );
  /** Index into TURNED_POSES. */
  #phase = 0;
  readonly #quadric = new Float64Array(QUADRIC_SIZE);
  readonly #best = new Float64Array(3);

  constructor(mesh: Mesh, maps: VertexMaps, weld: Weld, options: SimplifyOptions) {
    this.#mesh = mesh;
    this.#maps = maps;
    this.#weld = weld;
    this.#options = options;
    const { pointCount, vertexOfPoint } = weld;
    this.#surface = new PointMesh(mesh.triangles, weld);
    this.#quadrics = new FrameQuadrics(pointCount, maps.frameCount);
    this.#attributes = new AttributeQuadrics(mesh, options.attributes, measureBounds(mesh.positions).diagonal);
    this.#rest = new Float64Array(3 * pointCount);
    this.#posed = new Float32Array(3 * pointCount * maps.frameCount);
    this.#stamps = new Uint32Array(pointCount);
    this.#areas = new Float64Array(pointCount);
    for (let p = 0; p < pointCount; p++)
      this.#place(p, mesh.positions.subarray(3 * vertexOfPoint[p], 3 * vertexOfPoint[p] + 3));
  }

  async run(): Promise<MeshLevel[]> {
    const { counts, onProgress, signal } = this.#options;
    const surface = this.#surface;
    for (let t = 0; t < surface.isAlive.length; t++) if (surface.isAlive[t]) this.#addTriangle(t);
    this.#proposeAll();
    const levels: MeshLevel[] = [];
    const pause = makePauseForEvents();
    if (surface.triangleCount === 0)
      throw new InputError('levels', 'its triangles have no area in any pose, so there is no surface to simplify');
    const [first, last] = [surface.triangleCount, counts[counts.length - 1]];
    for (let n = 0; levels.length < counts.length; n++) {
      if (surface.triangleCount <= counts[levels.length]) {
        levels.push(this.#keep());
        continue;
      }
      if (n % BLOCK === 0) {
        await pause();
        if (signal?.aborted) break;
        onProgress?.((first - surface.triangleCount) / Math.max(1, first - last));
      }
      const next = this.#heap.pop();
      if (next) this.#collapse(next);
      else if (++this.#phase < TURNED_POSES.length) this.#proposeAll();
      else {
        // the first level is as coarse as it gets
        if (levels.length === 0 && surface.triangleCount < first) levels.push(this.#keep());
        break;
      }
    }
    return levels;
  }

  #proposeAll(): void {
    for (let p = 0; p < this.#weld.pointCount; p++)
      for (const other of this.#surface.listNeighbours(p)) if (other > p) this.#propose(p, other);
  }

  /** Moves a point at rest, and in all poses by the maps of its first vertex. */
  #place(point: number, at: ArrayLike<number>): void {
    const [x, y, z] = [at[0], at[1], at[2]];
    this.#rest.set(at, 3 * point);
    const { values, frameCount, vertexCount } = this.#maps;
    const vertex = this.#weld.vertexOfPoint[point];
    for (let f = 0, o = 3 * frameCount * point; f < frameCount; f++, o += 3) {
      const m = MAP_SIZE * (f * vertexCount + vertex);
      for (let r = 0; r < 3; r++)
        this.#posed[o + r] = values[m + r] * x + values[m + 3 + r] * y + values[m + 6 + r] * z + values[m + 9 + r];
    }
  }

  /** Adds the planes of a triangle in all poses to its points, and planes across its edges that are borders or seams. */
  #addTriangle(t: number): void {
    const surface = this.#surface;
    const points = [0, 1, 2].map((c) => surface.pointAt(3 * t + c));
    const isEdge = points.map((p, c) => this.#isBorderOrSeam(t, p, points[(c + 1) % 3]));
    const { frameCount } = this.#maps;
    for (let f = 0; f < frameCount; f++) {
      const [a, b, c] = points.map((p) => this.#posed.subarray(3 * (p * frameCount + f), 3 * (p * frameCount + f) + 3));
      const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
      const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
      const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
      const length = Math.hypot(nx, ny, nz);
      if (!(length > 0)) continue;
      const n = [nx / length, ny / length, nz / length];
      const d = -(n[0] * a[0] + n[1] * a[1] + n[2] * a[2]);
      for (const p of points) {
        this.#quadrics.addPlane(p, f, n, d, length / 2);
        this.#areas[p] += length / 2 / frameCount;
      }
      [a, b, c].forEach((from, k) => {
        if (!isEdge[k]) return;
        const to = [b, c, a][k];
        const e = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
        const across = [e[1] * n[2] - e[2] * n[1], e[2] * n[0] - e[0] * n[2], e[0] * n[1] - e[1] * n[0]];
        const size = Math.hypot(...across);
        if (!(size > 0)) return;
        const m = across.map((value) => value / size);
        const offset = -(m[0] * from[0] + m[1] * from[1] + m[2] * from[2]);
        for (const p of [points[k], points[(k + 1) % 3]])
          this.#quadrics.addPlane(p, f, m, offset, BORDER_WEIGHT * size * size);
      });
    }
  }

  /** Whether the surface ends at an edge of a triangle, or continues with other vertices. */
  #isBorderOrSeam(t: number, i: number, j: number): boolean {
    const surface = this.#surface;
    const wedgesIn = (triangle: number): number[] =>
      [0, 1, 2]
        .filter((c) => [i, j].includes(surface.pointAt(3 * triangle + c)))
        .map((c) => surface.corners[3 * triangle + c]);
    const others = surface.listShared(i, j).filter((one) => one !== t);
    if (others.length === 0) return true;
    const own = wedgesIn(t);
    return others.some((one) => !wedgesIn(one).every((wedge) => own.includes(wedge)));
  }

  /** Adds the cheaper direction of an edge to the heap, if one is allowed. */
  #propose(i: number, j: number): void {
    const [a, b] = [this.#evaluate(i, j), this.#evaluate(j, i)];
    const best = a && b ? (b.cost < a.cost ? b : a) : (a ?? b);
    if (best) this.#heap.push(best);
  }

  /** A hub keeps its place and is not removed: either would visit all its triangles, and the rim of a fan of n triangles would take n² steps. */
  #evaluate(from: number, to: number): Candidate | undefined {
    if (this.#surface.isHub(from)) return undefined;
    const map = this.#surface.planCollapse(from, to);
    if (!map) return undefined;
    const q = this.#quadric;
    this.#quadrics.pullBackInto(from, to, this.#maps, this.#weld.vertexOfPoint[to], q);
    if (this.#attributes.hasAttributes) {
      for (const [wedge, target] of map) this.#attributes.addTo(q, wedge, target);
      for (const wedge of new Set(map.values())) this.#attributes.addTo(q, wedge, wedge);
    }
    const near = this.#rest.subarray(3 * to, 3 * to + 3);
    const isFound = !this.#surface.isHub(to) && minimizeQuadric(q, near, STIFFNESS, this.#best);
    const [x, y, z] = isFound ? this.#best : near;
    const cost = Math.max(0, evaluateQuadric(q, x, y, z)) / (this.#areas[from] + this.#areas[to]) ** SPREAD;
    return { cost, from, to, stamp: this.#stamps[from] + this.#stamps[to], x, y, z };
  }

  #collapse({ from, to, stamp, x, y, z }: Candidate): void {
    if (stamp !== this.#stamps[from] + this.#stamps[to]) return;
    const surface = this.#surface;
    const map = surface.planCollapse(from, to);
    if (!map) return;
    const before = this.#rest.slice(3 * to, 3 * to + 3);
    const old = this.#posed.slice(3 * to * this.#maps.frameCount, 3 * (to + 1) * this.#maps.frameCount);
    const stays = this.#surface.isHub(to) && x === before[0] && y === before[1] && z === before[2];
    this.#place(to, [x, y, z]);
    if (this.#flips(from, to, stays ? undefined : old)) {
      this.#place(to, before);
      return;
    }
    this.#quadrics.merge(from, to);
    this.#areas[to] += this.#areas[from];
    for (const [wedge, target] of map) this.#attributes.merge(wedge, target);
    const changed = stays ? surface.listNeighbours(from).filter((other) => other !== to) : undefined;
    surface.collapse(from, to, map);
    this.#stamps[from]++;
    // the other edges of a hub keep their costs: it did not move
    if (!stays) this.#stamps[to]++;
    for (const other of changed ?? surface.listNeighbours(to)) this.#propose(to, other);
  }

  /**
   * Whether a triangle that stays would turn over or lose its area in more poses than it may. `to` has its new place.
   * @param old frameCount x 3: its place before; undefined if it does not move
   */
  #flips(from: number, to: number, old: Float32Array | undefined): boolean {
    const surface = this.#surface;
    const { frameCount } = this.#maps;
    const posed = this.#posed;
    const normals = [new Float64Array(3), new Float64Array(3)];
    const allowed = TURNED_POSES[this.#phase] * frameCount;
    for (const [point, isTo] of [
      [from, false],
      [to, true],
    ] as const) {
      if (isTo && !old) continue;
      for (const t of surface.trianglesOf(point)) {
        const points = [0, 1, 2].map((c) => surface.pointAt(3 * t + c));
        if (points.includes(isTo ? from : to)) continue;
        let turned = 0;
        for (let f = 0; f < frameCount; f++) {
          normals.forEach((normal, isAfter) => {
            const [a, b, c] = points.map((p) => {
              if (p !== point) return posed.subarray(3 * (p * frameCount + f), 3 * (p * frameCount + f) + 3);
              if (isAfter) return posed.subarray(3 * (to * frameCount + f), 3 * (to * frameCount + f) + 3);
              return isTo && old
                ? old.subarray(3 * f, 3 * f + 3)
                : posed.subarray(3 * (p * frameCount + f), 3 * (p * frameCount + f) + 3);
            });
            const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
            const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
            normal[0] = uy * vz - uz * vy;
            normal[1] = uz * vx - ux * vz;
            normal[2] = ux * vy - uy * vx;
          });
          const [n, m] = normals;
          const product = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
          if (product < MIN_TURN * Math.hypot(...n) * Math.hypot(...m) && ++turned > allowed) return true;
        }
      }
    }
    return false;
  }

  /** The surface as it is now. */
  #keep(): MeshLevel {
    const { corners, isAlive } = this.#surface;
    const isUsed = new Uint8Array(this.#mesh.positions.length / 3);
    for (let c = 0; c < corners.length; c++) if (isAlive[Math.floor(c / 3)]) isUsed[corners[c]] = 1;
    const vertices = Uint32Array.from([...isUsed.keys()].filter((i) => isUsed[i]));
    const indexOf = new Uint32Array(isUsed.length);
    vertices.forEach((i, n) => {
      indexOf[i] = n;
    });
    const positions = new Float32Array(3 * vertices.length);
    vertices.forEach((i, n) => {
      const p = this.#weld.pointOfVertex[i];
      positions.set(this.#rest.subarray(3 * p, 3 * p + 3), 3 * n);
    });
    const alive = [...isAlive.keys()].filter((t) => isAlive[t]);
    const triangles = Uint32Array.from(
      alive.flatMap((t) => [...corners.subarray(3 * t, 3 * t + 3)].map((i) => indexOf[i])),
    );
    return { vertices, positions, triangles };
  }
}
