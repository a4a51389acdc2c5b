// SPDX-License-Identifier: MIT
// The picture of src/methods/collide/README.md, after Figure 18 of James and Twigg 2005: the regions of bones on a posed skin, and the spheres of some levels of their trees.
//
//   ossify decompose rest.obj+motion.pc2 skin.glb --method sma --corrections 5
//   node scripts/draw/collision.mjs skin.glb docs/images/collision-spheres.png
//
// Run `npm run build` first; OSSIFY_DIST names another build.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const DIST = process.env.OSSIFY_DIST
  ? pathToFileURL(`${process.env.OSSIFY_DIST}/`)
  : new URL('../../dist/', import.meta.url);
const load = async (path) => import(new URL(path, DIST).href);
const { readAsset } = await load('formats/assets/read-asset.js');
const { makeCollider, makeCollisionTree } = await load('entry/collide.js');
const { modelOfAsset, sampleAnimation } = await load('entry/deform.js');
const { fitCamera, makeContactSheet, renderView, writePng } = await load('entry/draw.js');
const { paletteColor } = await load('draw/image/palette.js');

const SIZE = { width: 430, height: 400 };
/** Levels below the roots of the regions. */
const LEVELS = [3, 5, 8];
/** Part of the animation. */
const TIME = 0.4;
const RINGS = 10;

const [input, output] = process.argv.slice(2);
const asset = await readAsset([{ name: input, bytes: new Uint8Array(readFileSync(input)) }]);
const model = modelOfAsset(asset);
const [animation] = asset.animations;
const { motion, corrections } = sampleAnimation(asset, animation, [TIME * animation.duration]);
const collider = makeCollider(makeCollisionTree(model));
collider.pose({ bones: motion.matrices, corrections: corrections.length > 0 ? corrections : undefined });
const { tree } = collider;

/** Nodes at a level below the root of their region, and leaves above it, with the bone of the region. */
function listNodes(level) {
  const nodes = [];
  const visit = (node, depth) => {
    const [first, second] = tree.children.subarray(2 * node, 2 * node + 2);
    if (node >= tree.topCount && (first < 0 || depth === level)) nodes.push({ node, bone: boneOf(node) });
    else for (const child of [first, second]) visit(child, node < tree.topCount ? 0 : depth + 1);
  };
  visit(0, 0);
  return nodes;
}

function boneOf(node) {
  let leaf = node;
  while (tree.children[2 * leaf] >= 0) leaf = tree.children[2 * leaf];
  return tree.triangleBones[tree.triangles[-1 - tree.children[2 * leaf]]];
}

function sceneOfRegions() {
  const scene = { positions: [], triangles: [], colors: [] };
  for (const [t, bone] of tree.triangleBones.entries()) {
    collider.computeTriangle(t);
    for (const i of model.mesh.triangles.subarray(3 * t, 3 * t + 3)) {
      scene.triangles.push(scene.positions.length / 3);
      scene.positions.push(...collider.positions.subarray(3 * i, 3 * i + 3));
      scene.colors.push(...paletteColor(bone));
    }
  }
  return scene;
}

function sceneOfSpheres(level) {
  const scene = { positions: [], triangles: [], colors: [] };
  for (const { node, bone } of listNodes(level)) {
    const o = collider.computeSphere(node);
    addSphere(scene, collider.spheres.subarray(o, o + 4), paletteColor(bone));
  }
  return scene;
}

function addSphere({ positions, triangles, colors }, [x, y, z, radius], color) {
  const first = positions.length / 3;
  const columns = 2 * RINGS;
  for (let row = 0; row <= RINGS; row++) {
    const [height, width] = [Math.cos((Math.PI * row) / RINGS), Math.sin((Math.PI * row) / RINGS)];
    for (let column = 0; column < columns; column++) {
      const turn = (2 * Math.PI * column) / columns;
      positions.push(x + radius * width * Math.cos(turn), y + radius * height, z + radius * width * Math.sin(turn));
      colors.push(...color);
      if (row === RINGS) continue;
      const next = row * columns + ((column + 1) % columns);
      const [a, b, c, d] = [row * columns + column, next, next + columns, row * columns + column + columns];
      triangles.push(first + a, first + b, first + c, first + a, first + c, first + d);
    }
  }
}

const scenes = [
  { scene: sceneOfRegions(), caption: `${tree.topCount + 1} regions, ${tree.triangles.length} triangles` },
  ...LEVELS.map((level) => {
    const scene = sceneOfSpheres(level);
    return { scene, caption: `level ${level}: ${listNodes(level).length} spheres` };
  }),
];
const camera = fitCamera(scenes[0].scene.positions, { ...SIZE, view: 'three-quarter', up: asset.up });
const cells = scenes.map(({ scene, caption }) => ({ image: renderView(scene, { ...SIZE, camera }), caption }));
writeFileSync(output, writePng(makeContactSheet(cells, { columns: 2 })));
