// SPDX-License-Identifier: MIT
// The triangles of a surface, coded along its growing border (S. Gumhold and W. Strasser, Real time compression of triangle mesh connectivity, 1998; contexts by the number of triangles around a vertex follow from
// C. Touma and C. Gotsman, Triangle mesh compression, 1998): each triangle is attached to an edge of the border, with a new vertex, a neighbour along the border, or any known vertex. Edges with more than two triangles,
// holes, several components and triangles without area are all allowed. Vertices are numbered in the order of the code.
import { IntegerModel } from '../entropy/integer-model.ts';
import { type BitCoder, BitModels } from '../entropy/range-coder.ts';
import { matchHalfEdges } from './match-half-edges.ts';
import { SurfaceBorder } from './surface-border.ts';

const NEW = 0;
const RIGHT = 1;
const LEFT = 2;
const BOTH = 3;
const EMPTY = 4;
const KNOWN = 5;
/** Bits of a symbol, each with contexts by the triangles around both ends of a gate. */
const SYMBOL_BITS = 5;
const AROUND = 12;

/** Triangles as a codec stores them. */
export interface CodedSurface {
  /** triangleCount x 3, in coded order */
  triangles: Uint32Array;
  /** By half-edge 3t + c, from corner c of triangle t to the next: the one on the other side; -1: none */
  opposite: Int32Array;
  /** Number of vertices with a triangle; others follow them. */
  usedCount: number;
}

/** The choices of an encoder. */
interface Source {
  triangles: Uint32Array;
  opposite: Int32Array;
  /** By vertex: its number in the code; -1: not known yet */
  numbers: Int32Array;
  /** By coded half-edge: the half-edge of the source. */
  halfEdges: Int32Array;
  isDone: Uint8Array;
  /** The first triangle that may not be coded. */
  at: number;
}

/** Decodes triangles. */
export function decodeConnectivity(coder: BitCoder, vertexCount: number, triangleCount: number): CodedSurface {
  return codeSurface(coder, vertexCount, triangleCount);
}

/**
 * Encodes triangles.
 * @returns order: by vertex of the code, the vertex of the source; vertices without triangles are last. corners: by corner of the code, that of the source
 */
export function encodeConnectivity(
  coder: BitCoder,
  triangles: Uint32Array,
  vertexCount: number,
): CodedSurface & { order: Uint32Array; corners: Int32Array } {
  const source: Source = {
    triangles,
    opposite: matchHalfEdges(triangles),
    numbers: new Int32Array(vertexCount).fill(-1),
    halfEdges: new Int32Array(triangles.length),
    isDone: new Uint8Array(triangles.length / 3),
    at: 0,
  };
  const surface = codeSurface(coder, vertexCount, triangles.length / 3, source);
  const order = new Uint32Array(vertexCount);
  let unused = surface.usedCount;
  for (let v = 0; v < vertexCount; v++) order[source.numbers[v] < 0 ? unused++ : source.numbers[v]] = v;
  return { ...surface, order, corners: source.halfEdges };
}

function codeSurface(coder: BitCoder, vertexCount: number, triangleCount: number, source?: Source): CodedSurface {
  const border = new SurfaceBorder(vertexCount, triangleCount);
  const symbols = new BitModels(SYMBOL_BITS * AROUND * AROUND);
  const starts = new BitModels(3);
  const distances = new IntegerModel();
  while (border.triangleCount < triangleCount) {
    const gate = border.takeGate();
    if (gate < 0) startComponent(border, coder, vertexCount, starts, source);
    else codeTriangle(border, coder, vertexCount, gate, { symbols, distances }, source);
  }
  return { triangles: border.triangles, opposite: border.opposite, usedCount: border.vertexCount };
}

