// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeHdf5Archive } from '../../../../../fuzz/seeds/make-hdf5.ts';
import { Hdf5File } from '../hdf5-file.ts';
import { undoHdf5Filters } from '../hdf5-filters.ts';

describe('the shuffle of HDF5', () => {
  const file = new Hdf5File(makeHdf5Archive({ frames: [new Float32Array(9)], indices: Int32Array.of(0, 2, 1) }));
  const undo = (data: Uint8Array, parameters: number[]) => {
    const filters = parameters.map((parameter) => ({ id: 2, parameter }));
    return undoHdf5Filters(file, data, { filters, mask: 0, byteCount: data.length });
  };

  it('sorts the bytes of numbers', () => {
    expect([...undo(Uint8Array.of(1, 2, 3, 4, 5, 6), [2])]).toEqual([1, 4, 2, 5, 3, 6]);
  });

  it('leaves bytes as they are where a number is larger than all of them, however large', () => {
    const data = Uint8Array.of(1, 2, 3, 4, 5, 6);
    expect([...undo(data, new Array<number>(30).fill(0xffffffff))]).toEqual([...data]);
  });
});
