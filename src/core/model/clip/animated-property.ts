// SPDX-License-Identifier: MIT
import type { Track } from './animation.ts';

/** A number of a file that its animations change, other than transforms of nodes and weights of shapes: extras of a node, a factor of a material. */
export interface AnimatedProperty {
  /** The last part of the pointer, with the number of the component if there are several. Unique within a file. */
  name: string;
  /** JSON pointer to the property in the file. */
  pointer: string;
  /** The value in the file, or of the first key if the file has none. */
  rest: number;
  /** By animation: keys of one number each, as a track of the path 'weights'; undefined where the animation does not change it. */
  tracks: (Track | undefined)[];
}
