// SPDX-License-Identifier: MIT
import { measureBounds } from '../mesh/bounds.ts';
import { type DirectDeltaMush, shiftOmega } from '../model/direct-delta-mush.ts';

/**
 * What a flat or point-like patch is thickened by, as parts of its own spread and of the model's size squared. Its moments in some direction are nothing
 * but rounding there (1e-16 of the size squared), and a rotation from them would be chance. 1e-13 is above that rounding, and against a patch a
 * thousandth of the model across it is one part in ten million.
 */
const OWN_THICKNESS = 1e-12;
const SIZE_THICKNESS = 1e-13;

/**
 * Multi-weights about each vertex's own center of rotation p (Le et al. 2021, DDM compression, §5): Ω* = T(−p) Ω T(−p)ᵀ = [A b; bᵀ ω]. Then
 * Σⱼ Mⱼ T(p) Ω*ⱼ = [Q − q pᵀ, q; 0 1] needs no difference of large numbers, and Σ b = 0.
 * Thickening adds ε ωⱼ I to each A: a small ball that each bone carries along. It changes neither p nor q, follows rigid motion, and leaves the
 * identity pose exact.
 */
export interface DdmPatches {
  /** entryCount x 10: A, b, ω in the order of the omegas */
  centered: Float64Array;
  /** vertexCount x 3: p */
  centers: Float64Array;
  /** vertexCount x 3: rest position less p */
  offsets: Float64Array;
  /** vertexCount x 6: Σ A = P − p pᵀ + ε I, xx xy xz yy yz zz */
  spreads: Float64Array;
}

export function makeDdmPatches(model: DirectDeltaMush): DdmPatches {
  const { rowStart, omegas } = model.multiWeights;
  const rest = model.mesh.positions;
  const vertexCount = rest.length / 3;
  const size = measureBounds(rest).diagonal;
  const centered = omegas.slice();
  const centers = new Float64Array(vertexCount * 3);
  const offsets = new Float64Array(vertexCount * 3);
  const spreads = new Float64Array(vertexCount * 6);
  for (let i = 0; i < vertexCount; i++) {
    let x = 0,
      y = 0,
      z = 0,
      weight = 0;
    for (let o = 10 * rowStart[i]; o < 10 * rowStart[i + 1]; o += 10) {
      x += omegas[o + 3];
      y += omegas[o + 6];
      z += omegas[o + 8];
      weight += omegas[o + 9];
    }
    x /= weight;
    y /= weight;
    z /= weight;
    centers[3 * i] = x;
    centers[3 * i + 1] = y;
    centers[3 * i + 2] = z;
    for (let c = 3 * i; c < 3 * i + 3; c++) offsets[c] = rest[c] - centers[c];
    let spread = 0;
    for (let o = 10 * rowStart[i]; o < 10 * rowStart[i + 1]; o += 10) {
      shiftOmega(centered, o, -x, -y, -z);
      spread += centered[o] + centered[o + 4] + centered[o + 7];
    }
    const thickness =
      OWN_THICKNESS * Math.max(0, spread) + SIZE_THICKNESS * (size * size + x * x + y * y + z * z) || SIZE_THICKNESS;
    for (let o = 10 * rowStart[i]; o < 10 * rowStart[i + 1]; o += 10) {
      const ball = thickness * centered[o + 9];
      centered[o] += ball;
      centered[o + 4] += ball;
      centered[o + 7] += ball;
      spreads[6 * i] += centered[o];
      spreads[6 * i + 1] += centered[o + 1];
      spreads[6 * i + 2] += centered[o + 2];
      spreads[6 * i + 3] += centered[o + 4];
      spreads[6 * i + 4] += centered[o + 5];
      spreads[6 * i + 5] += centered[o + 7];
    }
  }
  return { centered, centers, offsets, spreads };
}
