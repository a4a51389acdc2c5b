// SPDX-License-Identifier: MIT
// The pages of the site in the order of its navigation: Markdown file, and the title shown there. Files not named here are not on the site.

/** @type {{ heading: string, pages: [string, string][] }[]} */
export const SECTIONS = [
  {
    heading: 'Guide',
    pages: [
      ['README.md', 'Overview'],
      ['docs/cli.md', 'Command line'],
      ['docs/batch.md', 'Many jobs'],
      ['docs/report.md', 'Report'],
      ['docs/studio.md', 'Studio'],
      ['docs/gltf.md', 'glTF files'],
      ['docs/formats.md', 'File formats'],
      ['docs/exporting.md', 'Exporting animated meshes'],
      ['docs/blender.md', 'Blender'],
      ['docs/godot.md', 'Godot'],
      ['docs/unity.md', 'Unity'],
      ['docs/unreal.md', 'Unreal Engine'],
      ['docs/textures.md', 'Animation textures'],
      ['docs/metrics.md', 'Error metrics'],
      ['docs/samples.md', 'Generated samples'],
    ],
  },
  {
    heading: 'Methods',
    pages: [
      ['docs/decompositions.md', 'Decompositions compared'],
      ['docs/ssdr.md', 'SSDR'],
      ['docs/sma.md', 'Skinning mesh animations'],
      ['docs/fsd.md', 'FSD'],
      ['docs/lssp.md', 'LSSP'],
      ['docs/skeleton.md', 'Skeletons from motion'],
      ['docs/noise.md', 'Noise and missing rest poses'],
      ['docs/weights.md', 'Weight reduction'],
      ['docs/ddm.md', 'Direct Delta Mush'],
      ['docs/ddm-compression.md', 'Direct Delta Mush compression'],
      ['docs/helper-bones.md', 'Helper bones'],
      ['docs/corrections.md', 'Corrective shapes'],
      ['docs/editing.md', 'Editing the rest pose'],
      ['docs/track.md', 'Scans'],
      ['docs/lod.md', 'Levels of detail'],
      ['docs/light.md', 'Precomputed light'],
      ['docs/collision.md', 'Collisions'],
      ['docs/faces.md', 'Faces'],
      ['docs/size.md', 'File sizes'],
      ['docs/swing-twist.md', 'Swing, twist and elastic weights'],
    ],
  },
  {
    heading: 'Run-time',
    pages: [
      ['docs/gpu.md', 'WebGPU'],
      ['docs/three.md', 'three.js'],
      ['docs/draw.md', 'Pictures'],
      ['examples/01-gpu-crowd/README.md', 'Example: WebGPU crowd'],
      ['examples/02-three-load/README.md', 'Example: a GLB in three.js'],
      ['examples/03-three-delta-mush/README.md', 'Example: delta mush'],
      ['examples/04-three-crowd/README.md', 'Example: three.js crowd'],
      ['examples/05-collide/README.md', 'Example: collisions'],
    ],
  },
  {
    heading: 'glTF extensions',
    pages: [
      ['docs/OSSIFY_direct_delta_mush.md', 'OSSIFY_direct_delta_mush'],
      ['docs/OSSIFY_two_layer_skin.md', 'OSSIFY_two_layer_skin'],
      ['docs/OSSIFY_helper_bones.md', 'OSSIFY_helper_bones'],
      ['docs/OSSIFY_skin_correction.md', 'OSSIFY_skin_correction'],
      ['docs/OSSIFY_skin_blend.md', 'OSSIFY_skin_blend'],
      ['docs/OSSIFY_skin_light.md', 'OSSIFY_skin_light'],
      ['docs/OSSIFY_shape_drivers.md', 'OSSIFY_shape_drivers'],
      ['docs/OSSIFY_compact_skin.md', 'OSSIFY_compact_skin'],
    ],
  },
  {
    heading: 'Documents',
    pages: [
      ['docs/papers.md', 'The documents and our commands'],
      ['docs/published-decompose.md', 'Decompositions as published'],
      ['docs/published-skeleton.md', 'Skeletons as published'],
      ['docs/published-weights.md', 'Weight reduction as published'],
      ['docs/published-sma.md', 'Skinning mesh animations as published'],
      ['docs/published-ddm.md', 'Direct Delta Mush as published'],
      ['docs/published-compress.md', 'DDM compression as published'],
      ['docs/published-convert.md', 'Helper bones as published'],
    ],
  },
  {
    heading: 'Project',
    pages: [
      ['ARCHITECTURE.md', 'Architecture'],
      ['CONTRIBUTING.md', 'Contributing'],
      ['docs/fuzzing.md', 'Fuzzing'],
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

function addressOf(source) {
  if (source === 'README.md') return 'index.html';
  if (source.endsWith('/README.md')) return source.replace('README.md', 'about.html');
  return source.replace(/\.md$/, '.html');
}

/** Address of a file that is not on the site. */
export function repositoryAddress(path) {
  return `${REPOSITORY}/blob/main/${path}`;
}
