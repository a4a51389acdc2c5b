// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { PointSource } from '../../core/model/clip/point-source.ts';
import { FormatError } from '../../core/model/errors.ts';
import { makeNodeTree } from '../../core/model/make-asset.ts';
import { matchCacheAxes } from '../caches/index.ts';
import { makePolygonMesh } from '../polygons/index.ts';
import { type InputFile, plainName, type RangeFile, readNamed } from '../shared/index.ts';
import type { ReadAssetOptions } from './read-asset.ts';
import { sniffFormat } from './sniff-format.ts';
import { makeStreamSource, streamCache } from './stream-cache.ts';

/** A mesh, and its motion in a point cache that is not in memory. */
export interface StreamedAsset {
  /** The mesh; without clips. */
  asset: Asset;
  source: PointSource;
  /** vertexCount: the point of the source of each vertex */
  pointOfVertex: Uint32Array;
}

/**
 * Reads a mesh of polygons and opens its point cache, which is read in ranges later. Undefined if the files are of other kinds: only OBJ and PLY meshes with a PC2 or MDD
 * are streamed.
 */
export async function readStreamed(
  file: InputFile,
  cache: RangeFile,
  options: Pick<ReadAssetOptions, 'fps' | 'unit' | 'up' | 'scale' | 'log'> = {},
): Promise<StreamedAsset | undefined> {
  const format = await readNamed(file, () => sniffFormat(file.name, file.bytes));
  if (format.kind !== 'mesh' || format.isSoup) return undefined;
  const stream = await streamCache(cache, options);
  if (!stream) return undefined;
  const scan = await format.load();
  const polygons = await readNamed(file, () => scan(file.bytes, { log: options.log }));
  const { mesh, positionCount, positionOfVertex } = makePolygonMesh(polygons, plainName(file.name));
  if (stream.vertexCount !== positionCount) {
    const fault = `it moves ${stream.vertexCount} vertices, but ${file.name} has ${positionCount}`;
    throw new FormatError('cache', 'mismatch', fault, undefined, cache.name);
  }
  const points = polygons.positions;
  const first = new Float32Array(points.length);
  await stream.readInto(0, 0, first);
  const axes = matchCacheAxes(points, first);
  if (axes)
    options.log?.(`the axes of ${cache.name} are not those of ${file.name}: its points are read as ${axes.name}`);
  const { scale = 1 } = options;
  const scaled = (positions: Float32Array) => (scale === 1 ? positions : positions.map((x) => x * scale));
  return {
    asset: {
      name: plainName(file.name),
      ...{ nodes: makeNodeTree(0), animations: [], clips: [] },
      mesh: { ...mesh, positions: scaled(mesh.positions) },
      ...{ metresPerUnit: options.unit, up: options.up ?? 'y' },
      byteLength: file.bytes.length + cache.byteLength,
    },
    source: makeStreamSource(stream, scaled(points), { axes, scale }),
    pointOfVertex: positionOfVertex,
  };
}