/** Codes a triangle without a known neighbour: each corner is new or known. */
function startComponent(
  border: SurfaceBorder,
  coder: BitCoder,
  vertexCount: number,
  models: BitModels,
  source?: Source,
): void {
  let at = 0;
  if (source) {
    while (source.isDone[source.at] === 1) source.at++;
    at = 3 * source.at;
    markTriangle(border, source, at);
  }
  const corners: number[] = [];
  for (let c = 0; c < 3; c++) {
    const v = source ? source.triangles[at + c] : 0;
    const number = source ? source.numbers[v] : 0;
    const isFull = border.vertexCount === vertexCount ? 1 : 0;
    const isKnown = isFull || coder.code(number >= 0 ? 1 : 0, models, c);
    if (isKnown) corners.push(codeVertex(coder, number, border.vertexCount));
    else {
      if (source) source.numbers[v] = border.vertexCount;
      corners.push(border.vertexCount++);
    }
  }
  border.start(corners[0], corners[1], corners[2]);
}

function codeTriangle(
  border: SurfaceBorder,
  coder: BitCoder,
  vertexCount: number,
  gate: number,
  { symbols, distances }: { symbols: BitModels; distances: IntegerModel },
  source?: Source,
): void {
  const before = border.previous[gate];
  const after = border.next[gate];
  const a = border.starts[gate];
  const b = border.starts[after];
  const context = SYMBOL_BITS * (AROUND * border.around(a) + border.around(b));
  let wanted = NEW;
  let across = -1;
  if (source) {
    across = source.opposite[source.halfEdges[border.insides[gate]]];
    wanted = symbolOf(border, source, gate, across);
  }
  let symbol = NEW;
  while (symbol < KNOWN && coder.code(wanted > symbol ? 1 : 0, symbols, context + symbol) === 1) symbol++;
  if (symbol === EMPTY) {
    border.close(gate);
    return;
  }
  if (source) markTriangle(border, source, across);
  let v = border.starts[before];
  if (symbol === NEW) {
    v = Math.min(vertexCount - 1, border.vertexCount);
    border.vertexCount = v + 1;
    if (source) source.numbers[source.triangles[apexOf(across)]] = v;
  } else if (symbol === RIGHT) v = border.endOf(after);
  else if (symbol === KNOWN) {
    const number = source ? source.numbers[source.triangles[apexOf(across)]] : 0;
    v = Math.max(0, border.vertexCount - 1 - distances.codeCount(coder, border.vertexCount - 1 - number));
  }
  const isLeft = (symbol === LEFT || symbol === BOTH) && border.isOpen(before) && before !== after;
  const isRight = (symbol === RIGHT || symbol === BOTH) && border.isOpen(after) && before !== after;
  border.attach(gate, v, isLeft, isRight);
}

/** What an encoder attaches to a gate: the half-edge of the source across it, or nothing. */
function symbolOf(border: SurfaceBorder, source: Source, gate: number, across: number): number {
  if (across < 0 || source.isDone[Math.floor(across / 3)] === 1) return EMPTY;
  if (source.numbers[source.triangles[apexOf(across)]] < 0) return NEW;
  const before = border.previous[gate];
  const after = border.next[gate];
  const joins = (other: number, halfEdge: number) =>
    before !== after && border.isOpen(other) && source.opposite[source.halfEdges[border.insides[other]]] === halfEdge;
  const isLeft = joins(before, nextOf(across));
  const isRight = joins(after, apexOf(across));
  if (isLeft && isRight && border.previous[before] === after) return BOTH;
  return isRight ? RIGHT : isLeft ? LEFT : KNOWN;
}

/** Codes a known vertex by its number. */
function codeVertex(coder: BitCoder, number: number, count: number): number {
  const bits = 32 - Math.clz32(Math.max(0, count - 1));
  return Math.min(coder.codeRaw(number, bits), Math.max(0, count - 1));
}

/** Notes the source of the next triangle, which starts with a half-edge of the source. */
function markTriangle(border: SurfaceBorder, source: Source, halfEdge: number): void {
  const t = 3 * border.triangleCount;
  source.isDone[Math.floor(halfEdge / 3)] = 1;
  source.halfEdges[t] = halfEdge;
  source.halfEdges[t + 1] = nextOf(halfEdge);
  source.halfEdges[t + 2] = apexOf(halfEdge);
}

function nextOf(halfEdge: number): number {
  return halfEdge % 3 === 2 ? halfEdge - 2 : halfEdge + 1;
}

/** The third half-edge, and the corner opposite to a half-edge, where it starts. */
function apexOf(halfEdge: number): number {
  return halfEdge % 3 === 0 ? halfEdge + 2 : halfEdge - 1;
}
