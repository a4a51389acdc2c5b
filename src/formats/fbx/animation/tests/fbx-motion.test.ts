// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { sampleTrackInto } from '../../../../core/keyframes/sample-track.ts';
import { readFbx } from '../../read-fbx.ts';
import { fbxArray, fbxDouble, fbxNode, packFbx } from '../../syntax/fbx-pack.ts';
import { FbxBuilder, fbxProperties } from '../../write/fbx-builder.ts';
import { addFbxAnimation } from '../../write/motion/fbx-add-animation.ts';

const TICKS = 46_186_158_000;
const SETTINGS = fbxNode(
  'GlobalSettings',
  [],
  [
    fbxProperties([
      ['UnitScaleFactor', 'double', 'Number', '', fbxDouble(100)],
      ['TimeMode', 'enum', '', '', 11],
    ]),
  ],
);

/** A triangle, and its model. */
function addTriangle(builder: FbxBuilder): number {
  const model = builder.add('Model', 'mesh', 'Model', 'Mesh', [fbxProperties([])]);
  builder.connect(model);
  const geometry = builder.add('Geometry', 'mesh', 'Geometry', 'Mesh', [
    fbxNode('Vertices', [fbxArray(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0))]),
    fbxNode('PolygonVertexIndex', [fbxArray(Int32Array.of(0, 1, -3))]),
  ]);
  builder.connect(geometry, model);
  return model;
}

