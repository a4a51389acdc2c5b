// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { bakeClip } from '../../../../deformers/playback/bake/bake-clip.ts';
import { readFbx } from '../../read-fbx.ts';
import { parseFbxAscii } from '../fbx-ascii.ts';
import { numbersOfFbx } from '../fbx-node.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** FBX 7.4: a triangle that grows, in metres. */
const MODERN = `; FBX 7.4.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}
GlobalSettings:  {
	Properties70:  {
		P: "UnitScaleFactor", "double", "Number", "",100
		P: "TimeMode", "enum", "", "",11
	}
}
Objects:  {
	Geometry: 9007199254740993, "Geometry::", "Mesh" {
		Vertices: *9 {
			a: 0,0,0,1,0,0,
0,1.5e0,0
		}
		PolygonVertexIndex: *3 {
			a: 0,1,-3
		}
	}
	Model: 9007199254740994, "Model::tri &quot;a&quot;", "Mesh" {
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",1,2,3
		}
		Shading: T
	}
	AnimationStack: 3, "AnimStack::grow", "" {
	}
	AnimationLayer: 4, "AnimLayer::Base", "" {
	}
	AnimationCurveNode: 5, "AnimCurveNode::S", "" {
	}
	AnimationCurve: 6, "AnimCurve::", "" {
		KeyTime: *2 {
			a: 0,3848846500
		}
		KeyValueFloat: *2 {
			a: 1,3
		}
		KeyAttrFlags: *1 {
			a: 4
		}
		KeyAttrDataFloat: *4 {
			a: 0,0,218434821,0
		}
		KeyAttrRefCount: *1 {
			a: 2
		}
	}
}
Connections:  {
	;Model::tri, Model::RootNode
	C: "OO",9007199254740994,0
	C: "OO",9007199254740993,9007199254740994
	C: "OO",4,3
	C: "OO",5,4
	C: "OP",5,9007199254740994, "Lcl Scaling"
	C: "OP",6,5, "d|X"
}
`;

/** FBX 6.1: the same triangle with a shape, moved by a take. */
const LEGACY = `; FBX 6.1.0 project file
FBXHeaderExtension:  {
	FBXVersion: 6100
}
Objects:  {
	Model: "Model::tri", "Mesh" {
		Version: 232
		Properties60:  {
			Property: "Lcl Translation", "Lcl Translation", "A+",1,0,0
			Property: "InheritType", "enum", "",1
			Property: "tall", "Number", "AN",0
		}
		Vertices: 0,0,0,1,0,0
		,0,1,0
		PolygonVertexIndex: 0,1,-3
		Shape: "tall" {
			Indexes: 2
			Vertices: 0,4,0
		}
		LayerElementMaterial: 0 {
			MappingInformationType: "AllSame"
			ReferenceInformationType: "IndexToDirect"
			Materials: 0
		}
	}
	Model: "Model::bone", "Limb" {
		Properties60:  {
		}
	}
	Material: "Material::paint", "" {
		Properties60:  {
			Property: "Diffuse", "ColorRGB", "",0.5,0.25,0
		}
	}
	Deformer: "Deformer::Skin tri", "Skin" {
	}
	Deformer: "SubDeformer::Cluster tri bone", "Cluster" {
		Indexes: 1
		Weights: 1
		Transform: 1,0,0,0,0,1,0,0,0,0,1,0,1,0,0,1
		TransformLink: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
	}
	GlobalSettings:  {
		Properties60:  {
			Property: "UnitScaleFactor", "double", "",100
			Property: "TimeMode", "enum", "",11
		}
	}
}
Connections:  {
	Connect: "OO", "Model::tri", "Model::Scene"
	Connect: "OO", "Model::bone", "Model::Scene"
	Connect: "OO", "Material::paint", "Model::tri"
	Connect: "OO", "Deformer::Skin tri", "Model::tri"
	Connect: "OO", "SubDeformer::Cluster tri bone", "Deformer::Skin tri"
	Connect: "OO", "Model::bone", "SubDeformer::Cluster tri bone"
}
Takes:  {
	Take: "move" {
		Model: "Model::bone" {
			Channel: "Transform" {
				Channel: "T" {
					Channel: "X" {
						Default: 0
						KeyVer: 4005
						KeyCount: 2
						Key: 0,0,L,3848846500,2,L
					}
					Channel: "Y" {
						Default: 0
						KeyVer: 4005
						KeyCount: 2
						Key:
							0,0,U,s,0,0,n,3848846500,1,C,s
					}
				}
			}
		}
		Model: "Model::tri" {
			Channel: "tall" {
				Default: 0
				KeyVer: 4005
				KeyCount: 2
				Key: 0,0,L,3848846500,100,L
			}
		}
	}
}
`;

describe('ASCII FBX', () => {
  it('of version 7 is read with arrays, comments and identifiers of 64 bits', async () => {
    const asset = await readFbx(bytesOf(MODERN));
    expect([...asset.mesh.positions]).toEqual([1, 2, 3, 2, 2, 3, 1, 3.5, 3]);
    expect(asset.nodes.names).toEqual(['tri "a"']);
    const clip = bakeClip(asset, { fps: 24 });
    expect([...clip.positions.subarray(-9)]).toEqual([1, 2, 3, 4, 2, 3, 1, 3.5, 3]);
    expect(clip.times).toHaveLength(3);
  });

  it('of version 6 is read with its take, shape and skin', async () => {
    const asset = await readFbx(bytesOf(LEGACY));
    expect(asset.mesh.parts[0].material).toBe('paint');
    expect(asset.rig!.skeleton.names).toContain('bone');
    const clip = bakeClip(asset, { fps: 24 });
    const frame = (k: number): number[] => [...clip.positions.subarray(9 * k, 9 * k + 9)];
    // point 1 follows the bone, point 2 the shape
    expect(frame(0)).toEqual([1, 0, 0, 2, 0, 0, 1, 1, 0]);
    expect(frame(1)).toEqual([1, 0, 0, 3, 0.5, 0, 1, 3, 0]);
    expect(frame(2)).toEqual([1, 0, 0, 4, 1, 0, 1, 5, 0]);
  });

  it('reads arrays by their declared length', () => {
    const [node] = parseFbxAscii(bytesOf('A: {\n V: *3 { a: 1,-2.5,3e2 } \n}')).nodes;
    expect([...numbersOfFbx(node, 'V')]).toEqual([1, -2.5, 300]);
    const refusal = (text: string) => () => parseFbxAscii(bytesOf(text));
    expect(refusal('A: *4 { a: 1,2 }')).toThrow(/array of 4 numbers has 2/);
    expect(refusal('A: *99999999 { a: 1 }')).toThrow(/longer than the file/);
    expect(refusal('A: *2 { a: 1,2')).toThrow(/ends inside an array/);
    expect(refusal('A: "abc')).toThrow(/no closing quotation mark/);
    expect(refusal('A: {')).toThrow(/ends inside braces/);
    expect(refusal('}')).toThrow(/no opening one/);
    expect(refusal('A: {'.repeat(100))).toThrow(/deeper than 64/);
  });
});
