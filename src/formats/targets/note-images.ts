// SPDX-License-Identifier: MIT
import { quoteName } from '../../core/model/plain-text.ts';
import type { Scene } from '../gltf/index.ts';
import { measureImage } from './measure-image.ts';
import type { Target } from './target.ts';

/** Notes images of types that the target does not show, and those that are larger than it recommends. They are kept as they are. */
export function noteImages(
  { look }: Scene,
  { title, images, imageSize }: Pick<Target, 'title' | 'images' | 'imageSize'>,
  log?: (message: string) => void,
): void {
  const facts = look.images.map((image, n) => {
    const measured = measureImage(image.bytes);
    return { ...measured, type: measured.type || image.type, name: image.name ?? `image ${n}` };
  });
  const unread = images ? facts.filter(({ type }) => !images.value.includes(type)) : [];
  if (unread.length > 0) {
    const types = [...new Set(unread.map(({ type }) => type.replace('image/', '').toUpperCase() || 'unknown'))];
    log?.(
      `${unread.length === 1 ? 'the image' : `${unread.length} images, the first of which is`} ${quoteName(unread[0].name)} (${types.join(', ')}) ${unread.length === 1 ? 'is' : 'are'} not shown by ${title}; convert to PNG or JPEG`,
    );
  }
  const limit = imageSize?.value ?? Infinity;
  const large = facts.filter(({ width, height }) => Math.max(width, height) > limit);
  if (large.length > 0) {
    const [{ name, width, height }] = large;
    log?.(
      `${large.length === 1 ? 'the image' : `${large.length} images, the first of which is`} ${quoteName(name)} (${width} x ${height}) ${large.length === 1 ? 'is' : 'are'} larger than ${limit} x ${limit}, which ${title} recommends; scale them down in an image editor`,
    );
  }
}
