// SPDX-License-Identifier: MIT
// Plays a bone texture: add it to the object that glTFast made of walk.glb, with walk.png, walk.json and a material of the shader Ossify/BoneTexture.
using System;
using UnityEngine;

namespace Ossify
{
    public class OssifyBoneTexture : MonoBehaviour
    {
        public TextAsset facts;
        public Texture2D texture;
        public Material material;
        public int clip;
        public int otherClip;
        [Range(0, 1)] public float blend;

        [Serializable]
        public class Clip
        {
            public string name;
            public int start;
            public int frames;
            public float fps;
        }

        [Serializable]
        public class Facts
        {
            public int texelsPerBone;
            public int height;
            public float[] center;
            public float[] min;
            public float[] max;
            public Clip[] clips;
        }

        Facts data;

        void Start()
        {
            data = JsonUtility.FromJson<Facts>(facts.text);
            material.SetTexture("_BoneTexture", texture);
            material.SetVectorArray("_BoneMin", Vectors(data.min));
            material.SetVectorArray("_BoneMax", Vectors(data.max));
            material.SetVector("_BoneCenter", new Vector4(data.center[0], data.center[1], data.center[2], 0));
            material.SetInt("_BoneTexels", data.texelsPerBone);
            material.SetInt("_BoneHeight", data.height);
            GetComponentInChildren<Renderer>().sharedMaterial = material;
        }

        void Update()
        {
            Vector3 a = FramesAt(data.clips[clip], Time.time);
            Vector3 b = FramesAt(data.clips[otherClip], Time.time);
            material.SetVector("_BoneRows", new Vector4(a.x, a.y, b.x, b.y));
            material.SetVector("_BoneMix", new Vector4(a.z, b.z, blend, 0));
        }

        /// <summary>Row of the frame, row of the next frame, and the ratio between them.</summary>
        public static Vector3 FramesAt(Clip clip, float seconds)
        {
            float last = Mathf.Max(1, clip.frames - 1);
            float at = Mathf.Repeat(seconds * clip.fps, last);
            int frame = Mathf.Min((int)at, clip.frames - 1);
            return new Vector3(clip.start + frame, clip.start + Mathf.Min(frame + 1, clip.frames - 1), at - frame);
        }

        static Vector4[] Vectors(float[] values)
        {
            var result = new Vector4[3];
            for (int n = 0; 4 * n < values.Length; n++)
                result[n] = new Vector4(values[4 * n], values[4 * n + 1], values[4 * n + 2], values[4 * n + 3]);
            return result;
        }
    }
}
