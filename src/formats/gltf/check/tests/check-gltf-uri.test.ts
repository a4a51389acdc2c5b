// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../../core/model/errors.ts';
import { checkGltfUri, decodeDataUri } from '../check-gltf-uri.ts';

describe('checkGltfUri', () => {
  it.each([
    ['mesh.bin', 'mesh.bin'],
    ['textures/My%20Skin.png', 'textures/My Skin.png'],
    ['./a/../mesh.bin', 'mesh.bin'],
    ['100%.bin', '100%.bin'],
    ['..hidden', '..hidden'],
  ])('takes %s for the file %s', (uri, path) => {
    expect(checkGltfUri(uri)).toBe(path);
  });

  it.each([
    '../secret',
    'a/../../secret',
    '%2e%2e/secret',
    '%2E%2E%2Fsecret',
    '%252e%252e/secret',
    'file:///etc/passwd',
    'http://x/y',
    'HTTPS://x/y',
    'C:\\x',
    'C:x',
    'c%3A/x',
    '//host/x',
    '/etc/passwd',
    '%2fetc/passwd',
    '..\\secret',
    'a%5c..%5cb',
    'a\0b',
    'a%00b',
    '',
    '.',
    'a/..',
    '__proto__',
    'constructor',
  ])('refuses %j', (uri) => {
    expect(() => checkGltfUri(uri)).toThrow(FormatError);
  });

  it('never lets a path out of the folder, whatever it is made of', () => {
    const piece = fc.constantFrom('..', '.', '/', '\\', '%2e', '%2f', '%5c', '%25', ':', 'a', 'b.bin', '%', '\0');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        let path: string;
        try {
          path = checkGltfUri(pieces.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
          return;
        }
        expect(path).not.toMatch(/^\/|\\|:|\0|(^|\/)\.\.?(\/|$)|%(2e|2f|5c)/i);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('decodeDataUri', () => {
  it('decodes base64 and the media type', () => {
    const { bytes, mimeType } = decodeDataUri('data:image/PNG;base64,AAEC/w==');
    expect([...bytes]).toEqual([0, 1, 2, 255]);
    expect(mimeType).toBe('image/png');
  });

  it.each(['data:', 'data:text/plain,hello', 'data:;base64,***'])('refuses %s', (uri) => {
    expect(() => decodeDataUri(uri)).toThrow(FormatError);
  });
});
