// SPDX-License-Identifier: MIT
// The steps of an animal, and a camera.

/** The sample's bones stand unturned at rest, so its nodes are steps from joint to joint; legs, neck and tail swing once a second. */
export function makeRig({ skeleton }) {
  const { names, parents, bindMatrices } = skeleton;
  const n = names.length;
  const heads = names.map((_, j) => bindMatrices.slice(16 * j + 12, 16 * j + 15));
  const stepOf = (j, c) => heads[j][c] - (parents[j] < 0 ? 0 : heads[parents[j]][c]);
  const translations = Float64Array.from({ length: 3 * n }, (_, c) => stepOf(Math.floor(c / 3), c % 3));
  const rotations = Float64Array.from({ length: 4 * n }, (_, c) => (c % 4 === 3 ? 1 : 0));
  const times = Float32Array.from({ length: 17 }, (_, k) => k / 16);
  const tracks = names.map((name, node) => {
    const reach = /Upper/.test(name) ? 0.45 : /Lower|Foot|Tail/.test(name) ? 0.3 : 0.04;
    const lag =
      (/Left/.test(name) ? Math.PI : 0) + (/Hind/.test(name) ? 2 : 0) + (/Lower|Foot|2|3/.test(name) ? 0.9 : 0);
    const values = new Float32Array(4 * times.length);
    times.forEach((t, k) => {
      const half = 0.5 * reach * Math.sin(2 * Math.PI * t - lag);
      values[4 * k + (/Tail/.test(name) ? 1 : 0)] = Math.sin(half);
      values[4 * k + 3] = Math.cos(half);
    });
    return { node, path: 'rotation', interpolation: 'LINEAR', times, values };
  });
  const nodes = { names, parents, translations, rotations, scales: new Float64Array(3 * n).fill(1) };
  const animations = [{ name: 'walk', duration: 1, tracks }];
  return { nodes, animations, skeleton, nodeOfBone: Int32Array.from(names.keys()) };
}

/** A camera above the herd that looks at its middle: from the world to the camera, its projection, and both. Column-major, depth 0 to 1. */
export function makeCamera(side, aspect, turn) {
  const [near, far, distance, f] = [0.1, 5 * side + 15, 1.5 * side + 3, 1.6];
  const [s, c, sp, cp, depth] = [Math.sin(turn), Math.cos(turn), Math.sin(0.45), Math.cos(0.45), far / (near - far)];
  const [right, up, back] = [
    [c, 0, -s],
    [-s * sp, cp, -c * sp],
    [s * cp, sp, c * cp],
  ];
  const view = [0, 1, 2].flatMap((i) => [right[i], up[i], back[i], 0]);
  const projection = [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, depth, -1, 0, 0, depth * near, 0];
  view.push(0, 0, -distance, 1);
  const entry = (c) => [0, 1, 2, 3].reduce((sum, k) => sum + projection[4 * k + (c % 4)] * view[c - (c % 4) + k], 0);
  return { view, projection, matrix: Float32Array.from({ length: 16 }, (_, c) => entry(c)) };
}
