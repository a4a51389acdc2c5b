// SPDX-License-Identifier: MIT
// The pages of the site in the order of its navigation: Markdown file, and the title shown there. Files not named here are not on the site.

const method = (unit) => `src/methods/${unit}/README.md`;

/** @type {{ heading: string, pages: [string, string][] }[]} */
export const SECTIONS = [
  {
    heading: 'Guide',
    pages: [
      ['README.md', 'Overview'],
      ['docs/README.md', 'Documentation'],
      ['docs/guide/README.md', 'All guides'],
      ['docs/guide/first-steps.md', 'First steps'],
      ['docs/guide/command-line.md', 'Inputs and outputs'],
      ['docs/guide/takes.md', 'Animations of several files'],
      ['docs/guide/exporting.md', 'Exporting animated meshes'],
      ['docs/guide/check.md', 'Checking a file'],
      ['docs/guide/editing.md', 'Editing the rest pose'],
      ['docs/guide/studio.md', 'Studio'],
      ['docs/guide/batch.md', 'Many jobs'],
      ['docs/guide/draw.md', 'Pictures'],
      ['docs/guide/engines.md', 'Characters for engines'],
      ['docs/guide/three.md', 'three.js'],
      ['docs/guide/textures.md', 'Animation textures'],
      ['docs/guide/blender.md', 'Blender'],
      ['docs/guide/godot.md', 'Godot'],
      ['docs/guide/unity.md', 'Unity'],
      ['docs/guide/unreal.md', 'Unreal Engine'],
    ],
  },
  {
    heading: 'Methods',
    pages: [
      ['docs/methods/README.md', 'All methods'],
      [method('decompose'), 'Decompositions'],
      [method('decompose/ssdr'), 'SSDR'],
      [method('decompose/fsd'), 'FSD'],
      [method('decompose/sma'), 'Skinning mesh animations'],
      [method('decompose/lssp'), 'LSSP'],
      [method('skeleton'), 'Skeletons from motion'],
      [method('retarget'), 'Retargeting'],
      [method('track'), 'Scans'],
      [method('noise'), 'Noise and missing rest poses'],
      [method('corrections'), 'Corrective shapes'],
      [method('reduce'), 'Weight reduction'],
      [method('mush'), 'Direct Delta Mush'],
      [method('compress'), 'Direct Delta Mush compression'],
      [method('convert'), 'Helper bones'],
      [method('faces'), 'Faces'],
      [method('eliminate'), 'Elimination'],
      [method('size'), 'File sizes'],
      [method('lod'), 'Levels of detail'],
      [method('light'), 'Precomputed light'],
      [method('collide'), 'Collisions'],
    ],
  },
  {
    heading: 'Formats',
    pages: [
      ['docs/formats/README.md', 'File formats'],
      ['docs/formats/gltf.md', 'glTF files'],
      ['docs/formats/trips.md', 'Round trips'],
      ['docs/formats/extensions/README.md', 'glTF extensions'],
      ...[
        'direct_delta_mush',
        'two_layer_skin',
        'helper_bones',
        'skin_correction',
        'skin_blend',
        'skin_light',
        'shape_drivers',
        'compact_skin',
      ].map((name) => [`docs/formats/extensions/OSSIFY_${name}.md`, `OSSIFY_${name}`]),
    ],
  },
  {
    heading: 'Reference',
    pages: [
      ['docs/reference/README.md', 'All references'],
      ['docs/reference/cli.md', 'Command line'],
      ['docs/reference/api.md', 'Exported names'],
      ['docs/reference/report.md', 'Report'],
      ['docs/reference/metrics.md', 'Error metrics'],
      ['docs/reference/samples.md', 'Generated samples'],
      ['docs/reference/gpu.md', 'WebGPU'],
      ['docs/reference/papers.md', 'The documents and our commands'],
      ['docs/reference/fuzzing.md', 'Fuzzing'],
      ['docs/reference/changes.md', 'Four changes, file by file'],
    ],
  },
  {
    heading: 'Benchmarks',
    pages: [
      ['docs/benchmarks/README.md', 'All benchmarks'],
      ['docs/benchmarks/decompose.md', 'Decompositions compared'],
      ['docs/benchmarks/ssdr.md', 'SSDR'],
      ['docs/benchmarks/skeleton.md', 'Skeletons'],
      ['docs/benchmarks/track.md', 'Scans'],
      ['docs/benchmarks/noise.md', 'Noise'],
      ['docs/benchmarks/reduce.md', 'Weight reduction'],
      ['docs/benchmarks/mush.md', 'Direct Delta Mush'],
      ['docs/benchmarks/compress.md', 'DDM compression'],
      ['docs/benchmarks/convert.md', 'Helper bones'],
      ['docs/benchmarks/faces.md', 'Faces'],
      ['docs/benchmarks/size.md', 'File sizes'],
      ['docs/benchmarks/swing-twist.md', 'Swing, twist and elastic weights'],
      ['docs/benchmarks/published-decompose.md', 'Decompositions as published'],
      ['docs/benchmarks/published-skeleton.md', 'Skeletons as published'],
      ['docs/benchmarks/published-weights.md', 'Weight reduction as published'],
      ['docs/benchmarks/published-sma.md', 'Skinning mesh animations as published'],
      ['docs/benchmarks/published-ddm.md', 'Direct Delta Mush as published'],
      ['docs/benchmarks/published-compress.md', 'DDM compression as published'],
      ['docs/benchmarks/published-convert.md', 'Helper bones as published'],
    ],
  },
  {
    heading: 'Examples',
    pages: [
      ['examples/01-gpu-crowd/README.md', 'WebGPU crowd'],
      ['examples/02-three-load/README.md', 'A GLB in three.js'],
      ['examples/03-three-delta-mush/README.md', 'Delta mush'],
      ['examples/04-three-crowd/README.md', 'three.js crowd'],
      ['examples/05-collide/README.md', 'Collisions'],
    ],
  },
  {
    heading: 'Project',
    pages: [
      ['ARCHITECTURE.md', 'Architecture'],
      ...[
        ...['core', 'deformers', 'fit', 'measure', 'formats', 'draw', 'samples'],
        ...['runtimes', 'methods', 'jobs', 'hosts', 'entry'],
      ].map((group) => [`src/${group}/README.md`, `src/${group}`]),
      ['CONTRIBUTING.md', 'Contributing'],
      ['CHANGELOG.md', 'Changelog'],
      ['SECURITY.md', 'Security'],
    ],
  },
];

/** Folders of the site that are not made from Markdown. */
export const APPLICATIONS = [
  ['studio/index.html', 'Open the studio'],
  ['api/index.html', 'API reference'],
];

const REPOSITORY = 'https://github.com/ossify/ossify';

/** Markdown files by their address on the site, both relative to the root. */
export const ADDRESSES = new Map(SECTIONS.flatMap(({ pages }) => pages).map(([source]) => [source, addressOf(source)]));

/** src/methods/track/README.md is docs/methods/track.html, and src/core/README.md is docs/groups/core.html. */
function addressOf(source) {
  if (source === 'README.md') return 'index.html';
  const method = /^src\/methods\/(?:.*\/)?([\w-]+)\/README\.md$/.exec(source);
  if (method) return `docs/methods/${method[1]}.html`;
  const group = /^src\/([\w-]+)\/README\.md$/.exec(source);
  if (group) return `docs/groups/${group[1]}.html`;
  if (source.startsWith('examples/')) return source.replace('README.md', 'about.html');
  return source.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html');
}

/** Address of a file that is not on the site. */
export function repositoryAddress(path) {
  return `${REPOSITORY}/blob/main/${path}`;
}
