// SPDX-License-Identifier: MIT
// A plain lit shader of Unity's built-in pipeline that plays a bone texture. OssifyBoneTexture.cs sets its properties.
Shader "Ossify/BoneTexture"
{
    Properties
    {
        _MainTex ("Albedo", 2D) = "white" {}
        _BoneTexture ("Bone texture", 2D) = "black" {}
    }
    SubShader
    {
        Tags { "RenderType" = "Opaque" "LightMode" = "ForwardBase" }
        Pass
        {
            HLSLPROGRAM
            #pragma vertex vert
            #pragma fragment frag
            #pragma target 4.5
            #include "UnityCG.cginc"
            #include "OssifyBoneTexture.hlsl"

            sampler2D _MainTex;
            float4 _LightColor0;

            struct Input
            {
                float4 vertex : POSITION;
                float3 normal : NORMAL;
                float2 uv : TEXCOORD0;
                float2 indices0 : TEXCOORD1;
                float2 indices1 : TEXCOORD2;
                float2 weights0 : TEXCOORD3;
                float2 weights1 : TEXCOORD4;
            };

            struct Output
            {
                float4 position : SV_POSITION;
                float2 uv : TEXCOORD0;
                float3 normal : TEXCOORD1;
            };

            Output vert(Input v)
            {
                // glTFast: v of UV sets is upside down, x is mirrored
                float4 indices = float4(v.indices0.x, 1.0 - v.indices0.y, v.indices1.x, 1.0 - v.indices1.y);
                float4 weights = float4(v.weights0.x, 1.0 - v.weights0.y, v.weights1.x, 1.0 - v.weights1.y);
                float3 mirror = float3(-1, 1, 1);
                OssifyMatrix m = OssifyBlend(indices, weights);
                Output o;
                o.position = UnityObjectToClipPos(mirror * OssifyPosition(m, mirror * v.vertex.xyz));
                o.normal = UnityObjectToWorldNormal(mirror * OssifyNormal(m, mirror * v.normal));
                o.uv = v.uv;
                return o;
            }

            float4 frag(Output i) : SV_Target
            {
                float light = 0.3 + 0.7 * saturate(dot(normalize(i.normal), _WorldSpaceLightPos0.xyz));
                return tex2D(_MainTex, i.uv) * light * _LightColor0;
            }
            ENDHLSL
        }
    }
}
