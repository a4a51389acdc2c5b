// SPDX-License-Identifier: MIT
// Inputs of the corpus: texts, and command lines that generate the rest from samples. Jobs find them in the folder in/.

const TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
const PLY = `ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 4
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 1 2 3
3 2 0 3
`;
const STL =
  'solid one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid one\n';
const POSITIONS = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer).toString('base64');
const GLTF = {
  asset: { version: '2.0' },
  buffers: [{ byteLength: 36, uri: `data:application/octet-stream;base64,${POSITIONS}` }],
  bufferViews: [{ buffer: 0, byteLength: 36 }],
  accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
  nodes: [{ mesh: 0 }],
  scenes: [{ nodes: [0] }],
  scene: 0,
};
const BAR_JOINTS = [
  { name: 'base', position: [0, 0, 0] },
  { name: 'middle', parent: 'base', position: [0, 0.5, 0] },
  { name: 'tip', parent: 'middle', position: [0, 1, 0] },
];
const QUARTER_TURN = { rotations: [[0, 0, Math.SQRT1_2, Math.SQRT1_2]], targets: { 'correction 1': 1 } };
const JOBS_LIST = [
  { command: 'decompose', inputs: ['in/joint.abc'], output: 'a.glb', options: { bones: 3 } },
  { command: 'bake', inputs: ['in/joint.abc'], output: 'b.pc2' },
  { command: 'info', inputs: ['in/creature.glb'] },
];

const steps = (text) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));

export const INPUTS = {
  folders: ['scan'],
  texts: {
    'triangle.obj': TRIANGLE,
    'tetrahedron.ply': PLY,
    'triangle.stl': STL,
    'triangle.gltf': JSON.stringify(GLTF),
    'joints.json': JSON.stringify(BAR_JOINTS),
    'ranges.json': JSON.stringify({ '*': [[-5, 60], 0, 20] }),
    'bad-ranges.json': JSON.stringify({ nobody: 10 }),
    'drivers.json': JSON.stringify({
      format: 'morph-drivers',
      version: 1,
      drivers: [{ joints: ['bone_1'], radius: 90, poses: [QUARTER_TURN] }],
    }),
    'jobs.jsonl': JOBS_LIST.map((job) => `${JSON.stringify(job)}\n`).join(''),
    'empty.glb': '',
    'words.glb': 'this is no model',
    'words.obj': 'this is no model\n',
    'cut.gltf': JSON.stringify(GLTF).slice(0, 80),
    'far.gltf': JSON.stringify({ ...GLTF, buffers: [{ byteLength: 36, uri: 'absent.bin' }] }),
    'short.obj': TRIANGLE.replace('f 1 2 3', 'f 1 2 9'),
  },
  stages: [
    steps(`
      sample creature creature.abc --resolution 300 --frames 8
      sample creature creature.glb --resolution 300 --frames 8
      sample creature creature.pc2 --resolution 300 --frames 8
      sample creature-soft soft.glb --resolution 250 --frames 6
      sample quadruped walk.pc2 --resolution 300 --frames 12
      sample quadruped walk.glb --resolution 300 --frames 12
      sample quadruped wide.abc --resolution 1500 --frames 8
      sample bar-bend bend.glb --resolution 150 --frames 8
      sample bar-joint joint.abc --resolution 150 --frames 8
      sample bar-joint bar.glb --resolution 150 --frames 8
      sample bar-twist twist.pc2 --resolution 150 --frames 6
      sample bar-twist twist.mdd --resolution 150 --frames 6
      sample tube-swell swell.glb --resolution 150 --frames 6
      sample sheet sheet.glb --resolution 150 --frames 6
      sample parts parts.abc --resolution 400 --frames 6
      sample parts parts.glb --resolution 400 --frames 6
      sample cage-creature cage.pc2 --resolution 300 --frames 8
      sample rig-helper-bone helper.glb
      sample rig-delta-mush-pole pole.glb
      sample rig-delta-mush-pole pole.pc2 --frames 6
    `),
    steps(`
      bake bend.glb scan/a.obj
      bake bar.glb still.obj --rest-pose
      bake creature.glb rest.obj --rest-pose
      bake creature.glb edited.obj --rest-pose --scale 1.1
      bake joint.abc scan/b.obj
      bake creature.glb creature.fbx
      bake creature.glb creature.usda
      bake creature.glb creature.usdz
      decompose joint.abc morph.glb --bones 3 --corrections 2 --corrections-as morphs
      decompose joint.abc joint.glb --bones 3
      decompose creature.abc skin.glb --bones 6
      decompose creature.abc compact.glb --bones 6 --for size --codec ossify
      reduce soft.glb layers.glb --method twolayer --influences 2.5
      mush bar.glb mushed.glb
      light bend.glb lit.glb --rays 16 --rank 2
      convert sample:helper-bone helped.glb --helpers 1 --poses 20 --samples 8 --iterations 3 --controllers helped.json
    `),
  ],
};
