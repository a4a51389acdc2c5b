// SPDX-License-Identifier: MIT
// The error of weights as one small quadratic per point, which every method uses (only the Poisson method also reads frames).
//
// Weights x of a point u that sum to one have the error xᵀHx, with H_jk = Σ_poses (Mⱼũ − v')·(Mₖũ − v') = ⟨Nⱼₖ, X⟩ − gⱼ − gₖ + s, where
//   Nⱼₖ = Σ MⱼᵀMₖ     ten numbers per pair of bones, for all points together (core/kernels/bones/bone-products.ts)
//   X = ũũᵀ           ten numbers per point
//   gⱼ = Σ v'·Mⱼũ      one number per point and bone;   s = Σ v'²   one per point
// So H is never stored: with an atom's table Tⱼ = Σₖ Nⱼₖ dₖ, (Hd)ⱼ = ⟨Tⱼ, X⟩ − gⱼ − g·d + s costs ten multiplications per bone, and sums Σ a²H over points
// are sums of X, g and s. If v' is the shape of the input skin, g = ⟨N, X⟩w and s = wᵀ⟨N, X⟩w, without frames.
//
// Normals: viewers rotate them by the blended matrix. Weights that keep this matrix along the surface keep normals: h²(|ΔA t₁|² + |ΔA t₂|²) with tangents t₁, t₂ is
// the same quadratic with X = ũũᵀ + h²(I − nnᵀ), the target being the skin's own matrix.
//
// Without poses, G_j = |u − cⱼ|² + r² estimates how far a change of weight j moves the point, with cⱼ the center of bone j: xᵀHx = Σ Gⱼ(xⱼ − wⱼ)², which is the same
// with ⟨Nⱼₖ, X⟩ = [j = k] Gⱼ, gⱼ = Gⱼwⱼ, s = Σ Gⱼwⱼ². G = 1 is the paper's metric (Eq. 44a).

/** An atom with its table, in lists of both. */
export interface TabledAtom {
  atoms: Float64Array;
  /** Offset in atoms. */
  o: number;
  tables: Float64Array;
  /** Offset in tables. */
  t: number;
}

/** Bones, the first of a longer list. */
export interface BoneList {
  list: Int32Array;
  count: number;
}

export interface ErrorQuadratics {
  readonly pointCount: number;
  readonly boneCount: number;
  /** Numbers of an atom's table. */
  readonly tableSize: number;
  /** Numbers of a sum of quadratics. */
  readonly sumSize: number;
  /** Divisor of xᵀHx for a mean square per coordinate and pose; 1 without poses. */
  readonly poseNumbers: number;
  /** Row j of H: boneCount numbers. */
  rowInto(point: number, j: number, row: Float64Array): void;
  diagonalInto(point: number, diagonal: Float64Array): void;
  /** ⟨Nⱼₖ, X⟩ for all k, and g and s: boneCount numbers each. */
  plainRowInto(point: number, j: number, row: Float64Array): void;
  linearInto(point: number, linear: Float64Array): void;
  squareOf(point: number): number;
  /** Fills the table of an atom (boneCount numbers from o on, summing to one) from t on. */
  tableInto(atoms: Float64Array, o: number, tables: Float64Array, t: number): void;
  /** (Hd)ⱼ for bones in the list: out[j]. */
  applyInto(point: number, atom: TabledAtom, bones: BoneList, out: Float64Array): void;
  /** sum += scale H, in the representation of sums. */
  addInto(point: number, scale: number, sum: Float64Array): void;
  /** The summed quadratic on the bones of a list: count x count. */
  quadraticInto(sum: Float64Array, list: Int32Array, count: number, out: Float64Array): void;
}
