// SPDX-License-Identifier: MIT
// The nearest point of a triangle: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5, by the region of the plane that the point projects to. With edges u, w from corner a and p = x − a:
//   d₁ = u·p, d₂ = w·p,   d₃ = d₁ − u·u, d₄ = d₂ − u·w,   d₅ = d₁ − u·w, d₆ = d₂ − w·w,
// signs of d₁ … d₆ and of the areas d₁d₄ − d₃d₂, d₅d₂ − d₁d₆, d₃d₆ − d₅d₄ tell which corner, edge or face is nearest.

/** Puts the weights of the second and third corner of the nearest point, and its squared distance. The corners start at a. */
export function nearestOfTriangle(
  v: ArrayLike<number>,
  a: number,
  x: number,
  y: number,
  z: number,
  place: Float64Array,
): void {
  const ux = v[a + 3] - v[a];
  const uy = v[a + 4] - v[a + 1];
  const uz = v[a + 5] - v[a + 2];
  const wx = v[a + 6] - v[a];
  const wy = v[a + 7] - v[a + 1];
  const wz = v[a + 8] - v[a + 2];
  const px = x - v[a];
  const py = y - v[a + 1];
  const pz = z - v[a + 2];
  const d1 = ux * px + uy * py + uz * pz;
  const d2 = wx * px + wy * py + wz * pz;
  const uu = ux * ux + uy * uy + uz * uz;
  const uw = ux * wx + uy * wy + uz * wz;
  const ww = wx * wx + wy * wy + wz * wz;
  const d3 = d1 - uu;
  const d4 = d2 - uw;
  const d5 = d1 - uw;
  const d6 = d2 - ww;
  const va = d3 * d6 - d5 * d4;
  const vb = d5 * d2 - d1 * d6;
  const vc = d1 * d4 - d3 * d2;
  let s = 0;
  let t = 0;
  if (d1 <= 0 && d2 <= 0) {
    s = 0;
  } else if (d3 >= 0 && d4 <= d3) {
    s = 1;
  } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    s = d1 === d3 ? 0 : d1 / (d1 - d3);
  } else if (d6 >= 0 && d5 <= d6) {
    t = 1;
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    t = d2 === d6 ? 0 : d2 / (d2 - d6);
  } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const whole = d4 - d3 + (d5 - d6);
    t = whole === 0 ? 0 : (d4 - d3) / whole;
    s = 1 - t;
  } else {
    const whole = va + vb + vc;
    s = whole === 0 ? 0 : vb / whole;
    t = whole === 0 ? 0 : vc / whole;
  }
  const ex = px - s * ux - t * wx;
  const ey = py - s * uy - t * wy;
  const ez = pz - s * uz - t * wz;
  place[0] = s;
  place[1] = t;
  place[2] = ex * ex + ey * ey + ez * ez;
}
