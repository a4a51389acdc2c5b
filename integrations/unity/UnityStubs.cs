// SPDX-License-Identifier: MIT
// The parts of UnityEngine that the components use, so that a C# compiler can check and run them without Unity.
using System;

namespace UnityEngine
{
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public static Vector3 zero { get { return new Vector3(0, 0, 0); } }
        public float magnitude { get { return (float)Math.Sqrt(x * x + y * y + z * z); } }
        public static Vector3 operator +(Vector3 a, Vector3 b) { return new Vector3(a.x + b.x, a.y + b.y, a.z + b.z); }
        public static Vector3 operator *(float s, Vector3 v) { return new Vector3(s * v.x, s * v.y, s * v.z); }
        public static Vector3 operator *(Vector3 v, float s) { return s * v; }
    }

    public struct Vector4
    {
        public float x, y, z, w;
        public Vector4(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
    }

    public struct Quaternion
    {
        public float x, y, z, w;
        public Quaternion(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
        public static Quaternion Inverse(Quaternion q) { return new Quaternion(-q.x, -q.y, -q.z, q.w); }
        public static Quaternion operator *(Quaternion a, Quaternion b)
        {
            return new Quaternion(
                a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
        }
    }

    public static class Mathf
    {
        public const float PI = (float)Math.PI;
        public const float Deg2Rad = PI / 180;
        public static float Max(float a, float b) { return Math.Max(a, b); }
        public static int Min(int a, int b) { return Math.Min(a, b); }
        public static float Sin(float x) { return (float)Math.Sin(x); }
        public static float Cos(float x) { return (float)Math.Cos(x); }
        public static float Atan2(float y, float x) { return (float)Math.Atan2(y, x); }
        public static float Clamp01(float x) { return Math.Max(0, Math.Min(1, x)); }
        public static float Repeat(float x, float length) { return x - (float)Math.Floor(x / length) * length; }
    }

    public class Object { public string name; }
    public class TextAsset : Object { public string text; }
    public class Texture2D : Object { }
    public class Material : Object
    {
        public void SetTexture(string key, Texture2D value) { }
        public void SetVector(string key, Vector4 value) { }
        public void SetVectorArray(string key, Vector4[] value) { }
        public void SetInt(string key, int value) { }
    }
    public class Component : Object
    {
        public Transform transform;
        public T GetComponentInChildren<T>() where T : class { return null; }
        public T[] GetComponentsInChildren<T>() where T : class { return new T[0]; }
    }
    public class Transform : Component
    {
        public Matrix4x4 worldToLocalMatrix, localToWorldMatrix;
        public Quaternion rotation, localRotation;
        public Vector3 localPosition, localScale;
    }
    public struct Matrix4x4
    {
        float[] values;
        public float this[int n]
        {
            get { return values == null ? 0 : values[n]; }
            set { if (values == null) values = new float[16]; values[n] = value; }
        }
        public Vector4 GetRow(int r) { return new Vector4(this[r], this[4 + r], this[8 + r], this[12 + r]); }
        public static Matrix4x4 operator *(Matrix4x4 a, Matrix4x4 b)
        {
            var m = new Matrix4x4();
            for (int r = 0; r < 4; r++)
                for (int c = 0; c < 4; c++)
                    for (int k = 0; k < 4; k++) m[4 * c + r] += a[4 * k + r] * b[4 * c + k];
            return m;
        }
    }

    public class ComputeBuffer
    {
        public ComputeBuffer(int count, int stride) { }
        public void SetData(Array values) { }
        public void GetData(Array values) { }
        public void Release() { }
    }
    public class ComputeShader : Object
    {
        public int FindKernel(string name) { return 0; }
        public void SetInt(string key, int value) { }
        public void SetBuffer(int kernel, string key, ComputeBuffer value) { }
        public void Dispatch(int kernel, int x, int y, int z) { }
    }
    public class Mesh : Object { public Vector3[] vertices, normals; }
    public class MeshFilter : Component { public Mesh mesh; }
    public class SkinnedMeshRenderer : Renderer { public bool enabled; }
    public class Renderer : Component { public Material sharedMaterial; }
    public class MonoBehaviour : Component { }
    public static class Time { public static float time; }
    public static class JsonUtility { public static T FromJson<T>(string text) where T : class { return null; } }
    public class RangeAttribute : Attribute { public RangeAttribute(float min, float max) { } }
}
