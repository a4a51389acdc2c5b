// SPDX-License-Identifier: MIT
import { Document, Property } from '@gltf-transform/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeSource } from '../gltf-json.ts';
import { openGltfForReading } from '../open-gltf-document.ts';

/** The prototype that has the method of the dependency, and the method. */
function findDispatcher(): { dispatchEvent(event: { type: string; attribute?: string }): unknown } {
  let prototype = Object.getPrototypeOf(Property.prototype);
  while (prototype && !Object.hasOwn(prototype, 'dispatchEvent')) prototype = Object.getPrototypeOf(prototype);
  return prototype;
}

const source = () =>
  makeSource({ asset: { version: '2.0' }, nodes: [{ name: 'a', translation: [1, 2, 3] }, { name: 'b' }] }, {});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('openGltfForReading', () => {
  it('reads without events of changes, as long as glTF-Transform reports them by Property.dispatchEvent', async () => {
    const dispatch = vi.spyOn(findDispatcher(), 'dispatchEvent');
    const document = await openGltfForReading(source());
    const types = new Set(dispatch.mock.calls.map(([{ type }]) => type));
    expect(types).toContain('create');
    // the guard makes one node of its own, which its root reports
    const changed = dispatch.mock.calls.map(([event]) => event).filter(({ type }) => type === 'change');
    expect(changed.map(({ attribute }) => attribute)).toEqual(['nodes']);
    expect(document.getRoot().listNodes()[0].getTranslation()).toEqual([1, 2, 3]);
  });

  it('leaves the events of other documents as they were', async () => {
    await openGltfForReading(source());
    expect(Object.hasOwn(Property.prototype, 'dispatchEvent')).toBe(false);
    const node = new Document().createNode();
    const listener = vi.fn();
    node.addEventListener('change', listener);
    node.setName('other');
    expect(listener).toHaveBeenCalledOnce();
  });

  it('reads with events if properties have a dispatchEvent of their own, which it keeps', async () => {
    const { dispatchEvent } = findDispatcher();
    Object.defineProperty(Property.prototype, 'dispatchEvent', {
      configurable: true,
      writable: true,
      value: dispatchEvent,
    });
    try {
      const document = await openGltfForReading(source());
      expect(document.getRoot().listNodes()[0].getTranslation()).toEqual([1, 2, 3]);
      expect(Property.prototype).toHaveProperty('dispatchEvent', dispatchEvent);
    } finally {
      Reflect.deleteProperty(Property.prototype, 'dispatchEvent');
    }
  });
});
