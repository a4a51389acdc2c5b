// SPDX-License-Identifier: MIT
// Bone textures in Unity and Unreal: files of ossify bake walk.glb walk --as bone-texture. Include this file and call OssifyBlend once per vertex.
// Unity: import the PNG with sRGB off, compression none, filter point, mipmaps off, format RGBA 16 bit. glTFast turns the second number of every UV set
// upside down and mirrors x: pass 1 - uv.y, and mirror positions and normals before and after, as OssifyBoneTexture.shader does.
#ifndef OSSIFY_BONE_TEXTURE
#define OSSIFY_BONE_TEXTURE

Texture2D<float4> _BoneTexture;
float4 _BoneMin[3];
float4 _BoneMax[3];
float3 _BoneCenter;
// Rows: a frame of the first clip and the next one, a frame of the second clip and the next one.
float4 _BoneRows;
// Ratio between the frames of the first clip, of the second, and between the clips.
float3 _BoneMix;
int _BoneTexels;
int _BoneHeight;

struct OssifyMatrix
{
    float4 x;
    float4 y;
    float4 z;
};

float4 OssifyTexel(int bone, int n, float row)
{
    // Unity loads the first row of a picture last.
    float4 raw = _BoneTexture.Load(int3(bone * _BoneTexels + n, _BoneHeight - 1 - (int)row, 0));
    return lerp(_BoneMin[n], _BoneMax[n], raw);
}

OssifyMatrix OssifyFrame(int bone, float row, float next, float ratio)
{
    float4 a = OssifyTexel(bone, 0, row);
    float4 a1 = OssifyTexel(bone, 0, next);
    // a quaternion and its negative are the same rotation
    if (_BoneTexels == 2 && dot(a, a1) < 0.0) a1 = -a1;
    a = lerp(a, a1, ratio);
    float4 b = lerp(OssifyTexel(bone, 1, row), OssifyTexel(bone, 1, next), ratio);
    OssifyMatrix m;
    if (_BoneTexels == 3)
    {
        m.x = a;
        m.y = b;
        m.z = lerp(OssifyTexel(bone, 2, row), OssifyTexel(bone, 2, next), ratio);
        return m;
    }
    float4 q = normalize(a);
    m.x = float4(b.w * float3(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y)), b.x);
    m.y = float4(b.w * float3(2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x)), b.y);
    m.z = float4(b.w * float3(2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)), b.z);
    return m;
}

OssifyMatrix OssifyBlend(float4 indices, float4 weights)
{
    OssifyMatrix sum;
    sum.x = sum.y = sum.z = float4(0, 0, 0, 0);
    for (int n = 0; n < 4; n++)
    {
        int bone = (int)(indices[n] + 0.5);
        OssifyMatrix m = OssifyFrame(bone, _BoneRows.x, _BoneRows.y, _BoneMix.x);
        if (_BoneMix.z > 0.0)
        {
            OssifyMatrix other = OssifyFrame(bone, _BoneRows.z, _BoneRows.w, _BoneMix.y);
            m.x = lerp(m.x, other.x, _BoneMix.z);
            m.y = lerp(m.y, other.y, _BoneMix.z);
            m.z = lerp(m.z, other.z, _BoneMix.z);
        }
        sum.x += weights[n] * m.x;
        sum.y += weights[n] * m.y;
        sum.z += weights[n] * m.z;
    }
    return sum;
}

float3 OssifyPosition(OssifyMatrix m, float3 rest)
{
    float4 p = float4(rest - _BoneCenter, 1.0);
    return float3(dot(m.x, p), dot(m.y, p), dot(m.z, p)) + _BoneCenter;
}

// Normals by the cofactors of the matrix: its inverse transpose, up to scale.
float3 OssifyNormal(OssifyMatrix m, float3 rest)
{
    return normalize(float3(
        dot(cross(m.y.xyz, m.z.xyz), rest),
        dot(cross(m.z.xyz, m.x.xyz), rest),
        dot(cross(m.x.xyz, m.y.xyz), rest)));
}

#endif