describe('animation of an FBX', () => {
  const animate = (keys: [time: number, value: number][], flags: number): Uint8Array => {
    const builder = new FbxBuilder();
    const model = addTriangle(builder);
    const stack = builder.add('AnimationStack', 'move', 'AnimStack', '', []);
    const layer = builder.add('AnimationLayer', 'move', 'AnimLayer', '', []);
    builder.connect(layer, stack);
    const node = builder.add('AnimationCurveNode', 'T', 'AnimCurveNode', '', [fbxProperties([])]);
    builder.connect(node, layer);
    builder.connect(node, model, 'Lcl Translation');
    const curve = builder.add('AnimationCurve', '', 'AnimCurve', '', [
      fbxNode('KeyTime', [fbxArray(BigInt64Array.from(keys, ([time]) => BigInt(Math.round(time * TICKS))))]),
      fbxNode('KeyValueFloat', [fbxArray(Float32Array.from(keys, ([, value]) => value))]),
      fbxNode('KeyAttrFlags', [fbxArray(Int32Array.of(flags))]),
      fbxNode('KeyAttrDataFloat', [fbxArray(new Float32Array(4))]),
      fbxNode('KeyAttrRefCount', [fbxArray(Int32Array.of(keys.length))]),
    ]);
    builder.connect(curve, node, 'd|X');
    return packFbx([SETTINGS, ...builder.finish()]);
  };

  it('keeps steps as steps', async () => {
    const [{ tracks }] = (
      await readFbx(
        animate(
          [
            [0, 0],
            [0.5, 3],
            [1, 1],
          ],
          2,
        ),
      )
    ).animations;
    expect(tracks).toMatchObject([{ interpolation: 'STEP', times: Float32Array.of(0, 0.5, 1) }]);
    expect([...tracks[0].values].filter((_, c) => c % 3 === 0)).toEqual([0, 3, 1]);
  });

  it('keeps keys between frames where they matter', async () => {
    const uneven = (
      await readFbx(
        animate(
          [
            [0, 0],
            [0.51, 3],
            [1, 1],
          ],
          4,
        ),
      )
    ).animations[0].tracks[0];
    expect([...uneven.times]).toContainEqual(Math.fround(0.51));
    expect(Math.max(...uneven.values)).toBe(3);
    // a key 0.3 ms after a frame: a fast motion turns back there, and not at the frame
    const beside = (
      await readFbx(
        animate(
          [
            [0, 0],
            [0.5003, 3],
            [0.51, 0],
            [1, 0],
          ],
          4,
        ),
      )
    ).animations[0].tracks[0];
    expect(Math.max(...beside.values)).toBe(3);
    const straight = (
      await readFbx(
        animate(
          [
            [0, 0],
            [0.51, 0.51],
            [1, 1],
          ],
          4,
        ),
      )
    ).animations[0].tracks[0];
    expect(straight.times).toHaveLength(25);
  });

  it('keeps both keys of a jump, though both are beside a frame', async () => {
    const builder = new FbxBuilder();
    const target = addTriangle(builder);
    const times = Float32Array.of(0, 0.3 - 1e-5, 0.3, 1);
    const values = [0, 0, 3, 3].flatMap((x) => [x, 0, 0]);
    addFbxAnimation(builder, { name: 'jump', start: 0, end: 1, rate: 20 }, [
      { target, property: 'Lcl Translation', times, values },
    ]);
    const bytes = packFbx([SETTINGS, ...builder.finish()]);
    const [{ tracks }] = (await readFbx(bytes)).animations;
    const place = new Float64Array(3);
    const placeAt = (time: number): number => {
      sampleTrackInto(tracks[0], time, place);
      return place[0];
    };
    expect([0.2, 0.3 - 2e-5, 0.3 + 1e-6, 0.9].map(placeAt)).toEqual([0, 0, 3, 3]);
  });

  it('keeps curves between frames, where the first part of a bend is nearly straight', async () => {
    const bend = Array.from({ length: 201 }, (_, k): [number, number] => [k / 200, Math.sin((5 * k) / 200) ** 2]);
    const { times, values } = (await readFbx(animate(bend, 4))).animations[0].tracks[0];
    let worst = 0;
    for (const [time, value] of bend) {
      const k = Math.max(
        1,
        times.findIndex((one) => one >= Math.fround(time)),
      );
      const ratio = (time - times[k - 1]) / (times[k] - times[k - 1]);
      worst = Math.max(worst, Math.abs(values[3 * k - 3] + ratio * (values[3 * k] - values[3 * k - 3]) - value));
    }
    expect(worst).toBeLessThan(3e-5);
  });

  it('reads weights of tangents that a text states as the decimals of their bits', async () => {
    // two weights of 0.9 and 0.1 in one word, as a float of the same bits
    const [word] = new Float32Array(Uint32Array.of((1000 << 16) | 9000).buffer);
    const text = (data: string): Uint8Array =>
      new TextEncoder().encode(`; FBX 7.1.0 project file
FBXHeaderExtension:  {
	FBXVersion: 7100
}
GlobalSettings:  {
	Properties70:  {
		P: "UnitScaleFactor", "double", "Number", "",100
		P: "TimeMode", "enum", "", "",11
	}
}
Objects:  {
	Geometry: 1, "Geometry::", "Mesh" {
		Vertices: *9 {
			a: 0,0,0,1,0,0,0,1,0
		}
		PolygonVertexIndex: *3 {
			a: 0,1,-3
		}
	}
	Model: 2, "Model::mesh", "Mesh" {
	}
	AnimationStack: 3, "AnimStack::a", "" {
	}
	AnimationLayer: 4, "AnimLayer::a", "" {
	}
	AnimationCurveNode: 5, "AnimCurveNode::T", "" {
	}
	AnimationCurve: 6, "AnimCurve::", "" {
		KeyTime: *2 {
			a: 0,${TICKS}
		}
		KeyValueFloat: *2 {
			a: 0,1
		}
		KeyAttrFlags: *1 {
			a: ${8 | 0x400 | 0x1000000 | 0x2000000}
		}
		KeyAttrDataFloat: *4 {
			a: ${data}
		}
		KeyAttrRefCount: *1 {
			a: 2
		}
	}
}
Connections:  {
	C: "OO",1,2
	C: "OO",2,0
	C: "OO",4,3
	C: "OO",5,4
	C: "OP",5,2, "Lcl Translation"
	C: "OP",6,5, "d|X"
}
`);
    const middle = async (data: string): Promise<number> => {
      const [track] = (await readFbx(text(data))).animations[0].tracks;
      return track.values[3 * 12];
    };
    const expected = await middle(`0.5,0.5,${(1000 << 16) | 9000},0`);
    expect(Math.abs(expected - (await middle('0.5,0.5,0,0')))).toBeGreaterThan(0.01);
    expect(await middle(`0.5,0.5,${word},0`)).toBeCloseTo(expected, 5);
  });

  it('without motion keeps its name and its duration', async () => {
    const { animations } = await readFbx(
      animate(
        [
          [0, 0],
          [1, 0],
        ],
        4,
      ),
    );
    expect(animations).toMatchObject([{ name: 'move', duration: 1 }]);
  });
});
