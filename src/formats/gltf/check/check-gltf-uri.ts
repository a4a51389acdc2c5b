// SPDX-License-Identifier: MIT
import { fail } from '../../../deformers/layout/index.ts';

/**
 * Returns the path of a URI of a glTF, relative to the file's folder. Throws if it could be outside that folder:
 * a scheme or a drive, an absolute path, '..' beyond the folder, a backslash, a control character, or any of
 * these percent-encoded (once or twice).
 */
export function checkGltfUri(uri: string): string {
  const refuse = (why: string): never => fail('uri', `the URI "${uri.slice(0, 80)}" ${why}`);
  let path: string;
  try {
    path = decodeURIComponent(uri);
  } catch {
    // A file name with a bare percent sign is not decoded.
    path = uri;
  }
  if (path === '') refuse('is empty');
  if (/%(2e|2f|5c|25|00)/i.test(path)) refuse('hides a path behind percent signs');
  if (path.includes(':')) refuse('names a scheme or a drive; only files of the same folder are read');
  if (path.includes('\\')) refuse('has a backslash; glTF separates folders by a slash');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(path)) refuse('has control characters');
  if (path.startsWith('/')) refuse('is absolute; only files of the same folder are read');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.length === 0) refuse('leads out of the folder of the file');
      parts.pop();
    } else parts.push(part);
  }
  if (parts.length === 0) refuse('names no file');
  // Resources are stored by URI in a plain object, in which these names have another meaning.
  if (uri in Object.prototype) refuse('is not a usable file name');
  return parts.join('/');
}

/** The bytes and the media type of a base64 data URI. */
export function decodeDataUri(uri: string): { bytes: Uint8Array<ArrayBuffer>; mimeType: string } {
  const comma = uri.indexOf(',');
  const head = uri.slice(5, Math.max(comma, 5));
  if (comma < 0 || !/;base64$/i.test(head)) fail('uri', 'a data URI is not in base64');
  let text: string;
  try {
    text = atob(uri.slice(comma + 1));
  } catch {
    return fail('uri', 'a data URI holds characters that are not base64');
  }
  const bytes = new Uint8Array(text.length);
  for (let n = 0; n < text.length; n++) bytes[n] = text.charCodeAt(n);
  return { bytes, mimeType: head.split(';')[0].toLowerCase() };
}
