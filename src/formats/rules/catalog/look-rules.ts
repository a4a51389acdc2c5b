// SPDX-License-Identifier: MIT
import type { SurfaceMap, SurfaceMaterial } from '../../../core/model/surface-look.ts';
import type { Scene } from '../../gltf/index.ts';
import type { ImageFacts } from '../../targets/index.ts';
import type { Fault, Rule } from '../rule.ts';
import { readImageHeader } from './read-image-header.ts';

/** Pixels of a side. WebGL and telephones guarantee no more; AR Quick Look scales larger ones down. */
const MAX_SIDE = 4096;
/** Types that every program reads. */
const COMMON = ['image/png', 'image/jpeg'];
/** Types that glTF holds by extensions. */
const EXTENDED = [...COMMON, 'image/webp', 'image/ktx2', 'image/avif'];

const MAPS = ['colorMap', 'metallicRoughnessMap', 'normalMap', 'occlusionMap', 'emissiveMap'] as const;

const listMaps = (material: SurfaceMaterial): SurfaceMap[] => MAPS.flatMap((key) => material[key] ?? []);

const imageName = ({ look }: Scene, index: number): string => look.images[index].name || String(index);

/** A fault of every image whose header breaks a rule. */
function listImages(scene: Scene, describe: (header: ImageFacts, byteLength: number) => string | undefined): Fault[] {
  return scene.look.images.flatMap(({ bytes }, n): Fault[] => {
    const fault = describe(readImageHeader(bytes), bytes.length);
    return fault === undefined ? [] : [{ place: { image: imageName(scene, n) }, fault }];
  });
}

const listUsedMaterials = ({ shapes }: Scene): Set<number> =>
  new Set(shapes.flatMap(({ materialOfPart }) => materialOfPart ?? []).filter((m) => m >= 0));

const listUsedImages = ({ look }: Scene): Set<number> =>
  new Set(look.materials.flatMap((material) => listMaps(material).map(({ image }) => image)));

const unusedMaterials: Rule = {
  id: 'material-unused',
  severity: 'note',
  title: 'Every material is on a mesh',
  remedy: 'remove it',
  check({ scene }) {
    const used = listUsedMaterials(scene);
    return scene.look.materials.flatMap(({ name }, m): Fault[] =>
      used.has(m) ? [] : [{ place: { material: name || String(m) }, fault: 'no mesh has it' }],
    );
  },
  fix({ scene }) {
    const used = listUsedMaterials(scene);
    const kept = [...scene.look.materials.keys()].filter((m) => used.has(m));
    const placeOf = new Map(kept.map((m, place) => [m, place]));
    return {
      ...scene,
      look: { ...scene.look, materials: kept.map((m) => scene.look.materials[m]) },
      shapes: scene.shapes.map((shape) => ({
        ...shape,
        ...(shape.materialOfPart ? { materialOfPart: shape.materialOfPart.map((m) => placeOf.get(m) ?? -1) } : {}),
      })),
    };
  },
};

const unusedImages: Rule = {
  id: 'image-unused',
  severity: 'note',
  title: 'Every image is in a material',
  remedy: 'remove it',
  check({ scene }) {
    const used = listUsedImages(scene);
    return scene.look.images.flatMap((_, n): Fault[] =>
      used.has(n) ? [] : [{ place: { image: imageName(scene, n) }, fault: 'no material shows it' }],
    );
  },
  fix: ({ scene }) => keepImages(scene, listUsedImages(scene)),
};

/** The scene with some of its images; maps of the others are removed. */
function keepImages(scene: Scene, kept: ReadonlySet<number>): Scene {
  const placeOf = new Map([...scene.look.images.keys()].filter((n) => kept.has(n)).map((n, place) => [n, place]));
  const place = (material: SurfaceMaterial): SurfaceMaterial => {
    const made = { ...material };
    for (const key of MAPS) {
      const map = made[key];
      if (!map) continue;
      const image = placeOf.get(map.image);
      made[key] = image === undefined ? undefined : { ...map, image };
    }
    return made;
  };
  const { look } = scene;
  return {
    ...scene,
    look: { ...look, images: look.images.filter((_, n) => kept.has(n)), materials: look.materials.map(place) },
  };
}

