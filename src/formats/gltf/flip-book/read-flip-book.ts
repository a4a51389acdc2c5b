// SPDX-License-Identifier: MIT
import type { Document, GLTF } from '@gltf-transform/core';
import { sampleTrackInto } from '../../../core/keyframes/sample-track.ts';
import { gatherPoints, matchTopology } from '../../../core/mesh/topology/match-topology.ts';
import type { GltfSource } from '../../../core/model/asset.ts';
import type { Track } from '../../../core/model/clip/animation.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import { attributeOf, indexIn, meshOf } from '../document/gltf-graph.ts';
import { jsonMesh, jsonOf, makeSource } from '../document/gltf-json.ts';
import type { GltfPiece } from '../document/pieces/list-gltf-pieces.ts';
import { floatsOf } from '../document/read-accessor.ts';
import { listHidden, listVisibilityTracks, type VisibilityChannel } from '../read/list-visibility-tracks.ts';
import { readGltfAnimations } from '../read/read-gltf-animations.ts';
import { readGltfGeometry } from '../read/read-gltf-geometry.ts';
import type { GltfNodes } from '../read/read-gltf-nodes.ts';
import { type FlipFrame, findFlipBook, MIN_FLIP_FRAMES } from './find-flip-book.ts';
import { listNumberedFrames } from './list-numbered-frames.ts';

/** A flip-book that was found in a document. */
export interface GltfFlipBook {
  /** The frames as meshes, in order. */
  meshes: Mesh[];
  /** Names of the nodes that show them. */
  names: string[];
  /** frameCount, seconds from the first frame, ascending; absent if nodes are only numbered. */
  times?: Float64Array;
  /** frameCount x vertexCount x 3, in the vertices of the first frame; absent if the topology differs */
  positions?: Float32Array;
  /** The glTF with the first frame alone, at rest. */
  still: GltfSource;
}

/**
 * Reads a document as a flip-book: a node per frame, switched by visibility, scale or place (find-flip-book.ts), or nodes that are only
 * named as frames. Undefined if it is none.
 */
export function readFlipBook(
  document: Document,
  source: GltfSource,
  nodes: GltfNodes,
  pieces: readonly GltfPiece[],
  channels: readonly VisibilityChannel[],
): GltfFlipBook | undefined {
  if (pieces.length < MIN_FLIP_FRAMES) return undefined;
  if (pieces.some(({ skin, primitive }) => skin || primitive.listTargets().length > 0)) return undefined;
  const tracks = listTracks(document, nodes);
  const isStill = tracks?.length === 0 && channels.length === 0;
  const frames = isStill
    ? listNumbered(nodes, pieces)
    : tracks && findSwitched(document, source, nodes, pieces, tracks, channels);
  if (!frames) return undefined;
  const meshes = frames.map((frame) => readFrame(document, pieces, frame));
  return {
    meshes,
    names: frames.map(({ piece }) => pieces[piece].name),
    ...(isStill ? {} : { times: Float64Array.from(frames, ({ time }) => time - frames[0].time) }),
    positions: joinFrames(meshes),
    still: makeStill(document, source, nodes, pieces, tracks ?? [], frames[0]),
  };
}

/** The tracks of all animations, which exporters divide by node; undefined if they cannot be played together. */
function listTracks(document: Document, nodes: GltfNodes): Track[] | undefined {
  const tracks = readGltfAnimations(document, nodes).flatMap((animation) => animation.tracks);
  const targets = new Set(tracks.map(({ node, path }) => `${node} ${path}`));
  const isPlain = tracks.every(({ path }) => path !== 'weights');
  return isPlain && targets.size === tracks.length ? tracks : undefined;
}

function findSwitched(
  document: Document,
  source: GltfSource,
  nodes: GltfNodes,
  pieces: readonly GltfPiece[],
  tracks: Track[],
  channels: readonly VisibilityChannel[],
): FlipFrame[] | undefined {
  const treeOf = document
    .getRoot()
    .listNodes()
    .map((node) => nodes.treeOf(node));
  const isHidden = new Uint8Array(treeOf.length);
  for (const [n, hidden] of listHidden(source).entries()) isHidden[treeOf[n]] = hidden;
  return findFlipBook({
    tree: nodes.tree,
    places: pieces.map(({ node }) => nodes.treeOf(node)),
    boxOf: (p) => boxOf(pieces[p]),
    tracks,
    visibility: listVisibilityTracks(document, channels, treeOf),
    isHidden,
  });
}

