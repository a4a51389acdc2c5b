// SPDX-License-Identifier: MIT
// What the name of a joint says by itself. Words of rigs of Mixamo, VRM, Unreal, Rigify, Biped (3ds Max, Rocketbox), DAZ, Quaternius, KayKit and Mesh2Motion are known.
// A word that means two things ("Arm" is the upper arm of Mixamo and the whole arm of others) is left to the chain: see label-by-name.ts.
import type { BodyPart, Side } from '../anatomy.ts';

/** What a name says. `arm` and `leg` are joints of a limb whose place in it the name leaves open; `shoulder` is a clavicle or an upper arm, `hip` the hips or a thigh. */
export type NamedPart = Exclude<BodyPart, 'root' | 'limb' | 'end'> | 'shoulder' | 'arm' | 'wrist' | 'finger';

export interface NameReading {
  part?: NamedPart;
  side?: Side;
  /** The name is of the end of a bone, not of a joint that moves. */
  isEnd: boolean;
  /** The name is of a helper: a target of inverse kinematics, a twist bone, a slot. */
  isHelper: boolean;
  /** Of a leg: which one. */
  limb?: 'front' | 'back';
  /** Which leg of several: a, b, c …, top, mid, bottom. */
  letter?: string;
  /** First number of the name. */
  digits: string;
}

const HELPER =
  /^(twist|roll|ik|fk|pole|poletarget|target|control|ctrl|slot|handslot|socket|attach|weapon|prop|helper|corrective|muscle|volume|breast|cape|skirt|hair|cloth|mch|vis|tweak|master|parent|offset|anchor|feather|nose|eyelid|lid|blink|brow|eyebrow|lip|cheek|tongue|mouthupper|teeth|horn|hat)$/;
const END = /^(end|tip|nub|leaf|site|effector|topend)$/;
const SIDES: Readonly<Record<string, Side>> = { l: 'left', left: 'left', r: 'right', right: 'right' };

/** Words joined, in the order of trying. */
const PARTS: readonly (readonly [RegExp, NamedPart])[] = [
  [/thumb/, 'thumb'],
  [/^(hand|finger|f)?index/, 'index'],
  [/^(hand|finger|f)?(middle|mid)(hand)?(finger)?$|^handmiddle|^fmiddle/, 'middle'],
  [/^(hand|finger|f)?ring/, 'ring'],
  [/^(hand|finger|f)?(pinky|pinkie|little)/, 'little'],
  [/finger|digit|palm(?!$)/, 'finger'],
  [/eye/, 'eye'],
  [/^ear/, 'ear'],
  [/jaw|^chin|mouthlower|lowermouth|^mouth(base)?$/, 'jaw'],
  [/wing/, 'wing'],
  [/fin$|flipper|^fin/, 'fin'],
  [/tail/, 'tail'],
  [/toe|^ball$/, 'toes'],
  [/clavicle|collar|scapula/, 'clavicle'],
  [/shoulder|shldr/, 'shoulder'],
  [/forearm|lowerarm|lowarm|elbow|loarm/, 'lowerArm'],
  [/upperarm|uparm|humerus|bicep/, 'upperArm'],
  [/^(up|upper)?(leg|limb)?(upleg|upperleg|legupper|thigh|femur|legup)$|thigh/, 'thigh'],
  [/shin|calf|calve|knee|lowerleg|lowleg|legl(ow|ower)|tibia/, 'shin'],
  [/foot|ankle|heel|hoof|paw/, 'foot'],
  [/wrist/, 'wrist'],
  [/^hand|hand$|palm$/, 'hand'],
  [/^(bone)?arm|arm$/, 'arm'],
  [/leg/, 'leg'],
  [/^neck/, 'neck'],
  [/^head|skull$/, 'head'],
  [/^(hips|pelvis|cog)$|pelvis/, 'hips'],
  [/^hip$/, 'hips'],
  [/spine|torso|chest|abdomen|waist|thorax|ribcage|sternum|stomach$|belly$|^back$|^body$/, 'spine'],
];

/** The words of a name: without namespaces and prefixes of programs, split at signs and capitals; numbers apart. */
export function listWords(name: string): string[] {
  const plain = name
    .replace(/^.*[:|](?=.)/s, '')
    .replace(/^mixamorig\d*[_ ]?(?=.)/i, '')
    .replace(/^(bip0?\d*|cc_base|def|org|jnt|bn|sk|b|j_(bip|sec|adj)_[clr]?|character\d*)[ _-]+(?=.)/i, (prefix) =>
      /_([LR])[ _-]$/i.test(prefix) ? `${prefix.slice(-2, -1)}_` : '',
    );
  return plain
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/(\d+)/g, ' $1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** @param prefix a word that most names of the rig begin with */
export function readJointName(name: string, prefix?: string): NameReading {
  const all = listWords(name);
  const words = all[0] === prefix ? all.slice(1) : all;
  const isNumber = (word: string): boolean => /^\d+$/.test(word);
  const digits = words.find(isNumber) ?? '';
  const sided = words.find((word) => word in SIDES);
  const rest = words.filter(
    (word) => !isNumber(word) && !(word in SIDES) && !/^(joint|jnt|bone|skeleton|b)$/.test(word),
  );
  const front = rest.find((word) => /^(front|fore)$/.test(word));
  const back = rest.length > 1 ? rest.find((word) => /^(back|hind|rear)$/.test(word)) : undefined;
  const found = rest.find((word) => /^([a-h]|top|mid|middle|bottom)$/.test(word) && rest.length > 1);
  // a middle finger is no leg
  const letter = found === 'middle' && !rest.includes('leg') ? undefined : found === 'middle' ? 'mid' : found;
  const own = rest.filter(
    (word) => word !== front && word !== back && (letter === undefined || word !== found) && !END.test(word),
  );
  const joined = own.join('');
  const part = PARTS.find(([pattern]) => pattern.test(joined))?.[1];
  return {
    ...(part ? { part } : {}),
    ...(sided ? { side: SIDES[sided] } : {}),
    ...(front ? { limb: 'front' as const } : back ? { limb: 'back' as const } : {}),
    ...(letter ? { letter } : {}),
    isEnd: rest.some((word) => END.test(word)),
    isHelper:
      rest.some((word) => HELPER.test(word)) ||
      /eyeblink|eyebrow|(?<!thumb)metacarpal/.test(joined) ||
      HELPER.test(joined),
    digits,
  };
}