const damaged: Rule = {
  id: 'image-damaged',
  severity: 'error',
  title: 'Images are in a known format',
  remedy: 'replace it; --fix takes it from the materials, which then show their colours',
  check: ({ scene }) =>
    listImages(scene, ({ type }, byteLength) => {
      if (type !== '') return undefined;
      return byteLength === 0 ? 'it has no bytes' : 'its bytes are of no image format';
    }),
  fix({ scene }) {
    const kept = [...scene.look.images.keys()].filter((n) => readImageHeader(scene.look.images[n].bytes).type !== '');
    return keepImages(scene, new Set(kept));
  },
};

const type: Rule = {
  id: 'image-type',
  severity: 'note',
  title: 'Images are PNG or JPEG',
  remedy: 'convert it to PNG or JPEG, which every program reads',
  check({ scene }) {
    const faults = listImages(scene, ({ type: own }) => (own === '' || COMMON.includes(own) ? undefined : own));
    return faults.map(({ place, fault: own }): Fault => {
      const isKnown = EXTENDED.includes(own);
      return { place, fault: `it is ${own}`, ...(isKnown ? {} : { severity: 'warning' }) };
    });
  },
};

const size: Rule = {
  id: 'image-size',
  severity: 'warning',
  title: `Images have at most ${MAX_SIDE} pixels on a side`,
  remedy: 'make it smaller: telephones and browsers scale it down or do not show it',
  check: ({ scene }) =>
    listImages(scene, ({ width, height }) =>
      Math.max(width, height) > MAX_SIDE ? `it has ${width} x ${height} pixels` : undefined,
    ),
};

const isPower = (x: number): boolean => x > 0 && (x & (x - 1)) === 0;

const power: Rule = {
  id: 'image-power',
  severity: 'note',
  title: 'Sides of images are powers of two',
  remedy: 'scale it, if the target compresses textures or makes mip maps of such sizes only',
  check: ({ scene }) =>
    listImages(scene, ({ width, height }) =>
      width === 0 || (isPower(width) && isPower(height)) ? undefined : `it has ${width} x ${height} pixels`,
    ),
};

/** Factors of a material that are from 0 to 1. */
function listFactors(material: SurfaceMaterial): number[] {
  const { color, metallic, roughness, occlusionStrength } = material;
  return [...color, metallic, roughness, occlusionStrength];
}

const isFactor = (x: number): boolean => x >= 0 && x <= 1;
const clamp = (x: number): number => (x >= 0 ? Math.min(1, x) : 0);

const factors: Rule = {
  id: 'material-range',
  severity: 'warning',
  title: 'Colours, metallic and roughness are from 0 to 1',
  remedy: 'set it to a number from 0 to 1',
  check({ scene }) {
    return scene.look.materials.flatMap((material, m): Fault[] => {
      const wrong = listFactors(material).find((x) => !isFactor(x));
      if (wrong === undefined) return [];
      return [{ place: { material: material.name || String(m) }, fault: `it has the factor ${wrong}` }];
    });
  },
  fix({ scene }) {
    const mend = (material: SurfaceMaterial): SurfaceMaterial => {
      const [r, g, b, a] = material.color.map(clamp);
      const { metallic, roughness, occlusionStrength } = material;
      return {
        ...material,
        color: [r, g, b, a],
        ...{ metallic: clamp(metallic), roughness: clamp(roughness), occlusionStrength: clamp(occlusionStrength) },
      };
    };
    return { ...scene, look: { ...scene.look, materials: scene.look.materials.map(mend) } };
  },
};

/** Rules about materials and images. Images that only unused materials show are removed with these. */
export const LOOK_RULES: readonly Rule[] = [damaged, factors, unusedMaterials, unusedImages, type, size, power];
