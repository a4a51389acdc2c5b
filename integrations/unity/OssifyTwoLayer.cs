// SPDX-License-Identifier: MIT
// Direct Delta Mush in two layers: add it to the object that glTFast made of a file of `ossify compress`, with OssifyTwoLayer.compute and the JSON file of
// node integrations/export-two-layer.mjs out.glb out.json. It replaces the plain skin of the file: positions are computed on the GPU and read back into a mesh.
using System;
using System.Collections.Generic;
using UnityEngine;

namespace Ossify
{
    public class OssifyTwoLayer : MonoBehaviour
    {
        public TextAsset model;
        public ComputeShader shader;
        public SkinnedMeshRenderer plain;
        public MeshFilter target;

        [Serializable]
        public class Model
        {
            public string[] joints;
            /// <summary>joints x 16, column-major, glTF's axes</summary>
            public float[] inverseBinds;
            public int[] rows;
            public int[] entryBones;
            /// <summary>entries x 10: omega, b x y z, A xx yy zz, A xy xz yz</summary>
            public float[] entries;
            public float[] centers;
            /// <summary>vertices x 8</summary>
            public int[] influences;
            public float[] weights;
            public float[] positions;
            public float[] normals;
        }

        struct Entry
        {
            public uint bone;
            public float omega;
            public Vector3 b, diagonal, off;
        }

        struct Influence
        {
            public uint b0, b1, b2, b3;
            public Vector4 weights;
        }

        Model data;
        Transform[] bones;
        Matrix4x4[] inverseBinds;
        Vector4[] posed;
        ComputeBuffer bonesBuffer, positions, normals;
        readonly List<ComputeBuffer> owned = new List<ComputeBuffer>();
        int virtualKernel, skinKernel, vertexCount;

        void Start()
        {
            data = JsonUtility.FromJson<Model>(model.text);
            var named = new Dictionary<string, Transform>();
            foreach (Transform one in GetComponentsInChildren<Transform>()) named[one.name] = one;
            bones = new Transform[data.joints.Length];
            inverseBinds = new Matrix4x4[bones.Length];
            posed = new Vector4[3 * bones.Length];
            for (int j = 0; j < bones.Length; j++)
            {
                bones[j] = named[data.joints[j]];
                for (int c = 0; c < 16; c++) inverseBinds[j][c] = data.inverseBinds[16 * j + c];
            }
            vertexCount = data.positions.Length / 3;
            virtualKernel = shader.FindKernel("VirtualBones");
            skinKernel = shader.FindKernel("Skin");
            int virtualCount = data.rows.Length - 1;
            shader.SetInt("_VirtualCount", virtualCount);
            shader.SetInt("_VertexCount", vertexCount);
            bonesBuffer = Bind("_Bones", posed, 16);
            Bind("_Rows", data.rows, 4);
            Bind("_Entries", Entries(), 44);
            Bind("_Centers", Vectors(data.centers), 12);
            Bind("_RestPositions", Vectors(data.positions), 12);
            Bind("_RestNormals", Vectors(data.normals), 12);
            Bind("_Influences", Influences(), 32);
            Bind("_Virtual", new Vector4[3 * virtualCount], 16);
            positions = Bind("_Positions", new Vector3[vertexCount], 12);
            normals = Bind("_Normals", new Vector3[vertexCount], 12);
            plain.enabled = false;
        }

        void LateUpdate()
        {
            Matrix4x4 world = transform.worldToLocalMatrix;
            for (int j = 0; j < bones.Length; j++)
            {
                Matrix4x4 m = Mirror(world * bones[j].localToWorldMatrix) * inverseBinds[j];
                for (int r = 0; r < 3; r++) posed[3 * j + r] = m.GetRow(r);
            }
            bonesBuffer.SetData(posed);
            shader.Dispatch(virtualKernel, (data.rows.Length - 1 + 63) / 64, 1, 1);
            shader.Dispatch(skinKernel, (vertexCount + 63) / 64, 1, 1);
            target.mesh.vertices = Read(positions);
            target.mesh.normals = Read(normals);
        }

        void OnDestroy()
        {
            foreach (ComputeBuffer buffer in owned) buffer.Release();
        }

        /// <summary>glTF is right-handed, Unity is left-handed: glTFast mirrors x.</summary>
        static Matrix4x4 Mirror(Matrix4x4 m)
        {
            for (int c = 1; c < 4; c++)
            {
                m[4 * c] = -m[4 * c];
                m[c] = -m[c];
            }
            return m;
        }

        Vector3[] Read(ComputeBuffer buffer)
        {
            var values = new Vector3[vertexCount];
            buffer.GetData(values);
            for (int i = 0; i < values.Length; i++) values[i].x = -values[i].x;
            return values;
        }

        ComputeBuffer Bind(string name, Array values, int stride)
        {
            var buffer = new ComputeBuffer(values.Length, stride);
            buffer.SetData(values);
            shader.SetBuffer(virtualKernel, name, buffer);
            shader.SetBuffer(skinKernel, name, buffer);
            owned.Add(buffer);
            return buffer;
        }

        Entry[] Entries()
        {
            var result = new Entry[data.entryBones.Length];
            for (int e = 0; e < result.Length; e++)
            {
                result[e].bone = (uint)data.entryBones[e];
                result[e].omega = data.entries[10 * e];
                result[e].b = VectorAt(data.entries, 10 * e + 1);
                result[e].diagonal = VectorAt(data.entries, 10 * e + 4);
                result[e].off = VectorAt(data.entries, 10 * e + 7);
            }
            return result;
        }

        Influence[] Influences()
        {
            var result = new Influence[data.influences.Length / 4];
            for (int n = 0; n < result.Length; n++)
            {
                result[n].b0 = (uint)data.influences[4 * n];
                result[n].b1 = (uint)data.influences[4 * n + 1];
                result[n].b2 = (uint)data.influences[4 * n + 2];
                result[n].b3 = (uint)data.influences[4 * n + 3];
                float[] w = data.weights;
                result[n].weights = new Vector4(w[4 * n], w[4 * n + 1], w[4 * n + 2], w[4 * n + 3]);
            }
            return result;
        }

        static Vector3[] Vectors(float[] values)
        {
            var result = new Vector3[values.Length / 3];
            for (int n = 0; n < result.Length; n++) result[n] = VectorAt(values, 3 * n);
            return result;
        }

        static Vector3 VectorAt(float[] values, int at)
        {
            return new Vector3(values[at], values[at + 1], values[at + 2]);
        }
    }
}
