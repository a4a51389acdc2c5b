// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkClip } from '../../../core/model/clip/clip.ts';
import { checkMesh } from '../../../core/model/mesh/mesh.ts';
import { readAbc } from '../read-abc.ts';

/** Files written by the Alembic library 1.8.12, compressed. */
const unpack = (text: string) => new Uint8Array(gunzipSync(Buffer.from(text, 'base64')));

/** World-space positions as the Alembic library reads them, at frames 0 and 3 of FEATURES. */
const FIRST = [
  [
    0, 1, 2, 0.847757695, 1.53349365, 1.5033196, 1.2154974, 3.39951905, 2.12196062, 0.367739702, 2.8660254, 2.61864101,
    2.00973021, 1.8902106, 1.35307686,
  ],
  [0, 0, -7, 1, 0, -7, 1, 1, -7, 0, 1, -7, 2, 0, -6.5],
];
const LAST = [
  [
    7.24701943, -5.79095949, 6.37626087, 8.34378282, -5.16353588, 5.92520673, 9.2250688, -3.55936013, 6.97399425,
    8.49389328, -3.9776425, 7.27469697, 10.6696364, -5.29433324, 6.07783972,
  ],
  [
    13.184841, -13.3558088, 11.3557526, 14.4643983, -12.6238147, 10.8295228, 15.5284782, -10.9150683, 11.8031346,
    14.9800966, -11.2287801, 12.0286616, 17.3386335, -12.4409002, 10.7566288,
  ],
];

