// SPDX-License-Identifier: MIT
// Nearest-point searches of ossify track on the GPU and on threads: a surface moves, its boxes are fitted, and points with normals are searched, as in a step of tracking. Times are those of the whole step by the clock of
// the CPU, copies to and from the GPU included; the last column is the largest difference of distances, relative to the box diagonal.
//   node gpu-search.mjs [--vertices 20000,100000,500000] [--points 8000,40000] [--steps N] [--json FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { launchGpu } from '../../scripts/launch-gpu.ts';
import { makeCompute } from '../../src/core/compute/make-compute.ts';
import { NO_TRIANGLE } from '../../src/core/kernels/search/nearest-points.ts';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import { vertexNormalsInto } from '../../src/core/mesh/geometry/vertex-normals.ts';
import { createGpuSearch, requestGpuDevice } from '../../src/entry/gpu.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { DeviceSearch, type NearestFound, type PointSearch, SurfaceSearch } from '../../src/methods/track/index.ts';

/** Distance that the surface moves in a step, and that points are from it, relative to the box diagonal. */
const MOTION = 0.003;
const LIMITS = { minCosine: 0.5, maxDistance: 0.03 };
/** Steps before the timed ones. */
const WARM = 3;

const gpu = await launchGpu();
const device = await requestGpuDevice({ gpu });
const adapter = device.adapterInfo;
const isSoftware = /swiftshader|llvmpipe/i.test(`${adapter.description} ${adapter.device} ${adapter.vendor}`);
const { values: args } = parseArgs({
  options: {
    vertices: { type: 'string', default: isSoftware ? '5000' : '20000,100000,500000' },
    points: { type: 'string', default: isSoftware ? '2000' : '8000,40000' },
    steps: { type: 'string', default: isSoftware ? '2' : '20' },
    json: { type: 'string' },
  },
});
const compute = await makeCompute();
const onGpu = await createGpuSearch(device);
console.log(
  `device: ${adapter.vendor} ${adapter.architecture} ${adapter.description}${isSoftware ? ' (software: no measure of a GPU)' : ''}; ${compute.threads} threads`,
);
console.log('vertices    points   threads ms    GPU ms   difference');
const rows: object[] = [];
for (const vertices of args.vertices.split(',').map(Number))
  for (const points of args.points.split(',').map(Number)) {
    const row = await measureRow(vertices, points);
    rows.push(row);
    console.log(
      `${String(row.vertices).padStart(8)} ${String(points).padStart(9)} ${row.threadsMs.toFixed(2).padStart(12)} ${row.gpuMs.toFixed(2).padStart(9)}   ${row.difference.toExponential(1)}`,
    );
  }
if (args.json) writeFileSync(args.json, JSON.stringify({ adapter: adapter.description, isSoftware, rows }, null, 2));
process.exit(0);

async function measureRow(resolution: number, pointCount: number) {
  const { mesh } = makeSample('creature', { resolution, frames: 1 }).clip;
  const { diagonal } = measureBounds(mesh.positions);
  const rest = Float64Array.from(mesh.positions, (x) => x / diagonal);
  const normals = new Float32Array(rest.length);
  vertexNormalsInto(rest, mesh.triangles, normals);
  const vertexCount = rest.length / 3;
  const points = new Float64Array(6 * pointCount);
  for (let n = 0; n < pointCount; n++) {
    const i = 3 * Math.floor((n * vertexCount) / pointCount);
    for (let a = 0; a < 3; a++) {
      points[6 * n + a] = rest[i + a] + MOTION * Math.sin(n * (a + 1));
      points[6 * n + 3 + a] = normals[i + a];
    }
  }
  const threads = await measureSteps(new SurfaceSearch(compute, rest, mesh.triangles), rest, points);
  const gpuSteps = await measureSteps(new DeviceSearch(onGpu, rest, mesh.triangles), rest, points);
  let difference = 0;
  for (let n = 0; n < pointCount; n++) {
    if (threads.found.triangles[n] === NO_TRIANGLE || gpuSteps.found.triangles[n] === NO_TRIANGLE) continue;
    const [a, b] = [threads.found.places[3 * n + 2], gpuSteps.found.places[3 * n + 2]];
    difference = Math.max(difference, Math.abs(Math.sqrt(a) - Math.sqrt(b)));
  }
  return { vertices: vertexCount, points: pointCount, threadsMs: threads.ms, gpuMs: gpuSteps.ms, difference };
}

/** The shortest time of a step, and what the last one found. */
async function measureSteps(search: PointSearch, rest: Float64Array, points: Float64Array) {
  const steps = Number(args.steps);
  let ms = Number.POSITIVE_INFINITY;
  let found: NearestFound = { triangles: new Uint32Array(0), places: new Float64Array(0) };
  for (let n = -WARM; n < steps; n++) {
    const moved = rest.map((x, c) => x + MOTION * Math.sin(n + (c % 3)));
    const start = performance.now();
    search.fit(moved);
    found = await search.search(points, LIMITS);
    if (n >= 0) ms = Math.min(ms, performance.now() - start);
  }
  found = { triangles: found.triangles.slice(), places: found.places.slice() };
  search.dispose();
  return { ms, found };
}
