// SPDX-License-Identifier: MIT

/**
 * Vertex shader functions for bone textures, GLSL ES 3.00. ossifyMatrix() is the blended matrix of a vertex: two frames of each of two clips. The same
 * functions are in integrations/ for Godot, Unity and Unreal.
 */
export const BONE_TEXTURE_GLSL = /* glsl */ `
in vec4 boneIndex;
in vec4 boneWeight;
uniform highp usampler2D boneTexture;
uniform vec4 boneMin[3];
uniform vec4 boneMax[3];
uniform vec3 boneCenter;
/** Rows: a frame of the first clip and the next one, a frame of the second clip and the next one. */
uniform vec4 boneRows;
/** Ratio between the frames of the first clip, of the second, and between the clips. */
uniform vec3 boneMix;
uniform int boneTexels;

vec4 ossifyTexel(int bone, int texel, float row) {
  uvec4 raw = texelFetch(boneTexture, ivec2(bone * boneTexels + texel, int(row)), 0);
  return mix(boneMin[texel], boneMax[texel], vec4(raw) / 65535.0);
}

/** The first three rows of a matrix from texels of the encoding. */
mat3x4 ossifyRows(vec4 a, vec4 b, vec4 c) {
  if (boneTexels == 3) return mat3x4(a, b, c);
  vec4 q = normalize(a);
  vec3 x = vec3(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y));
  vec3 y = vec3(2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x));
  vec3 z = vec3(2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y));
  return mat3x4(vec4(b.w * x, b.x), vec4(b.w * y, b.y), vec4(b.w * z, b.z));
}

mat3x4 ossifyFrame(int bone, float row, float next, float ratio) {
  vec4 a = ossifyTexel(bone, 0, row);
  vec4 a1 = ossifyTexel(bone, 0, next);
  // a quaternion and its negative are the same rotation
  if (boneTexels == 2 && dot(a, a1) < 0.0) a1 = -a1;
  vec4 b = mix(ossifyTexel(bone, 1, row), ossifyTexel(bone, 1, next), ratio);
  vec4 c = boneTexels == 3 ? mix(ossifyTexel(bone, 2, row), ossifyTexel(bone, 2, next), ratio) : vec4(0.0);
  return ossifyRows(mix(a, a1, ratio), b, c);
}

mat3x4 ossifyMatrix() {
  mat3x4 sum = mat3x4(0.0);
  for (int n = 0; n < 4; n++) {
    if (boneWeight[n] == 0.0) continue;
    int bone = int(boneIndex[n] + 0.5);
    mat3x4 rows = ossifyFrame(bone, boneRows.x, boneRows.y, boneMix.x);
    if (boneMix.z > 0.0) rows = rows * (1.0 - boneMix.z) + ossifyFrame(bone, boneRows.z, boneRows.w, boneMix.y) * boneMix.z;
    sum += rows * boneWeight[n];
  }
  return sum;
}

vec3 ossifyPosition(vec3 rest) {
  return vec4(rest - boneCenter, 1.0) * ossifyMatrix() + boneCenter;
}

/** Normals by the cofactors of the matrix: its inverse transpose, up to scale. */
vec3 ossifyNormal(vec3 rest) {
  mat3x4 m = ossifyMatrix();
  vec3 cofactors = vec3(dot(cross(m[1].xyz, m[2].xyz), rest), dot(cross(m[2].xyz, m[0].xyz), rest), dot(cross(m[0].xyz, m[1].xyz), rest));
  return normalize(cofactors);
}
`;
