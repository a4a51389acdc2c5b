// SPDX-License-Identifier: MIT
// Moves helper bones by their controllers: add it to the object that glTFast made of out.glb, with the JSON file of
// ossify convert rig.glb out.glb --controllers out.json. It runs after animations, so that blended and new poses get their helpers.
using System;
using System.Collections.Generic;
using UnityEngine;

namespace Ossify
{
    public class OssifyHelperBones : MonoBehaviour
    {
        public TextAsset controllers;

        [Serializable]
        public class Input
        {
            public string joint;
            public string parent;
            public float[] rest;
            public float reach;
        }

        [Serializable]
        public class Term
        {
            public int input;
            public int[] powers;
            public float[] translation;
            public float[] rotation;
            public float[] scale;
        }

        [Serializable]
        public class Helper
        {
            public string name;
            public float[] translation;
            public float[] rotation;
            public float[] scale;
            public Input[] inputs;
            public Term[] terms;
        }

        [Serializable]
        public class File
        {
            public float fadeFrom;
            public Helper[] helpers;
        }

        File file;
        readonly Dictionary<string, Transform> bones = new Dictionary<string, Transform>();

        void Start()
        {
            file = JsonUtility.FromJson<File>(controllers.text);
            foreach (Transform bone in GetComponentsInChildren<Transform>()) bones[bone.name] = bone;
        }

        void LateUpdate()
        {
            foreach (Helper helper in file.helpers)
            {
                var rotations = new Quaternion[helper.inputs.Length];
                for (int n = 0; n < rotations.Length; n++)
                {
                    Input input = helper.inputs[n];
                    Quaternion turn = bones[input.joint].rotation;
                    if (!string.IsNullOrEmpty(input.parent)) turn = Quaternion.Inverse(bones[input.parent].rotation) * turn;
                    rotations[n] = Mirror(turn);
                }
                Evaluate(helper, rotations, file.fadeFrom * Mathf.Deg2Rad, out Vector3 place, out Quaternion rotation, out Vector3 scale);
                Transform bone = bones[helper.name];
                bone.localPosition = new Vector3(-place.x, place.y, place.z);
                bone.localRotation = Mirror(rotation);
                bone.localScale = scale;
            }
        }

        /// <summary>glTF is right-handed, Unity is left-handed: glTFast mirrors x.</summary>
        static Quaternion Mirror(Quaternion q)
        {
            return new Quaternion(q.x, -q.y, -q.z, q.w);
        }

        /// <summary>The helper relative to its parent, in glTF's axes, as in docs/formats/extensions/OSSIFY_helper_bones.md.</summary>
        public static void Evaluate(Helper helper, Quaternion[] rotations, float fadeFrom, out Vector3 place, out Quaternion rotation, out Vector3 scale)
        {
            var vectors = new Vector3[rotations.Length];
            var fades = new float[rotations.Length];
            for (int n = 0; n < rotations.Length; n++)
            {
                float[] rest = helper.inputs[n].rest;
                Vector3 vector = RotationVector(Quaternion.Inverse(new Quaternion(rest[0], rest[1], rest[2], rest[3])) * rotations[n]);
                float angle = vector.magnitude;
                float x = Mathf.Clamp01((angle - fadeFrom) / (Mathf.PI - fadeFrom));
                fades[n] = 1 - x * x * (3 - 2 * x);
                vectors[n] = angle > helper.inputs[n].reach ? vector * (helper.inputs[n].reach / angle) : vector;
            }
            Vector3 moved = Vector3.zero, turned = Vector3.zero, scaled = Vector3.zero;
            foreach (Term term in helper.terms)
            {
                Vector3 v = vectors[term.input];
                int[] p = term.powers;
                float value = Power(v.x, p[0]) * Power(v.y, p[1]) * Power(v.z, p[2]);
                if ((p[0] + p[1] + p[2]) % 2 == 1) value *= fades[term.input];
                moved += value * Vector(term.translation);
                turned += value * Vector(term.rotation);
                scaled += value * Vector(term.scale);
            }
            float[] q = helper.rotation;
            place = Vector(helper.translation) + moved;
            rotation = new Quaternion(q[0], q[1], q[2], q[3]) * FromVector(turned);
            scale = new Vector3(
                helper.scale[0] * Mathf.Max(0.01f, 1 + scaled.x),
                helper.scale[1] * Mathf.Max(0.01f, 1 + scaled.y),
                helper.scale[2] * Mathf.Max(0.01f, 1 + scaled.z));
        }

        static Vector3 Vector(float[] values)
        {
            return values == null || values.Length < 3 ? Vector3.zero : new Vector3(values[0], values[1], values[2]);
        }

        static float Power(float x, int n)
        {
            float result = 1;
            for (int k = 0; k < n; k++) result *= x;
            return result;
        }

        static Vector3 RotationVector(Quaternion q)
        {
            float sign = q.w < 0 ? -1 : 1;
            var axis = new Vector3(sign * q.x, sign * q.y, sign * q.z);
            float sine = axis.magnitude;
            float factor = sine > 0 ? 2 * Mathf.Atan2(sine, sign * q.w) / sine : 2;
            return factor * axis;
        }

        static Quaternion FromVector(Vector3 v)
        {
            float angle = v.magnitude;
            float factor = angle > 0 ? Mathf.Sin(angle / 2) / angle : 0.5f;
            return new Quaternion(factor * v.x, factor * v.y, factor * v.z, Mathf.Cos(angle / 2));
        }
    }
}
