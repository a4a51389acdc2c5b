// SPDX-License-Identifier: MIT
// Files that want memory, time or a crash, small enough to be sent thousands of times.

const GLB_HEAD = 20;

/** A GLB with other JSON. */
export function changeGlb(glb, change) {
  const length = glb.readUInt32LE(12);
  const json = JSON.parse(glb.subarray(GLB_HEAD, GLB_HEAD + length).toString('utf8'));
  change(json);
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const rest = glb.subarray(GLB_HEAD + length);
  const head = Buffer.from(glb.subarray(0, GLB_HEAD));
  head.writeUInt32LE(GLB_HEAD + padded.length + rest.length, 8);
  head.writeUInt32LE(padded.length, 12);
  return Buffer.concat([head, padded, rest]);
}

/** @returns { name, command, options, bytes }, a new one at each call */
export function makeHostile(glb, random) {
  const pick = (items) => items[Math.floor(random() * items.length)];
  const makers = [
    // bytes of a good file, changed at random
    () => {
      const bytes = Buffer.from(glb);
      for (let n = 0; n < 1 + 20 * random(); n++)
        bytes[Math.floor(random() * bytes.length)] = Math.floor(256 * random());
      return ['mutant.glb', bytes];
    },
    () => ['torn.glb', glb.subarray(0, Math.floor(random() * glb.length))],
    // an animation of a year
    () => [
      'year.glb',
      changeGlb(glb, (json) => {
        for (const { input } of json.animations[0].samplers) json.accessors[input].max = [3e7];
        json.accessors.push({ componentType: 5126, count: 2, type: 'SCALAR', min: [0], max: [3e7] });
      }),
    ],
    // accessors without bytes
    () => [
      'zeros.glb',
      changeGlb(glb, (json) => {
        for (let n = 0; n < 20; n++)
          json.accessors.push({
            componentType: 5126,
            count: 50_000_000,
            type: 'VEC4',
            min: [0, 0, 0, 0],
            max: [0, 0, 0, 0],
          });
        for (const mesh of json.meshes)
          for (const primitive of mesh.primitives) primitive.attributes.COLOR_0 = json.accessors.length - 1;
      }),
    ],
    () => [
      'nodes.glb',
      changeGlb(glb, (json) => {
        const first = json.nodes.length;
        for (let n = 0; n < 100_000; n++) json.nodes.push({ name: `n${n}` });
        json.scenes[0].nodes.push(...Array.from({ length: 100_000 }, (_, n) => first + n));
      }),
    ],
    () => [
      'cycle.glb',
      changeGlb(glb, (json) => {
        for (const [n, node] of json.nodes.entries()) node.children = [(n + 1) % json.nodes.length];
      }),
    ],
    // references that repeat at every level
    () => {
      const levels = Array.from({ length: 9 }, (_, n) => {
        const children = Array.from({ length: 10 }, (_unused, m) => `  def "c${m}" (references = </l${n + 1}>) {}`);
        return `def "l${n}"\n{\n${children.join('\n')}\n}`;
      });
      return ['bomb.usda', Buffer.from(`#usda 1.0\n${levels.join('\n')}\ndef Mesh "l9" {}\n`)];
    },
    () => [
      'liar.ply',
      Buffer.from('ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty float x\nend_header\n'),
    ],
    () => {
      const bytes = Buffer.alloc(84 + 50);
      bytes.writeUInt32LE(0xfffffff0, 80);
      return ['liar.stl', bytes];
    },
    () => ['deep.usda', Buffer.from(`#usda 1.0\n${'def "a" {'.repeat(20_000)}`)],
    () => ['faces.obj', Buffer.from(`v 0 0 0\nv 1 0 0\nv 0 1 0\n${'f 1 1 1\n'.repeat(50_000)}`)],
    () => ['huge.obj', Buffer.from('v 9e17 0 0\nv 0 9e17 0\nv 0 0 9e17\nf 1 2 3\nf 3 2 1\n')],
    () => ['noise.fbx', Buffer.from(Array.from({ length: 5000 }, () => Math.floor(256 * random())))],
    () => ['empty.usdz', Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)])],
  ];
  const [name, bytes] = pick(makers)();
  const command = pick(['info', 'decompose', 'reduce', 'convert', 'mush', 'bake', 'lod', 'skeleton']);
  return { name, command, options: {}, bytes };
}
