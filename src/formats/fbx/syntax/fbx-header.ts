// SPDX-License-Identifier: MIT
import type { UpAxis } from '../../../core/model/asset.ts';
import { FBX_TICKS, type FbxProperty, fbxProperties, fbxTicks } from '../write/fbx-builder.ts';
import {
  FBX_CREATION_TIME,
  FBX_FILE_ID,
  FBX_VERSION,
  fbxDouble,
  fbxLong,
  fbxNode,
  type PackedNode,
} from './fbx-pack.ts';

/** An animation of the file. */
export interface FbxSpan {
  name: string;
  /** Seconds. */
  start: number;
  end: number;
  /** Frames per second. */
  rate: number;
}

/** What the header declares. */
export interface FbxHeaderFacts {
  up: UpAxis;
  centimetresPerUnit: number;
  /** Frames per second. */
  rate: number;
  spans: readonly FbxSpan[];
}

/** By up axis: which axis of the file is x, y and z of a scene with y up, and its sign. */
const AXES: Record<UpAxis, { up: number; front: [number, number]; coord: [number, number] }> = {
  x: { up: 0, front: [2, 1], coord: [1, -1] },
  y: { up: 1, front: [2, 1], coord: [0, 1] },
  z: { up: 2, front: [1, -1], coord: [0, 1] },
};

/** Codes of frame rates; any other is a rate of its own. */
const MODES = new Map([
  [120, 1],
  [100, 2],
  [60, 3],
  [50, 4],
  [48, 5],
  [30, 6],
  [25, 10],
  [24, 11],
  [96, 15],
  [72, 16],
]);
const CUSTOM_MODE = 14;

/** Makes the nodes of a file before and after its objects. The date is fixed, so that equal content gives equal bytes. */
export function makeFbxHeader(facts: FbxHeaderFacts): { before: PackedNode[]; after: PackedNode[] } {
  const stamp = Object.entries({
    Version: 1000,
    Year: 1970,
    Month: 1,
    Day: 1,
    Hour: 10,
    Minute: 0,
    Second: 0,
    Millisecond: 0,
  });
  return {
    before: [
      fbxNode(
        'FBXHeaderExtension',
        [],
        [
          fbxNode('FBXHeaderVersion', [1003]),
          fbxNode('FBXVersion', [FBX_VERSION]),
          fbxNode('EncryptionType', [0]),
          fbxNode(
            'CreationTimeStamp',
            [],
            stamp.map(([name, value]) => fbxNode(name, [value])),
          ),
          fbxNode('Creator', ['Ossify']),
        ],
      ),
      fbxNode('FileId', [{ type: 'R', value: FBX_FILE_ID }]),
      fbxNode('CreationTime', [FBX_CREATION_TIME]),
      fbxNode('Creator', ['Ossify']),
      makeSettings(facts),
      fbxNode(
        'Documents',
        [],
        [
          fbxNode('Count', [1]),
          fbxNode('Document', [fbxLong(1), 'Scene', 'Scene'], [fbxNode('RootNode', [fbxLong(0)])]),
        ],
      ),
      fbxNode('References'),
    ],
    after: [makeTakes(facts.spans)],
  };
}

function makeSettings({ up, centimetresPerUnit, rate, spans }: FbxHeaderFacts): PackedNode {
  const axes = AXES[up];
  const whole = (name: string, value: number): FbxProperty => [name, 'int', 'Integer', '', value];
  const double = (name: string, value: number): FbxProperty => [name, 'double', 'Number', '', fbxDouble(value)];
  const time = (name: string, seconds: number): FbxProperty => [
    name,
    'KTime',
    'Time',
    '',
    fbxLong(seconds * FBX_TICKS),
  ];
  return fbxNode(
    'GlobalSettings',
    [],
    [
      fbxNode('Version', [1000]),
      fbxProperties([
        whole('UpAxis', axes.up),
        whole('UpAxisSign', 1),
        whole('FrontAxis', axes.front[0]),
        whole('FrontAxisSign', axes.front[1]),
        whole('CoordAxis', axes.coord[0]),
        whole('CoordAxisSign', axes.coord[1]),
        whole('OriginalUpAxis', -1),
        whole('OriginalUpAxisSign', 1),
        double('UnitScaleFactor', centimetresPerUnit),
        double('OriginalUnitScaleFactor', centimetresPerUnit),
        ['DefaultCamera', 'KString', '', '', 'Producer Perspective'],
        ['TimeMode', 'enum', '', '', MODES.get(rate) ?? CUSTOM_MODE],
        time('TimeSpanStart', Math.min(0, ...spans.map(({ start }) => start))),
        time('TimeSpanStop', Math.max(0, ...spans.map(({ end }) => end))),
        double('CustomFrameRate', rate),
      ]),
    ],
  );
}

function makeTakes(spans: readonly FbxSpan[]): PackedNode {
  return fbxNode(
    'Takes',
    [],
    [
      fbxNode('Current', ['']),
      ...spans.map(({ name, start, end, rate }) => {
        const times = [fbxLong(fbxTicks(start, rate)), fbxLong(fbxTicks(end, rate))];
        return fbxNode(
          'Take',
          [name],
          [fbxNode('FileName', [`${name}.tak`]), fbxNode('LocalTime', times), fbxNode('ReferenceTime', times)],
        );
      }),
    ],
  );
}