/** The distinct positions of a part, in order of first use by a triangle. */
function pointsOf(positions: Float32Array, order: readonly number[]): number[] {
  return order.flatMap((i) => [...positions.subarray(3 * i, 3 * i + 3)]);
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

function expectClose(actual: ArrayLike<number>, expected: readonly number[], tolerance = 2e-6): void {
  expect(actual.length).toBe(expected.length);
  for (const [c, x] of expected.entries()) expect(Math.abs(actual[c] - x)).toBeLessThan(tolerance);
}

describe('readAbc', () => {
  const notes: string[] = [];
  const features = readAbc(unpack(FEATURES()), { name: 'features', log: (note) => notes.push(note) });
  const [clip] = features.clips;
  const frame = (k: number) => clip.positions.subarray(k * features.mesh.positions.length);

  it('joins objects and face sets as parts, by name', () => {
    checkMesh(features.mesh);
    checkClip(clip);
    expect(features.mesh.parts.map(({ name, material, triangleCount }) => [name, material, triangleCount])).toEqual([
      ['deforming', '', 2],
      ['deforming', 'red', 1],
      ['free', '', 3],
      ['sub', '', 3],
    ]);
  });

  it('places points as the Alembic library does: every operation, inherited or not', () => {
    const starts = features.mesh.parts.map((part) => part.vertexStart);
    // "deforming" has its quad in one part and its triangle (points 1, 4, 2) in another; "sub" has its points in order.
    const still = new Map<string, number[]>();
    for (let i = starts[2]; i < starts[3]; i++) {
      const point = [...frame(0).subarray(3 * i, 3 * i + 3)];
      still.set(point.join(), point);
    }
    expect(sorted([...still.values()].flat())).toEqual(sorted(FIRST[1]));
    const sub = [0, 1, 2, 3, 4].map((n) => starts[3] + n);
    expectClose(pointsOf(frame(0), sub), FIRST[0]);
    expectClose(pointsOf(frame(3), sub), LAST[1]);
    const quad = [0, 3, 6, 9].flatMap((c) => FIRST[0].slice(c, c + 3));
    expectClose(sorted(pointsOf(frame(0), [0, 1, 2, 3])), sorted(quad));
    const triangle = frame(3).subarray(3 * starts[1], 3 * starts[1] + 9);
    expectClose(sorted([...triangle]), sorted([3, 6, 12].flatMap((c) => LAST[0].slice(c, c + 3))));
  });

  it('has a frame at the time of every sample, uniform or not', () => {
    expectClose(clip.times, [0, 0.03, 1 / 24, 2 / 24], 1e-12);
  });

  it('winds faces counterclockwise: the quad, clockwise in the file, faces +z', () => {
    const { positions, triangles, parts } = features.mesh;
    const [a, b, c] = triangles.subarray(3 * parts[2].triangleStart).slice(0, 3);
    const x = (i: number) => positions[3 * i];
    const y = (i: number) => positions[3 * i + 1];
    expect((x(b) - x(a)) * (y(c) - y(a)) - (y(b) - y(a)) * (x(c) - x(a))).toBeGreaterThan(0);
  });

  it('leaves hidden objects and those that are no meshes out, with a note', () => {
    expect(notes).toEqual(['"hidden" is hidden and left out', 'only meshes are read; left out: 1 set of points']);
  });

  it('reads colours per face', () => {
    const { attributes, parts } = features.mesh;
    const colors = attributes.find(({ name }) => name === 'COLOR_0')!.values;
    expect([...colors.subarray(0, 3)]).toEqual([1, 0, 0]);
    expect([...colors.subarray(3 * parts[1].vertexStart, 3 * parts[1].vertexStart + 3)]).toEqual([0, 0.5, 1]);
    // "free" has no colours.
    expect([...colors.subarray(3 * parts[2].vertexStart, 3 * parts[2].vertexStart + 3)]).toEqual([1, 1, 1]);
  });

  it('reads cyclic samplings: two times in each cycle', () => {
    const { clips } = readAbc(unpack(CYCLIC()));
    expectClose(clips[0].times, [0, 0.02, 1 / 24, 1 / 24 + 0.02, 2 / 24, 2 / 24 + 0.02], 1e-12);
    expectClose(clips[0].positions.subarray(15 * 3, 15 * 3 + 3), [0, -0.6, 2.7]);
    expect(clips[0].positions.subarray(15 * 4, 15 * 5)).toEqual(clips[0].positions.subarray(15 * 5, 15 * 6));
  });

  it('reads instances, each with its own transform, and keeps mirrored faces outside out', () => {
    const { clips, mesh } = readAbc(unpack(INSTANCE()));
    expect(mesh.parts.map(({ name }) => name)).toEqual(['source', 'inst']);
    const [first, second] = [clips[0].positions.subarray(30, 45), clips[0].positions.subarray(45, 60)];
    for (let c = 0; c < 15; c++) expect(second[c]).toBeCloseTo(c % 3 === 0 ? -first[c] : first[c], 6);
    const { triangles } = mesh;
    expect(triangles[9] - 5).toBe(triangles[0]);
    expect(triangles.subarray(9, 12).map((v) => v - 5)).not.toEqual(triangles.subarray(0, 3));
  });

  it('repeats samples that are stored once', () => {
    const { clips } = readAbc(unpack(REPEATS()));
    expect(clips[0].times).toHaveLength(9);
    const heights = Array.from({ length: 9 }, (_, k) => clips[0].positions[15 * k + 2]);
    expectClose(heights, [0, 0, 0, 0.3, 1.2, 1.2, 2.7, 2.7, 2.7]);
  });

  const data = join(process.env.OSSIFY_DATA ?? '../shared', 'formats');
  it.skipIf(!existsSync(data))('reads the files of other programs (needs the data folder)', () => {
    for (const [file, vertexCount, frameCount] of [
      ['Bone_Anim.abc', 754, 400],
      ['DummyAlembic.abc', 1008, 0],
      ['deformingSubdTest.abc', 98, 120],
      ['staticMeshTest.abc', 98, 0],
    ] as const) {
      const { mesh, clips } = readAbc(new Uint8Array(readFileSync(join(data, file))));
      expect([mesh.positions.length / 3, clips[0]?.times.length ?? 0], file).toEqual([vertexCount, frameCount]);
    }
    const changing = new Uint8Array(readFileSync(join(data, 'variableTopoSubd.abc')));
    expect(() => readAbc(changing)).toThrow(
      'changes at frame 2 (0.125 s); ossify track follows a surface whose topology changes, and --frames :1 reads',
    );
    expect(readAbc(changing, { frames: { last: 1 } }).clips[0].times).toHaveLength(2);
    const { sequence, clips } = readAbc(changing, { topology: 'any' });
    expect(clips).toEqual([]);
    expect(new Set(sequence!.frames.map(({ positions }) => positions.length)).size).toBeGreaterThan(1);
  });
});

function FEATURES(): string {
  return 'H4sIAAAAAAACA8VYC1gTVxaeCchbBYRaFNtYcYstjUCqIhgSQB5WRBR16WoLCUxgNCSYmSBoqzxqxWfp1seCXVHU3VqsqPimn7LtqlUB366WuqIiiruytCqK+unOZc6FzJCo1X3M94Vz7pkz557zz3ncYXyaepb6CUGa+hEdly3RdWF+1FsE4Qb8K4/ZgqJpdbPnp/WKaEwrnEXehxsFVxJ0j1/f7TDnHZff5jcn7yEEV6sSGJVQ/i5e5wr1OvXhClVZtiPWPyF6Tny1PuP+r9frC1zjruVnr9SP1bffGzF/b4pXf1dVfLKU8Mfw6Jd6fn+hct5PNaVh57Vtu4dZCRfC8lEJ4fGofjo8SivwiGH6X8HT5SeO/9JPO2Z+teBi0B6/WT/e/9utIZb9I0RxY+rzjPhVVuw4/J/i74orFgT5Npuj2xZWyBasazzuER8vE6rnKoW8eC14p0o/YPIu/rJk0Gxl2c0L70fPPeRqQDIb7ifhfiT8JFDHr8IzNeMr+55Z2Fi/KurGnK23N7rbwjPY+JttI18duexuZFpbtPShtvbr542Tpw3KGLjhEz6FPrLYK2W/37n2KVe0PfADtTU1itqaWPQLRXxJcXFoSbEX4kORDMXHxYxkSnQP47ei8scmD5+LO9oPFq3s98Ekyjp2z+axzZDRy+q3vHF/XNTrH378xow7Sbx/sfvRvrU1S5SY536IVwIf2sV7qZAOWmP8yIOJplW1j5QnEiY9bAhsWmOG1dri4iMHEGZy+WklT21UvLxZiSn2LfTM1D9Ne3KuTl2ee7tq4IzNgB3yR8n7w/NyeaUSsALK83K5XMXrXOj0Le/tvfHJJ8cejypJHkyOcAgX+nYBfLuNfEnWau1U/Poq+PpQ6QHKj4/6Vtxdv6JQtb95fsvHjadJs/wJsC1s8c6/+8XhuseVCxIVVU86rn/Ns0KfiKkv2BlH3q97ZfneB+Twz/OLKsp3Ct8hXwdIJoFFkZ35GCFysXytrWV5vBW5n8gOCUwMyPvDepvOlSAdZQyl04brU5kUb+7V28m06hSKsQEVqT00IaD+PM2Vwv3hW5rzNnyqWrfvSlVlg+b6FXFt9ezkpIQDb5pisZ8JYHS1vdD/rSBnRPIbNpbj3SGS2wGTLJLfEeFV1EO4dgCmLMifICURqdh+NRiM4RVyMTgOYC8G7DQCVWN8KVfCxgzgsgAVtybjNQO4fkW6dMAxRp9Kc6DwIucOUYTBpGeZsiHxnERiyiobmYyeikMWe8nURk00ZciIVxvVGQx2OBMYV6D3AcAGoK0QwHmgiaBXBAHhhEWBGalU++GhjYqlh1eNPZS9aDobbdi89vdrh+ryZiWdYz+h0+pe0zh1NSKihyyN8wdD1Q6WZzoKoSrg18QP4FEY3MdHsp3TnuivlbtGFQy7n/31O5oJBHYp7uDOkqD3qtavTJ2vjvUZkW65hXtXY0M2xnc9Wn7+8i9D+55e/U3pvkBXnKn/GJYx067iwb2lX5af9bkuf088rPBAmud3ThM5q2H/1ZVBp6aWbL5EwBCyRLGT8gFNCycfrd+bc7y/k92R4iHdmzZP8QCrmlsSSR+YO8g7vCA0ZIOfN2E26NC1yclyoueI5F6dCVtEkD1kWWodMxEVsYOM5tMKw38Z3tgRoO1OQsORVjYcYG1D3/inbzjRmafBQKc7v1gpS6yUMikqwSjLLa0sSEWggkM+CusNSczLjeumBFdsXE0QZBwkKXEbvK8H+j3QcqCLgfYDauMi7I6vLVp4dMhoQ8V3TQP7Nd0pHChOW+t1NIG3ROx1EeJwDOSfuwhx8BXhUuUoXJ8RrW2dhGcKEuHhyL3FdMpIs4wbWtrKDJnMtlEEftMdOp40E2dgIwx6hlXr2TGplJ6l2Rx8NHKGfv820P5AH4LbIfw69y3QR88xLK3TOQ328Ph2baFinSlx+aUHtLb5KH3vYEBNwABvcktcuedgW+dOqLYSdrJsrcHYiVU+bNLYU9hz7oH8Kmy+He7j48nksnX/rBg/+fy4Pl98pfjzH6fA0ekAd/RQoSMJ5rXaJmUNd6xDPDqWYF6r1ap4nU347E6cdfcoc2xafipmtmv6ybIZl4THk2Y4nvRB6tU1NS6I5nJHKjieeKr+U6NOPNqG9hKuxSMMj64C0FOYjzCJaIRJYIRJuo8wiXlN4ayQ94Ys6AUvBOgxoAm9hWVzuunaZ9dLs9aMi7jZNq/9s1jrZVMtKps/wE6tvYWwSVxh/PS2XCb/rbY08mXbEoZwEQRgBPo7oOFAS1yFENqNjZxrP2jTtk9C6J15OceuiyHs263zDERb22fRDK3RUTg96sF8IFC5mzD+iTB2nUE+2Cxeoive9aNOcMbjGe8GJM000KhzMLbP+C5b5CaMKT3zA8n2zDk+dwtHFc/Y/q2n9bRoFaXFbnDT3l3ovpc7fNi7dT8HZbKMaxsRWqunIqee/UYhY8/f+uj4hrnBG20+nT3G207nkP/3gqc0JXzluAsLbglsGQB0jLtwa2XetWVjN0149MvkjO2XPdf4Y3dQIqBkRb2sv9lR4a/uljPQ18oa+xEG62QSqESoHwbyiXhAdBxQzSbER9yanxBnSe7OM0fERM4ASTrJ1Ho6IyJdrWdw6/Luw9NYoH5AXYDeAaSm9RGOLIRGKoUwp/VpTiiZtEaKckMBMiaN+6ULjz+uK22Rvp90s+DkmFOr73luCTt3fcJ3t0rn7Kqy67P5Ke9uF+w8jP9YzMVFGAMfj6vhMNsb+lc/qI4W8DDSbLqlGQ2mTDcUazqdykHhhPZNMRmzqBiDLpUyunk53p3xyO7NQYcn3NhBtRgXO902VB85WvOb8pmHflhRvGdKD1FCJYMTRsjpDQBPETgbCnpJajopTEdlaOiUKZSRoQ16BSylAbIgWUCg1FdjonWsNM6QJQ0YLg30Dxwu9R8R7D8s2D9gSKLopIv+PUKaeYFQntxxbVSa6yA5/xlcOs/GTD7HY0v05dmtSv6Zn5X7oPjduVZAGTONFKtmkYsaQ/YoJiWdylArwjQp6EsnKYprhgkUm5QVEMLfCVcz1KScTKpTA/1BQk5lmtpoVOdEZrNc0ikCQrgmkJBi4FRNejpEtJUxTRNCM50fUwrWaKJCMg2p8LAc8XHqDEqh1RnUrDwwiR3YaS6LzRab6+hqSVa212YZxfpZVAprMD7Ng8DuHlizb8EfPZfQat2vjDDtZbAHlfGa6ZNoVkdZMBKM/wOgEO0Tb9DljKOY9OfbKOn5X/ILoaB9Ke+swWBmJbhjOvUVbZOIelBSlnykSJ5g0ox+vq3NElRttJigLgKNbnFyGszzbaV5iWetIwQ2eHxCreBj7XF8P5jv5h++MIzWNgALvHd4fEHvz/UGehH6c0/+fJKbALQS6L8BfPxBk60aAAA=';
}

function CYCLIC(): string {
  return 'H4sIAAAAAAACA/NPTyxP/M/AqMrGAAYsDAgAY9toMTD4QNlNzGvcv3Wu12tf+OS8SECAHgMKaLBHZaPzwcABStvrQBmNdz/1KFfZL3p1M9K97phAPkiMGYiZgJgRipmg7pGA6jnjv1n8SueT29PdXlRv+LxUiAWqB2a4+jdLCcu+r67p39wVfqedXcWAH0C1fYC68YE9zL/WLn231yn98HWTj6tVyv4SDxI7e8Zn36yZM+3Onumxh7GBGMS2h7LtEGxJB5AaEB/mNsajEaXTz/6xvxAc8vuB0bN5SO5YMHPmyf0g9xgbX7aH0MwOEPGX9jAa5ja7K9HLYv5fO5e4uuHzbsXsNRC3nQG5xx7iHgjb2HgzkC9pDxGXhLONjY0dIGpuwt3WqL0zIOGi93m3WQmqjOYcTqhuuwl122eQWxLS0tgcIPzHULf+hruN78M0b9vXP2+eLZz+dRefVABIDGjv/rNndBzS0pbZw9hA++3PnDljB2Knp6XB2cDwcoCo8XGAuY15V+qiuVMq1CNVNY4tTHmEHKcgN+yHuJEVGl6cILoB6GZ7GJ8JqngDNEHCEiZMvAZNnAPK0EATl2BE5W9B4wcwofJh+egClJ8DVc8BVbcESjtC1W1MF2BgY2Rm5NQrTs1Jc8pLKV5krAAWYQxIkmUAsnj00hKTUz3zUjKTU4shQtxgIef80rySYlaoQSnMEFoGSrNA6TdQH/dA+A0KUPU31sveC+cLE2yc++0LsxLbE/RcwgVnGTCw6qWn5ufCgu4q1GRdFtQgtYf6nRUqrgbLAkCcyyLJ+TX7D5u68vHAF1tS3xV166bftGdUduVaN2n68pdRzOnMaPaHQ03Lh5pmBxWPT8yMd8xJzU3KTA5LLSrOzM+zhXIVDPUs9AyNFDSSSjNzShT88ssUDM0UjAyMzBQMzK0MTK0MDDUtMEqDD/aMSDxQyRgKBkvtmZDEq0XWuT+smmJ/C8oXyswrSS0qKEotSSwBOSEpv0IRGEbByfkFqbZlJRXWaPIF+UAB2+LkjNTcRFvHpGR3YHjGB+TnVPqmFmfElxlaQ6ScEotTQyqBRsCUgAiQIFBJGkW6oUr8k7JCMktyUrGZYgWOZWjdwCAATcAyUHouND72QuODGZLwGpyhNABVt6spXQYAAA==';
}

function INSTANCE(): string {
  return 'H4sIAAAAAAACA/NPTyxP/M/A+JKDAQxYGBAAxrbRYmAQhLLF/pU0T4g5V9Wazuf8JL2jnFEDKuFm1OK+iEmbZZq/fqJPuaMqAw4AM4i5yETk3cc5B/XFL89eO3+XkQDMoLOTM5qaDohKJOr+/R10WugARPSDPbpBMPVrcp6nOUhP548y3fxJ+s7ZTqiwA7p6Hyht7dJ3e53SD183+bhapewv8WA7z/jsmzVzpt3ZMz32MDYQg9j2ULYdgi3pAFID4utAzWy8+6lHucp+0aubke51xwTywR4EYiYgZoRiJmiISkD1nPHfLH6l88nt6W4vqjd8XirEAtUDczjj0YjS6Wf/2F8IDvn9wOjZPCSvLJg58+R+kFJj48v2EJrZASL+0h5Gw8JH2/PE/f+GW0+Zdk2Vje2OFIGG537UcP1gD4uYrTH/856uFnBrNv1RsUo3KRDu4Olb0o3ldhWtb3TbYSW+rHCxfnF+aVFyKthzIKDMBKYaFKD8Gxcu1ZTs+JDlv+KYu9be3n/oESIKpQ/KAD3Lr5eZV1ySmJecGgw2lQkq6QxlVEMNh4nPgDKCoeKMqKkCJ/8WIyqfC6oflrwYQY7hBDomI7Uos6RYEMRl0csvKN5oA2Sx6pUl5hSD1YhmFvvllzjng11d4pmSmleSWVLJCvM71Hk/oPQLKH0CSnMwQ6zVRMpqoABgvHOl9ldy2r5Aveu6wZck2HfznObnVvDUDTnVuCeysuTTH2548CkwsOlVpOUX5cKCxB9iJsMGqNlQLsNhmDhUYT0zalAWQYMEyoWL2+EQf8WAKg4LyklQ9ZZQ/sYcA1BQFqfmpDnlpRQvsnBgYGQMSAIFHo9eWmJyqmdeSmZyajFYhBss4pxfmldSDAtEZ2gBpA2lhaH0b6iHgllQE9wRD6NyHz0Ln3Jb9w8TtJL50BMcF5wVwMCql56aDw+6KVCT37CgevUfVPwIVByaeRj2lPncuPt9wfmPal9lxJSnRTBA8zcI6LFiDx5cKRMWTY5QfheU3oWmvhDKD4KlVFlgeYGWVJkhSdUUJEMwrQYDDWBk5NJLzMvMdc5IzCtmgyUIaAQsgtJNUDoJSntB6U1Qn2pB9YG4xRmJBalse+zXHVJetTM9ISS0eMWesrQTh9o2rV9g5mZcO/F+9KpKTjypmAfqijI21ODphIqLQS13gcqbQOVBXEiBxA6KrOT8gkp2Sc6v2X/Y1JWPB77YkvquqFt1V7jajL4VGs+sr3ZVO/y7woKWQBZC7bgNtfQg1A47qHx8Yma8Y05qblJmclhqUXFmfp4tlKtgqGehZ2ikoJFUmplTouCXX6ZgaKZgZGBkpmBgbmVgamVgqGkAizi4fR/sGZFsB1kaCgZLUcSh+ZCBJ7PYE1pG2hqKFydnpOYm2jomJbsDE3J8BCgM48uMhTLzSlKLCopSSxJLQO5Lyq9QBKb0YGB4pNqWlVRYo8kX5AMFbNEMC8jPqfRNLc6ILzO0hkg5JRanhlQCjYApAREgQaCSNIp0Q5X4J2WFZJbkpGIzxQqcV+1w+BiXATB5K0j6giVuAWg2koHSf6ESquwQfjaUXgylATWOwj8hCQAA';
}

function REPEATS(): string {
  return 'H4sIAAAAAAACA/NPTyxP/M/AaMrGAAYsDAgAY9toMTD4QNlNzGvcv3Wu12tf+OS8SECAHgMKaLBHZaPzwcABStvrQBmNdz/1KFfZL3p1M9K97phAPkiMGYiZgJgRipmg7pGA6jnjv1n8SueT29PdXlRv+LxUiAWqB2a4+jdLCcu+r67p39wVfqedXcWAH0C1fYC68YE9zL/WLn231yn98HWTj6tVyv4SDxI7e8Zn36yZM+3Onumxh7GBGMS2h7LtEGxJB5AaEB/mNsajEaXTz/6xvxAc8vuB0bN5SO5YMHPmyf0g9xgbX7aH0MwOEPGX9jAa5ja7K9HLYv5fO5e4uuHzbsXsNRC3nQG5xx7iHgjb2HgzkC9pDxGXhLONjY0dIGpuwt3WqL0zIOGi93m3WQmqjOYcTqhuuwl122eQWxLS0tgcIPzHULf+hruN78M0b9vXP2+eLZz+dRefVABIDGjv/rNndBzS0pbZw9hA++3PnDljB2Knp6XB2cDwcoCo8XGAuY15V+qiuVMq1CNVNY4tTHmEHKcgN+yHuJEVGl6cILoB6GZ7GJ8JqngDNEHCEiZMvAZNnAvK0EATl2BE5W8hwA9gQuWzQhkXoPwcqHoOJlR6CZR2hKrfmC7AwMnMxsipV5yak+aUl1K8yFgBLMIYkCTLwMDJyKOXlpic6pmXkpmcWgwR4gYLOeeX5pUUwywuYYbQMlCaBUq/gYbEEgi/QQGqnik9rrH/2aGVOQUn1/5R/iuHnnu44CwDBla99NT8XFiQvoWa7MqCGtTh0LJFFiquBssaQJzLIsn5NfsPm7ry8cAXW1LfFXWba2nku/RlyU1yPbAt2e7JOmY0+/OhprVDTbODiscnZsY75qTmJmUmh6UWFWfm59lCuQqGehZ6hkYKGkmlmTklCn75ZQqGZgpGBkZmCgbmVgamVgaGmgYYpcQHe0YkHicQh4LBUhTxW1BaKDOvJLWooCi1JLEEZHVSfoUiMGyCk/MLUm3LSiqs0eQL8oECtsXJGam5ibaOScnuwHCMD8jPqfRNLc6ILzO0hkg5JRanhlQCjYApAREgQaCSNIp0Q5X4J2WFZJbkpGIzxQocu9C6gkEAmoBloPRWaDxchcaDNCTBNQRDaQCLUbMJbQYAAA==';
}
