// SPDX-License-Identifier: MIT
import type { Scene, SceneShape } from '../../gltf/index.ts';
import type { Fault, Rule } from '../rule.ts';
import { animationName, shapeName } from './scene-facts.ts';

/** Rounding of weights. */
const WEIGHT_ERROR = 1e-4;

const still: Rule = {
  id: 'morph-empty',
  severity: 'note',
  title: 'Every morph target moves a vertex',
  remedy: 'keep it if a program looks for its name, otherwise remove it',
  check({ scene }) {
    return scene.shapes.flatMap((shape): Fault[] => {
      const idle = shape.targets.filter(({ positions }) => positions.every((x) => x === 0));
      if (idle.length === 0) return [];
      const place = { mesh: shapeName(scene, shape), morph: idle[0].name, count: idle.length };
      const fault = idle.length === 1 ? 'it moves no vertex' : `${idle.length} targets move no vertex, this first`;
      return [{ place, fault }];
    });
  },
};

/** The range of the weights of each target of a shape, over its rest and all animations. */
function listRanges({ animations }: Scene, { node, targets }: SceneShape): [least: number, most: number][] {
  const ranges = targets.map(({ weight }): [number, number] => [weight, weight]);
  const count = targets.length;
  for (const { tracks } of animations)
    for (const { node: moved, path, interpolation, values } of tracks) {
      if (moved !== node || path !== 'weights') continue;
      const isCubic = interpolation === 'CUBICSPLINE';
      for (let c = 0; c < values.length; c++) {
        if (isCubic && Math.floor(c / count) % 3 !== 1) continue;
        const range = ranges[c % count];
        range[0] = Math.min(range[0], values[c]);
        range[1] = Math.max(range[1], values[c]);
      }
    }
  return ranges;
}

const range: Rule = {
  id: 'morph-weight',
  severity: 'warning',
  title: 'Weights of morph targets are from 0 to 1',
  remedy: 'scale the target so that 1 is its largest weight: Unity and AR Quick Look clamp weights',
  check({ scene }) {
    return scene.shapes.flatMap((shape) =>
      listRanges(scene, shape).flatMap(([least, most], t): Fault[] => {
        if (least >= -WEIGHT_ERROR && most <= 1 + WEIGHT_ERROR) return [];
        const place = { mesh: shapeName(scene, shape), morph: shape.targets[t].name };
        const isNegative = least < -WEIGHT_ERROR;
        return [
          {
            place,
            fault: `its weights are from ${show(least)} to ${show(most)}`,
            canFix: !isNegative,
            ...(isNegative
              ? { severity: 'note', remedy: 'add a target that moves the other way, if the player clamps weights' }
              : {}),
          },
        ];
      }),
    );
  },
  fix({ scene }) {
    const factors = scene.shapes.map((shape) =>
      listRanges(scene, shape).map(([least, most]) => (least >= -WEIGHT_ERROR && most > 1 + WEIGHT_ERROR ? most : 1)),
    );
    const byNode = new Map(scene.shapes.map(({ node }, s) => [node, factors[s]]));
    return {
      ...scene,
      shapes: scene.shapes.map((shape, s) => scaleTargets(shape, factors[s])),
      animations: scene.animations.map((animation) => ({
        ...animation,
        tracks: animation.tracks.map((track) => {
          const own = track.path === 'weights' ? byNode.get(track.node) : undefined;
          return own ? { ...track, values: track.values.map((x, c) => x / own[c % own.length]) } : track;
        }),
      })),
    };
  },
};

const show = (x: number): string => String(Number(x.toPrecision(4)));

function scaleTargets(shape: SceneShape, factors: readonly number[]): SceneShape {
  return {
    ...shape,
    targets: shape.targets.map((target, t) => ({
      ...target,
      weight: target.weight / factors[t],
      positions: target.positions.map((x) => x * factors[t]),
      ...(target.normals ? { normals: target.normals.map((x) => x * factors[t]) } : {}),
    })),
  };
}

/** A pose that shows at rest is easily lost, since several formats store no weight at rest. */
const shown: Rule = {
  id: 'morph-shown',
  severity: 'note',
  title: 'Morph targets have no weight at rest',
  remedy: 'apply the target to the mesh if it is always shown',
  check({ scene }) {
    return scene.shapes.flatMap((shape) =>
      shape.targets.flatMap(({ name, weight }): Fault[] =>
        Math.abs(weight) > WEIGHT_ERROR
          ? [{ place: { mesh: shapeName(scene, shape), morph: name }, fault: `its weight at rest is ${show(weight)}` }]
          : [],
      ),
    );
  },
};

/** Weights that are animated on a mesh without morph targets, and by more numbers than there are targets. */
const unmatched: Rule = {
  id: 'morph-track',
  severity: 'warning',
  title: 'Tracks of weights have a number for every morph target',
  remedy: 'remove the track',
  check({ scene }) {
    return scene.animations.flatMap(({ tracks }, a) =>
      tracks.flatMap((track): Fault[] =>
        isUnmatched(scene, track)
          ? [{ place: { animation: animationName(scene, a) }, fault: 'it has weights that fit no morph targets' }]
          : [],
      ),
    );
  },
  fix({ scene }) {
    const animations = scene.animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.filter((track) => !isUnmatched(scene, track)),
    }));
    return { ...scene, animations };
  },
};

function isUnmatched(
  { shapes }: Scene,
  { path, node, times, values, interpolation }: Scene['animations'][0]['tracks'][0],
) {
  if (path !== 'weights') return false;
  const count = shapes.find((shape) => shape.node === node)?.targets.length ?? 0;
  return values.length !== times.length * count * (interpolation === 'CUBICSPLINE' ? 3 : 1);
}

/** Rules about morph targets. */
export const MORPH_RULES: readonly Rule[] = [unmatched, range, still, shown];
