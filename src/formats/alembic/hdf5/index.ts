// SPDX-License-Identifier: MIT
export { type Hdf5Dataset, readHdf5Dataset } from './hdf5-dataset.ts';
export { Hdf5File } from './hdf5-file.ts';
export { type Hdf5Links, readHdf5Links } from './hdf5-group.ts';
export { readHdf5Messages } from './hdf5-messages.ts';
export { type Hdf5Attribute, readHdf5Attributes, textOfHdf5 } from './hdf5-values.ts';
