// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../core/model/errors.ts';
import { checkMesh } from '../../../core/model/mesh/mesh.ts';
import { readAbc } from '../read-abc.ts';

/** Archives of a quad and a triangle per object, written by the HDF5 library 1.10.8, compressed. */
const unpack = (text: string) => new Uint8Array(gunzipSync(Buffer.from(text, 'base64')));

const POINTS = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0.5];

const FILES = [
  ['superblock 0, symbol tables, chunks with shuffle, deflate and checksum', OLD(), 3, false],
  ['superblock 3, links and attributes in heaps, arrays in one compressed chunk', DENSE(), 12, true],
  ['superblock 2, compact links, trees of chunks with shuffle and deflate', V108(), 2, true],
] as const;

describe('readAbc of HDF5 containers', () => {
  it.each(FILES)('reads %s', (_, file, objectCount, hasOrder) => {
    const { mesh, clips } = readAbc(unpack(file));
    checkMesh(mesh);
    // objects in the order of their creation if the file states it, else by name; the first one created moves and has UVs
    const made = Array.from({ length: objectCount }, (_, n) => objectCount - 1 - n);
    const order = hasOrder ? made : made.toReversed();
    expect(mesh.parts.map(({ name }) => name)).toEqual(order.map((n) => `m${n}`));
    const [{ positions, times }] = clips;
    expect(times.length).toBe(3);
    for (const [n, time] of [0, 0.01, 1 / 24].entries()) expect(times[n]).toBeCloseTo(time, 12);
    order.forEach((name, p) => {
      const created = objectCount - 1 - name;
      for (let k = 0; k < 3; k++)
        for (let c = 0; c < 15; c++) {
          const rest = POINTS[c] + (c % 3 === 2 ? created : 0);
          expect(positions[k * mesh.positions.length + 15 * p + c]).toBe(created === 0 ? (k + 1) * rest : rest);
        }
    });
    const uvs = mesh.attributes.find(({ name }) => name === 'TEXCOORD_0')?.values ?? new Float32Array();
    const moving = 10 * order.indexOf(objectCount - 1);
    expect([...uvs.subarray(moving, moving + 10)]).toEqual(
      Array.from({ length: 10 }, (_, c) => (c % 2 === 1 ? 1 - c / 16 : c / 16)),
    );
  });

  it('gives a FormatError or an asset for any mutation', () => {
    const seeds = FILES.map(([, file]) => unpack(file));
    const edit = fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(0, 1, 127, 128, 255), fc.nat(255)));
    fc.assert(
      fc.property(fc.nat(2), fc.array(edit, { maxLength: 6 }), fc.option(fc.nat(), { freq: 8 }), (n, edits, cut) => {
        const bytes = seeds[n].slice(0, cut === null ? undefined : cut % seeds[n].length);
        for (const [at, value] of edits) if (bytes.length > 0) bytes[at % bytes.length] = value;
        try {
          checkMesh(readAbc(bytes).mesh);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('names an HDF5 file that is no archive, and values of another byte order', () => {
    const bytes = unpack(V108());
    const text = new TextDecoder('latin1').decode(bytes);
    const top = text.indexOf('ABC');
    const other = bytes.slice();
    other.set([88, 89, 90], top);
    expect(() => readAbc(other)).toThrow('it is an HDF5 file, but not an Alembic archive');
    const swapped = bytes.slice();
    // the type of an attribute of uint32: class 0 in version 1, flags
    for (let at = text.indexOf('1.tspc'); at < bytes.length; at++)
      if (text.startsWith('\x10\x00\x00\x00\x04\x00\x00\x00', at)) {
        swapped[at + 1] = 1;
        break;
      }
    expect(() => readAbc(swapped)).toThrow('big-endian values are not read');
  });

  const data = join(process.env.OSSIFY_DATA ?? '../shared', 'formats');
  it.skipIf(!existsSync(data))('reads the same from both containers of one archive (needs the data folder)', () => {
    const [hdf5, ogawa] = ['hdf5', 'ogawa'].map((kind) => {
      const bytes = new Uint8Array(readFileSync(join(data, `appleseed_dform_${kind}.abc`)));
      return { ...readAbc(bytes, { name: 'dform' }), byteLength: 0 };
    });
    expect(hdf5.clips[0].times).toHaveLength(6);
    expect(hdf5).toEqual(ogawa);
  });
});

function OLD(): string {
  return 'H4sIACAP/2oC/+1dTWwbRRSe3XXWVuIGp0nbUFQwaitFLSROKSioKnVKC+FQav5EW36axLFJaB2bxA2hKSSBEAKHklaAckCoHBBF/IULFAQiHJAiJKCUSpRbERIFBFLFASKEWmZ33qw94117Q50oJu/zYTwzb2d3Z957+8347fjZlm23LClfWU4M+HzEQwIkGxcBTS+LeV7fCqkC6Rikx1Verpt1tVAegPaDGss3wYF337l9uyF9UQI/T62XpT6CWIxo2d4cMdJdlh4xTKuiXPPWmwV9bLnE81bBmWS99kPLCv3mp9rd1h7d2xfr6e1KdrPro4rqYZrO5BRFuC6ezoCO+0kIyr30u4801qd7U1F2n0I7cBy/bT9pso6rYceljeOqglvAVsJkYwXZeFETz3uPide2+Ekk6/ha4/iuRCzP8XAfqnQdHAM179z6w8GRLQpRBLvn/TjEboYc093ZfbBCHG/E4rb7OkindFGuPtWTTNE0sYHlE42QhkS9D7k8712379xmaDB/3uzyiO3Ieoywh5MfGIOOPV6e7QeIox9AoB/I9gPcLqfLZX1jiBTpvMwPeKzztfokvivpcRDKzz4myvkOgv86BHwWyk8sF+XO3Au8YLf43Ov0i3LjkJ+sLBU/oNnOA+oug/sj7vhAZCnOA9AP5M4DTlba84FizwNku8vMAyqoTvrYeesTsXQbq6+mF7Ay6zp6o52xRNvm5vborbFkYm8kuf+xHbHezr19jdxOPLZ2MlEN/sKlnQRWoJ2gneTayUyVZCcPUTUsop3IvHn8MvG5dQLyZ6pwjNz4G7m/sv2Nse5gjl99V3c8mRlnN+sOhDj4L7O9S/FfFbb+a1ft7PxXcGVx9BFR2v5rUuLzM7fn55OpPSKfdHqennhQ1Ecn/xWpEe2mH/ITy3GM8sFa59/K8qkcf+M1/VcEfJeT34JlRyv9VWPfFZv2DP8VAd9l+K2rs+SoW7srmkzFNvel+zd1dadjPakeKpjuSnZvTiVpgaUv7PcKfqACmsOvB9yxlWq03qipCl5lXf8KH1kxCPVl9JqMepWpK/WOEfOLAjekmvUK6e08EI/vj0EbxNRAo7wjFt/fls6Ua9CvVDZNXXHPdRs4z2PXqalq5xWsyGN16axWvuzsocyyn/Gt+eX5WQLb8stx+wpcXkiPwN7Wi3Y4Bfmz14rPiZ93LEx7MJ53hi+Sn3fVDvITq1m6jGQGMxtvQn0Nsef5U1BfbdmJiNOrZR5gfx4EAoFAIBDzh/4Ho61DT+nB971E/ZpMJV7vOWUWDY/quj4wQPQdyuDJhrrVrJDKPUS532EytXzVR48bZWHi1QcolT1Mhr588/RrZpFSacyjmu9Yd+F3M69X0oKTZPj0wcYmKKA0YJw0f/N3Xb/Z8JAeTLdO0qZ9h5Wh64+8X2uWat4AbXmcDP/48BcRs0TxGkXauKKc0n66AEUhnagBMjy8L3wna0wL/zzV+jXlGpUqWfXBo8s9wOuN2nh7R1iltJZ4vzo+cQMt6WhvC+uE9BHfun/OP2E28KSue/X7Nm0ierNycJu3egdrdrTMe+UZSs+rP9Y+/P776XfNUlUxukmnl3AjeT5wbglx7r0nR0eNwgFS/px6U9VviRfh1mnxgCFccZt6033xVW+zFjR/pf9PP9ErlfD+996Kz/YenqIX4B0g2k6FvHLu6Wusq/LSE3mXKJ+eamj4EcaU3uyAl3i+UsK7/9j5C+vUMt0b9BA1Ql79rvuJz2ZxcrQoBAKBKA04xc3I6x6F1tE7G8R1FMTigvw7INcnUi/KhUKhRkg3MP1jCP9n/S35ddTJUGZJrEjrqGomnrA+vzy317NNqMPZcFpHdfJv51Zz/5kZzGz8JdXL66i+NSzlP/fI66iXrxHzuI6KQCAQCMRCmEeVPA89f2MReagTf1rqIN8A/Kbagdc0Q/1SB/50dwH+FEf+hEAgEAjEggOP4zzGXqvPiuPk741XsTj0eFs0dnPyQHe6Nysa3X08+kqLn5Xl5Wvye+cGfzJq5PftLZ6mqorAp5RDa+yZyviC7v8IxDVO5PT/0kz/39bd0RWNCQMw+/7Pz5dhGw4rLdj/88eTg9ttefKlLaAyvqy65ssjoF1O640vSXzXg3wXgUAgEIiSB4/TkN8T88Mv6Qa/MfjagT7G0tzys3XWvlMhqx3jQ9sxX3gy3nfyE/v3ndzwOr6NRrnFtxbcOujxnbb8LnRJ4xWp702kQpB2EWEew2oYBH6dVUH738zxfm+dI71iPFTL4aFOryG+Lq27yvzyE6leng19i+uyCAQCgUCUHArFBacesH/uIxYHnPYHqt0jys3VPlryPnfF3kerkP6H2lH/Uf9t9P8BSf/neH+ss/L+j2B/M/fjGLnyI1J/Lfz9sXy2+xH1R1l+0uXzuymG/gv9V8Z/hbn/aBPl+PrWbNe1uD7XFvBfqb2i/ATkT7ThGOUDt/vJbuhHy9+EoT/d7Y+Vs06syX4L98Uy61V1KM6Kivg+l2bxhmAyvzzft/5YKr8ct6u6jsUzT7WLR17mIP9LgXXtC1C/gtg/H2vWsnSZZW8i1q+Vn//250EgEAgEAjH/vDmUknlzqcYjh9faM5WFGY/M113keR7GI+fMNyYfsZ1vzG88cstaPm72PHaPxHcxHhmBQCAQiNKH0/9kHIP/oXP7v2vTg/YsFbE44PR7ecshUW6u4kXk/0+cr/9dCwzDPMelnYyNoJ2gneTaSWpQspM5jivxPS7Op0OQjwziGLnxN3J/lWpcycmnWd5tXMn4M+i/0H/lxpWERkS5uY4rmR4W5c9DPjCCY5QP3O59R+C5Y/mbMPQnxpUUeZ33zBgrmpO4kv4j+eV5XMnM0fxy3K6GRheHHTjFldQ4yO+T4kLk9e9BqV5+Pr4A9TWWvYl4A+NKEAgEAoFYsLx57KjMm0s1ruSTkowrked5GFeSM9/wvWA735jfuJLPC8SVfIdxJQgEAoFA/O/wL48I8u84nAAA';
}

function DENSE(): string {
  return 'H4sIACAP/2oC/+2dCVgUR9rHaw5mBhg5lENcDxTwCnIJKh7cAmIMKJCExHDuIEQ5hBEPMEBEgqJEPjUaiQcbTUzUeCyJxiMPJh5JVmU1GohEo4bE6H4hRhPU5Vv9uqu7Zrp7GGyZGXYGqnyw6aq3uqveqrfm968eZlZEhoX3sRhgIZLJAEqP6dT4LXXuRee3LO5XHR0ZNks4xtn68avMn0CBcBg0EQk41+AmCyGAJjY25P8vCSnrcHRriaoRQO4PLwjkxD87AFJS05IKFHn5mTnZwIZoqxgaOQOhgEh0FXR8QNxI7kqei4CUqE7Yenso83PTAHlXVU3if/JH7kUeSUs72lJJWNo6BwLKJUHA1xL4PhZR1vEw7QiUR5KNo2rZwVqZWYqOaxENpPsJhICdCu0+iri+pCzw2vS20dC17lzX1iHP9qGrLH2FOv6aRB2HKqgj8ix4DfzX0/ldGYejQyOn2w+E3haJtc4HiQMcODGqKQoOCa2kx/Fs4o60JzgF8JxuxuCUcy+Oj3tCd/hGD/KrQKulfCLlH0tiOhKmHrl5ObkeWQplCuhHXGEAPRXz0zIUWSlTglPTIhQ5WUkxOfMWz1DkZyQVeEv6s8fFDF4hQKzujt3zfoKOu/PPri0GD8wo68iOFoMJqDtwMfCYQzTXIzM7PYcd0R2sBbD2RGotQM6AtZ/CGa2PvI8/YeTMnqqrG6SUdQZdC41nX5DSn8q5Rx+dnKgjVS+Idsl05CEn9ihJYjzys3K9KpHnbDuciFH/8f6ZGZ1C7dGpMQtI142iO9uunOdBXge1QsBqRSYcGvJ0AFWMriJdUABbedhB3ST35JeioIcFQCCwo9ZMa7oMHUV2QGDrPEQ12o4y4FhMNopwrUhkKQcCohYg/5EWsoHEvBAKhQJrscCB2Xv0OvcWMNLU4O9aBt3qQvkNvWbYeKSnpClCcxZkK/OhA2f1ox3sShmi1dAWGk7L/mtmmoKyvGeHfM+4z/dy3w1gUWJacpCkT9vOecqA/hOCMgtBSqCoCOYKrDKITBvf+oxCMOKIsIQytbIiTWUDS863gagjYmoGET9kKZEkqcOd08tSbWrMKgTgS2BFZoNSycvOKafrr4ETfYKOggpr8LvIOX3fnGSbfVKQPsmsnjQqKZUUysLT0/ql5ZbcsW4SgeOh0gk8Ll4ikkrKJYVx4zb+Bmxf/3ttkZkUlJSIN/OpKpDSdWXLmpzBnNCH5lagFphd4VO3VCJ1/iRCsWy/KE5+qvzuCGKBOp4s7cOrqpmVXE663EayPxicK787nqh8fpt0D6/KIk5lT6Ly9WuyGbwqSzmVA4nKd51lv/JydARytIxw9CDnIqsIUHJWvJKXpwURTE9PCnrQtwpU/Cq+zKuyGbfygCpQ3cdsNK/KIm5lhyrw9hizJU+oDHDCCSecenZ6AtYKeWKtxJENimIvLy/vBgSAjmw+JAt9mhGbhumrK/KfB60yHEPaM+7kYPQMudAzU949PP2M0fvixNorR3WRO9OHUGeN5+5Vh8fGTgWBtCYTtAAwEEL3sNlObayIYridu/UjIhzL3MCC7raQ9SVyBMEytkYBh0x3ZYmr3bMbyhhXtozRVCczhtFF8QZrzKIacbu2AZJytFGHA6Q9HqRigSPjTtPQ2G0x9gFaeOpAaUhcZBgwJ+cmub3415FRlbTWROIdOM2uv6/91UOHsFrnR525ngsvYV8VNkpGNsoWNuoDL26jvLLXPuIOowVdZqHb8mYhFrgx2pJs9Mub9z/c3PnFWf0YdZwJDdOY7YO2hLNzwmdFxsD1TKgaPQZPtNDnaEkFYs6RTn153l/MqEnhxkji2HgB5SVc+Ggvd3pVO6F7oLt8uubDEdzIqP4L18o2oeFxeCxhBVo4e44CjVbFgEVES1CJJ71xQ19SdUyZPX5HSNyz4UTr7pMD5EY10bv9oBychW6iJGvDWulIICev5Uf1N/rzyGkghKxCTAI5ud7Frk8BwaTFKGLGk2HsoswG8HV7MnWvPElCPnhVQFUh9wul6w8VgY/oa5CMcO9Ph6VgFmk7hWr41mPHV4ALdMPgvqsgdyVIp6uQbnql9lwVOEBflBz05yY+qgODaQtLMvoujzsIVtIZpMh+/Fn5EfAtXcWcjO0Kly/Am+RtA6hpmn2i4RKooi3IRfofGx5cAf+mM8hwL0j8ru3U/cuzewKQw/E3Zw0VaxBYrmHNCtaMYA0+a5xZrmQNFmsYWA5mDSFrorGGnzWwrLnEmjasyX3+9tCJWIbxFmTG/oQoebC6K1Nd+wzR6xOim32N9QnRraRhPh13tQF1VfRUXU2kd+xXc54Q2YCLLlROuit1XOXa6bMgP2f61IUtwjWeJgQPRcSn+QLGSAPqk88YTlk6Me603OjRK+9Y28e6yL0tPUjuvdb+5W+GVVbvmYyy8hRk/KCLNPpsNE3TN6M8uBz6gQ9XDAXdWVz0FMgdRQf3AdfOkdtGN+Q+h/I+nzmnnIvcYjduJ9Z4tszldlU8gmtlW/VNEIXcqBd8kbu4umPkPub8eASN3NU0lVgj5D7JRe7vGUgECRtSmi8DqMW0hRgBdSQDjyBQR3GBeh59WysE1IDBWhCon2XQGwTqQwxOg0DtyiAyCNS5DMaDQP0GF6hH0hZmCKjXMUiQBOqZuRXRvQO5mMhNDyZrmFjOY80K1nizXMoaNNZwsBzNGkrW/GJNA9YAs+YUa/qwpnDl1WmpGKd7AXJ/M0rdlYLbc97VK3InuBgrcm+y+Pm0XpH7lKM25D7pSeWsox981Lp0itw7n+GJ3HXuvJD7tMfYrwyH3AMZdzpm9Mh99padQBfk/q4HIbfT5aYfDYvc100GuY9G711m4uv4B77q7rQ2Ph/HhebTk7k43Pf9cUX8gf8FL4MC/9coz99t1JWuQfomLZA+6pMbVzGkY0jHkI4hXS9UG+BgrFR7f+e2qXql2pXjtVHtsUlUTg1Nt9GTO6Xa18bxpFrHCbyoVnmgWGk4qh3EuNMDo6faBKvFefye4R/yp4sM9wxfsLX4O10Q2968B+1q33ztEpfDzPO4HNY02O6a1nVLh33gA8H0Dm/zyc87Wg4Nxv2DzE2F+w9KD35l4tx/OkjdnU2/VUi48+2nSO58q2t90MKf+xdMNij3n0J5DUerHnK38E8HcNvekh3wZ9fUwdjNHasDryNhSqwOsDrA6gCrA72ogxR/Y1UHC34qFepVHewM1aYOmiOonLW0SsiK7FQdvBPCUx34hfFSB/FDWpd3z563r7mxq4OGpmHj+KmDb6caXB3UKVZV6qIOYnqQOthwMH0Wl3jMlVzi8Vk3/09DqIN/zqDOQuMffNSt6uBFk1EHdxyGVZi4OvjpWXV3PF8c/SlXHYjiufPNPfKtY/zVwdpIg6oDlW6V/rBCwo2Vn6K4bXe5u+t019TBc1rUwT2b22OxOsDqAKsDrA70og6KpxqrOqj/uCRAv++IidamDh7GUjn7aZVQGdepOjj8HE91EBvDSx2MeffATcOpA8afMIAco1cHFW/uus5PHfwx0+DqoLLo5VW6qIPVPUgdrP/9Ly9ziUdZzCWe0NZdzxlCHbQmUGe5GdF13aoO1puMOoiRBf5q4upAlKDuTpznxntcdTA0hTvfplyvKOWvDvbHGVQdfKYyGLjamhsrohe4bXfeUbuna+ogU4s6+GL98aVYHWB1gNUBVgd6UQebZxqrOjgIjuzUqzpoeVmbOnBMpjeuaZXwQXKn6qDpJZ7qYP5sXurgRFjd1O5RB7uNXh2k3XIM46cO+iYaXB34PAq21UUdfN2D1IHL8j2xkMGk2hjsEn0eoeC4iDM6ffgzmJDNYM4kg6l8GKj86iWDq4MLJqMO3s9e0mji6uDtTHV35tTXTYOEbUZeyhIS9tsKNIPQHLpftDeAvzpoSDaoOjiM8q4pJ3tz1cHQNK46SA6oLuyaOijTog6GONl/gdUBVgdYHfTeBNcdCelva2rNnMNdM1eOPKmg1p1LgM+646wq2UqvOwMA+7h6eNUaOO/MXECUEDgQ1vZg0rU9MkB+Cml/INreMBiQT1btwYch33gB8k08DuDHgqWLwBj4a2TT3S1gIzR4ITZmK0iAv/6ScqcW/C/8tWDF+g/BMvhrYqXFN0AAb+H5xfMXQSPMzT2UfhNkw1/bZ6e3gz3w1xyLyP/gKdF9645aPFIDr5pQ1DCrcI6aAKpvQ6GGW/WSSg0j+oYKethVl6amieqLAaiBVhE2NcsQtNGTA33EIj2ZLFWv3XAWydEpNW9vbKndhofzv7srETvXWHcltr7h5voEyn66XYm787TtSrjNp5UX/fbO4Kmd7kr8PJfnrkRxltodubcaz+jy1KbsVersSOqNPF2u80cBdXb55PO3OtB0htkNuWX0uyER+csD+e2GOOeod0MMlGwKV+3WZTdEatFzdkMGl7XV8BuYyiUG36bKtP/lGmsZNthuiLWFqeyGPAyyn23iuyHmBeruOJSPkXOflSqXcncUvt5V+Qf/3ZCD8w26G6J6in+wLQZ0bZ/j4paO9zmmePlNxvsceJ8D73NgvaEXvVFjtHrjwqbabXp9ClqZrU1vrKE/lbM9lzomzexUb1xdyFNv3F5El3T+FNQtJtCpez5fYbiFsXP/7B0banVB7dAehNoPG/9vui7SMul16izj+p19ulzHr4o62/yjx9luQO3ppoPaN2a4mjhqK0vV3XHfp/ThonbUCi5ql439cAx/1B621KCovU81FP2Hbugaav+mBbUdDp/4EaM2Rm2M2hi19YLabYuNFbXjs1Jq9YTaaqhOr6BqpNNw/di+U6ietox+QYC+ii+jzuYCnqhdX8YLte9GxVzsni32VKNH7Ue7V8fw28lNKaeLxnZxJ7e22K5RF6ov6UFUX/lt9AV+bj9TbfAN9Kiq33d1zwZ6hclQ/W730WdNnOqjVqu7M3OjbRKX6pvXcan+TvOOp3g74YMKg1L9btW6ceW6Wdeo3mJrx1R/dfjfh2Oqx1SPqR5TvX4+oHiJsVL9vKXtIXrdQD+zXNsG+vm1VM5k+nUhbV2nrD/kTZ5U/8waXlS//petk7qH6rcaPdW/F3ZuvC6ofawHoXZT8b/cdNn4PvU2dXZ/dcQf8Pvk0TexCQgc+QR60zYsagssQt/ZoC6a3poh7WwFMhhqnzQZ1M4UxPubOGo3b1R3p65GEsNF7cZtXNROrUnw5o/aK9YZFLV3oryFt/uFc/9yp/ktbtutlDXnuwbkblqAvLEuMR8DOQZyDOQYyPUC5OOrjRXIK88+DtH7NvtZel19n0bwpG2dove+Tcxt9qM1T7nNPuIdXkDuv7e+X/cA+fdGD+TzpW/G89vv/XKzjtvsy768bKEL+/+7B7F/2VdrKWZHX6qgBvNal/fmwCL0iarqooczClfDIvRxSuqifElSOixCf0utLsqQNn8Ci9AHAAguAfAMGR+pZf0XdSv7Cy1Nhf2PFgUdhU5D78ZW+7P+5IXbsAi9e0RdtPf21QGwCG1Bq4tevDp3OixCyKwual1Yvh0WLd+mMaw/DPHp/s7zY3/UWgOx/3aUd/7dkNe57N/4Ny77D/m4fVjX2D9IC/sPNr+wHbM/Zn/M/r03hUeGhagglloVWpOWiYjRgogeww/PR4vIOSGlwDxGDeVD6aEkUD02LSdXMaVAuWhSZrZSkZebR9goM3Oyp+TmEBkiYEtrAgbx8rr1AAF5676M2ojpnqI62VvCSrFImZfixa6DsIBl461hI9Cw8dGwEWrYjNWwEWnY+GrYiDVs/DRszDRsxmnYSDRsxmvYSDVsJmjYyDRs/DVszKGNjOlDTUdbaBppetoSB62+4x89P6JEaPrQH3D84/jH8d9r4h+9V5SiP99H5Tj+cfzj+O818Y/+ABOmG0lXz+D4x/GP47/XxD/6wCeYWgclZeD4x/GP47/XxP/SV9QZryTGjeW+yWobHQXqJ9OiLG/vHBHKFapzvaoHoVz0MF2Y5S8ehTLFqswJZzxQppkqc/yJiShTosocdyMcZUpVmX4gFmXKVJm+g5NQprkqc6x7Lsq0UGX6bChEmZaqTO+sN1CmXJXp1fQ/PX380dcQwJRYqijF6z9e//H632vWf/QlhTC5p33aguMfxz+O/14T/80RjByP/eLBOP5x/OP47zXxf2wSI2fhlMwdOP5x/OP47zXxf9KTkbNsU0QYjn8c/zj+e038X3Rh5LyzPiMKxz+Ofxz/vSb+U/ozcuR3D//5pPgXqaKCSrdF1O8oCkx1HZBR1RcU8Fz2hFQl2F2ikqq/8g76i1cZvMoYX/p/vj/wN9fWAAA=';
}

function V108(): string {
  return 'H4sIACAP/2oC/+1cfWxTVRS/773uvdo9SrsVxqaOiSMRhNopk4851jLGNhbcGIhOImPrOlala926Blgi5SMjiuIwLMY/CJqI0X+MUUGIxmA0IRpxJPxDiIn4B2IwkUQNQkzE++69rx+3fWsnQ1pzfsv2eu859+uc29ffOz13LzatXDXNUmYRzWak4ybD3g5adrH68bHI3Namle3iworpN59N/K0TxDlERRK4PnhYRERUbDbt79Mi1V6lDy3HJoHUpaRDpOIfB0Jd3d7OiG9g0B/sRzY8VxNRqkCigMGa6NfreCC1UitLSMHNsW6VMzwY8iJt1FhL/Ff7VV3aVdN0MM0w1rRX1CFqEjdaVIgW3ZSo9hMER+vUJm1ytJWDtPIHfOlb4QmydSIRJWPY8X7jjzv21l1suTafmHYBb9qPdctKWVpWnkVMYdKHKHCGBoKhN9nI8gwq1U0lBqqCUrIoNteAa7WHvZ6PJoX6B0680lrf1DLjHmJtyWQ4a3lm8mwlz4r6/WxyZzYd9WYwCsrSKOgFdMfx3VOL12dYTrbvHt2ugqGmuozapxBvR6xK9oAz4At3oWLcQxnbioPePl+gq9bT7W30BQOdbcGt29f4Bvs6I1Xpd9FyU3w5jg3VQvrlnP13N4PrBVS7Kd3NYIm+HHIzcG7B03X6+3uDye/oNPcC0noZvRfoxiCtJ2GMX/+u+iKD5womtdTXFardnG6pj9GlKnSpbemXqe98/XpFoq+F2Bhu1meL3nHMd2fuaj6X+O4Ujd+dKbtAM908tti/wludWj9qrX6rJeZti5v2PmZa3GqdNxjy1UbC22r8/WHfQGgA64Txzbw2FMQV5XsuXSQWFpAgOOg9czobVL9KDiTYK2bHzFBiRiU7tUlh00pS4UwkiKJmZYFoCLFX5mJtjeJFJW4G0sUYyk2c33DEn+ge2dA91NE/zOI+RPU98Uf1I5H17Q0Nmhn4ptMNBqddImTnNw3DbCZnF2Tm5C5bstNUTu62JZdVg3EAAAAAAAD8d9i2ybs5ukeuOK4gcRydIsVdI7IsDw8jeY2wk1Zg+RbMMw5QBTdS5GEZCQdQlBQFKyaByENey1ZcOIt2sQL+uB+lkmhUrghv/gB3Yz4gkHZRSbHhXkapclRQtKI0Kgis6JKRaGPCqOT++dTmccwfrCJlSWzuvd09bsw4e5GCSz3dXRoLjiAzabRblhV5Y00Nkj3CDtrNSIFSfh4/MxR/Jp0kNaKgLVXGQy1Fr6Zf/e6REa1iGFleEpezpeCqYU2psJlV7ZJUq3pNRbJVcGcxP9h4AAAAALijyBDmErMMc8klyYEjk8vlqppbyoJdTCgkCB/umsNKK6dqKY01QyYtjkJDGocfpLXP8VESKnYspKUxXtz+bmX1bY5MVZXlSWTKW2u5YRRQUo02FAv4TDMI9Gzk5DwV6mPyIoOA0hAElAAAAAAAyE1Cefu4U+D+POFOz3ue7DPiTlaDNvu4L9N4TjPG5FYD7vR2Bu70IXAnAAAAAAByjzvFolfHnLRmrS7Sw1Pqcpq8ameJcb1dXl99cKg/PJhdelwZfmFbffkNnqbxCauSioTEtFtCzyzmIi3L7ysbRz9O5K/JD3X+9nvc7I8uprUHebPLhHbGc2VtiYYfDIRc5gXMP3U0TbgowT/N/T1+r28SDjpyEn3JO4hlsyFlIgdl5s/yQxx/PpzjDmrwdLwTd9C5JbS2McVBldRBetmeZHnNQ++xiO/X36zbTom5mDUx/zZDUPMCR6xNQKwBAAAAAPhfEHO5lDIMnajJbRqt8NtYNr5arX3cS5gUE+I3FMmO7s3HjFKdh1ABaUrOU+CmsQMVKko9UKGcdik8O7Sw7vTrLUZZy5ZyLDFXo6xXPx9alegclOQc1352JkYuo2JdrmAba/LTjO9/X14+SjmhlMIJiwyGvswFW3mud4OT88HaQntyGYKxAAAAAADkASfM76PdpSviS3lr5k+Lp/Ro97l6qp17R7s/+ejCpSn6xwt0qQMNVDvt0e5FdKkTH+1OeSSQ9L7vZrmxLTxHjOGI+Iz9Vo52m5ijpOMDhflztPvThjx5PDlUf3Ztdv8Xgzr8lzW0XUrS8ssdS5YZZZPYDQa/1z7xA4qTyYsNHlDcTG432Hzr4AEGAAAAAIDce0CJfWve3UprUg47TUU2SeXB9o5bySbpsXP0I4+zSa7uvKLEzS6x7J2UJB49m0Q3Y0o2yYbHmX+mIpvkteulgduUTbJ+LUfEcz2bxNG6cHSC7wt62QOXnk2i79/UbJI/2Vuq59h452SzSbayHW+UTbKDI9aQTQIAAAAAQP7jH0wxAPKEWQAA';
}