/** A frame per drawn node, if nodes are named as frames and have a mesh each. */
function listNumbered({ treeOf, worlds }: GltfNodes, pieces: readonly GltfPiece[]): FlipFrame[] | undefined {
  const drawn = [...new Set(pieces.map(({ node }) => node))];
  const meshes = new Set(drawn.map((node) => node.getMesh()));
  if (drawn.length < MIN_FLIP_FRAMES || meshes.size < drawn.length) return undefined;
  const order = listNumberedFrames(drawn.map((node) => node.getName() || meshOf(node).getName()));
  return order?.map((n, time) => {
    const own = pieces.flatMap(({ node }, p) => (node === drawn[n] ? [p] : []));
    const o = 16 * treeOf(drawn[n]);
    return { time, pieces: own, matrices: own.map(() => worlds.slice(o, o + 16)), piece: own[0] };
  });
}

function boxOf({ primitive }: GltfPiece): { center: Float64Array; diagonal: number } {
  const positions = floatsOf(attributeOf(primitive, 'POSITION'));
  const low = new Float64Array(3).fill(Number.POSITIVE_INFINITY);
  const high = new Float64Array(3).fill(Number.NEGATIVE_INFINITY);
  for (let c = 0; c < positions.length; c++) {
    low[c % 3] = Math.min(low[c % 3], positions[c]);
    high[c % 3] = Math.max(high[c % 3], positions[c]);
  }
  const diagonal = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  return { center: low.map((x, c) => (x + high[c]) / 2), diagonal };
}

function readFrame(document: Document, pieces: readonly GltfPiece[], frame: FlipFrame): Mesh {
  let vertexStart = 0;
  const own = frame.pieces.map((p) => {
    const piece = { ...pieces[p], vertexStart };
    vertexStart += piece.vertexCount;
    return piece;
  });
  return readGltfGeometry(document, own, frame.matrices, pieces[frame.piece].name);
}

/** The positions of all frames in the vertices of the first; undefined if the topology of some frame differs. */
function joinFrames([rest, ...others]: readonly Mesh[]): Float32Array | undefined {
  const stride = rest.positions.length;
  const maps = others.map((mesh) => matchTopology(rest, mesh)).filter((map) => map !== undefined);
  if (maps.length < others.length) return undefined;
  const joined = new Float32Array((others.length + 1) * stride);
  joined.set(rest.positions);
  for (const [k, map] of maps.entries())
    joined.set(gatherPoints(others[k].positions, map, rest.positions), (k + 1) * stride);
  return joined;
}

/** The JSON with the nodes of one frame alone, where its time puts them, and without animations. */
function makeStill(
  document: Document,
  source: GltfSource,
  nodes: GltfNodes,
  pieces: readonly GltfPiece[],
  tracks: readonly Track[],
  frame: FlipFrame,
): GltfSource {
  const { animations: _animations, ...gltf } = jsonOf(source);
  const list = document.getRoot().listNodes();
  const indexOf = new Map(list.map((node, n) => [node, n]));
  const shown = new Set(frame.pieces.map((p) => pieces[p].node));
  const drawn = (gltf.nodes ?? []).map((node, n): GLTF.INode => {
    const { extensions: { KHR_node_visibility: _visibility, ...extensions } = {}, mesh, ...rest } = node;
    const hasExtensions = Object.keys(extensions).length > 0;
    return { ...rest, ...(hasExtensions ? { extensions } : {}), ...(shown.has(list[n]) ? { mesh } : {}) };
  });
  for (const track of tracks) {
    if (track.path === 'weights' || track.times.length === 0) continue;
    const value = new Float64Array(track.path === 'rotation' ? 4 : 3);
    sampleTrackInto(track, frame.time, value);
    drawn[indexIn(indexOf, nodes.list[track.node])][track.path] = [...value] as never;
  }
  const kept = [...new Set(drawn.flatMap(({ mesh }) => (mesh === undefined ? [] : [mesh])))];
  for (const node of drawn) if (node.mesh !== undefined) node.mesh = kept.indexOf(node.mesh);
  const still: GLTF.IGLTF = { ...gltf, nodes: drawn, meshes: kept.map((mesh) => jsonMesh(gltf, mesh)) };
  return makeSource(still, source.resources);
}
