// SPDX-License-Identifier: MIT

/** How a packed array is stored as an accessor of an extension. The layout of an extension is a list of these, in the order of the file. */
export interface PackedField<Packed> {
  /** Name of the array. */
  name: keyof Packed & string;
  /** Field of the extension, if it has another name. */
  field?: string;
  /** Numbers per element. */
  size: number;
  /** Whether integers are fractions of one, which glTF calls normalized. Default false. */
  isFraction?: boolean;
}
