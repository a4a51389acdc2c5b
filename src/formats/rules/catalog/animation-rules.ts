// SPDX-License-Identifier: MIT
import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import type { Scene } from '../../gltf/index.ts';
import type { Fault, Rule } from '../rule.ts';
import { animationName, nodeName } from './scene-facts.ts';

/** Difference from one of the length of a quaternion; Khronos' validator allows about as much. */
const LENGTH_ERROR = 0.005;
/** Seconds before the first key that are worth a word. Blender exports the first frame as frame 1. */
const LATE = 0.1;
/** Seconds of an animation that is one pose, once it is given a length. */
const FRAME = 1 / 30;

const withAnimations = (scene: Scene, change: (animation: Animation) => Animation): Scene => ({
  ...scene,
  animations: scene.animations.map((animation) => {
    const changed = change(animation);
    if (changed === animation) return animation;
    const duration = changed.tracks.reduce((last, { times }) => Math.max(last, times[times.length - 1] ?? 0), 0);
    return { ...changed, duration };
  }),
});

/** Time of the first key of an animation. */
const startOf = ({ tracks }: Animation): number =>
  tracks.reduce((first, { times }) => Math.min(first, times[0] ?? Infinity), Infinity);

const endOf = ({ tracks }: Animation): number =>
  tracks.reduce((last, { times }) => Math.max(last, times[times.length - 1] ?? -Infinity), -Infinity);

const isOutside = (animation: Animation): boolean => {
  const start = startOf(animation);
  return Number.isFinite(start) && (start < 0 || start > LATE);
};

const outside: Rule = {
  id: 'animation-start',
  severity: 'note',
  title: 'Animations start at time zero',
  remedy: 'move the keys so that the first is at zero: players start there',
  check({ scene }) {
    return scene.animations.flatMap((animation, a): Fault[] => {
      if (!isOutside(animation)) return [];
      const start = startOf(animation);
      const place = { animation: animationName(scene, a) };
      const fault = `its first key is at ${Number(start.toPrecision(4))} s`;
      return [{ place, fault, ...(start < 0 ? { severity: 'warning' } : {}) }];
    });
  },
  fix: ({ scene }) =>
    withAnimations(scene, (animation) => {
      if (!isOutside(animation)) return animation;
      const start = startOf(animation);
      return { ...animation, tracks: animation.tracks.map((track) => moveKeys(track, start)) };
    }),
};

function moveKeys(track: Track, start: number): Track {
  const times = track.times.map((time) => time - start);
  // rounding must not make two keys one
  for (let k = 1; k < times.length; k++) if (!(times[k] > times[k - 1])) return track;
  return { ...track, times };
}

const isPose = (animation: Animation): boolean =>
  animation.tracks.length > 0 && !(endOf(animation) > startOf(animation));

const noLength: Rule = {
  id: 'animation-length',
  severity: 'warning',
  title: 'Animations have a length',
  remedy: 'give it a second key one frame later: some engines refuse a clip without length',
  check({ scene }) {
    return scene.animations.flatMap((animation, a): Fault[] => {
      const place = { animation: animationName(scene, a) };
      if (animation.tracks.length === 0)
        return animation.motion ? [] : [{ place, fault: 'it has no keys', remedy: 'remove it' }];
      return isPose(animation) ? [{ place, fault: 'all its keys are at one time', severity: 'note' }] : [];
    });
  },
  fix({ scene }) {
    const animations = scene.animations.filter(({ tracks, motion }) => tracks.length > 0 || motion);
    return withAnimations({ ...scene, animations }, (animation) =>
      isPose(animation) ? { ...animation, tracks: animation.tracks.map(holdPose) } : animation,
    );
  },
};

function holdPose(track: Track): Track {
  const { times, values, interpolation } = track;
  const size = values.length / times.length;
  const last = values.subarray(values.length - size);
  const held = interpolation === 'CUBICSPLINE' ? last.slice(size / 3, (2 * size) / 3) : last;
  return {
    ...track,
    interpolation: 'LINEAR',
    times: Float32Array.of(times[0], times[0] + FRAME),
    values: Float32Array.of(...held, ...held),
  };
}

/** Keys of a track whose quaternions are not of unit length. Tangents of splines have any. */
function listWrongLengths({ path, interpolation, values }: Track): number[] {
  if (path !== 'rotation') return [];
  const [step, first] = interpolation === 'CUBICSPLINE' ? [12, 4] : [4, 0];
  const found: number[] = [];
  for (let k = 0; k * step < values.length; k++) {
    const o = k * step + first;
    const length = Math.hypot(values[o], values[o + 1], values[o + 2], values[o + 3]);
    if (length > 0 && Math.abs(length - 1) > LENGTH_ERROR) found.push(k);
  }
  return found;
}

const lengths: Rule = {
  id: 'rotation-length',
  severity: 'warning',
  title: 'Rotations of keys are unit quaternions',
  remedy: 'scale them to unit length',
  check({ scene }) {
    return scene.animations.flatMap(({ tracks }, a) =>
      tracks.flatMap((track): Fault[] => {
        const wrong = listWrongLengths(track);
        if (wrong.length === 0) return [];
        const place = {
          animation: animationName(scene, a),
          node: nodeName(scene.nodes, track.node),
          count: wrong.length,
        };
        const fault = `the rotations of ${wrong.length === 1 ? '1 key' : `${wrong.length} keys`} are not of unit length`;
        return [{ place, fault }];
      }),
    );
  },
  fix: ({ scene }) =>
    withAnimations(scene, (animation) =>
      animation.tracks.some((track) => listWrongLengths(track).length > 0)
        ? { ...animation, tracks: animation.tracks.map(normalizeKeys) }
        : animation,
    ),
};

function normalizeKeys(track: Track): Track {
  const wrong = listWrongLengths(track);
  if (wrong.length === 0) return track;
  const values = track.values.slice();
  const size = values.length / track.times.length;
  for (const k of wrong) {
    const own = values.subarray(k * size, (k + 1) * size);
    const [x, y, z, w] = size === 12 ? own.subarray(4, 8) : own;
    const length = Math.hypot(x, y, z, w);
    // tangents belong to the value
    for (let c = 0; c < size; c++) own[c] /= length;
  }
  return { ...track, values };
}

const withoutEffect: Rule = {
  id: 'animation-still',
  severity: 'note',
  title: 'Animations move something',
  remedy: 'remove it, unless it is a pose that is played on purpose',
  check({ scene }) {
    return scene.animations.flatMap(({ tracks, motion }, a): Fault[] => {
      if (motion || tracks.length === 0 || !tracks.every(isConstant)) return [];
      return [{ place: { animation: animationName(scene, a) }, fault: 'nothing moves in it' }];
    });
  },
};

function isConstant({ values, times, interpolation }: Track): boolean {
  const size = values.length / times.length;
  if (interpolation !== 'CUBICSPLINE') return values.every((x, c) => x === values[c % size]);
  const own = size / 3;
  return values.every((x, c) => (Math.floor(c / own) % 3 === 1 ? x === values[own + (c % own)] : x === 0));
}

/** Rules about animations. */
export const ANIMATION_RULES: readonly Rule[] = [noLength, outside, lengths, withoutEffect];
