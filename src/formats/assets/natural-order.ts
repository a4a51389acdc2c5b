// SPDX-License-Identifier: MIT

/**
 * Compares names the way people count: runs of digits by their value, so frame2 comes before frame10; the rest by
 * character code, the same on every machine. Names that differ only in leading zeros are ordered by those.
 */
export function compareNatural(a: string, b: string): number {
  let i = 0;
  let j = 0;
  let zeros = 0;
  while (i < a.length && j < b.length) {
    if (!isDigit(a, i) || !isDigit(b, j)) {
      const difference = a.charCodeAt(i++) - b.charCodeAt(j++);
      if (difference !== 0) return difference;
      continue;
    }
    const startA = i;
    const startB = j;
    while (a[i] === '0') i++;
    while (b[j] === '0') j++;
    if (zeros === 0) zeros = i - startA - (j - startB);
    const valueA = i;
    const valueB = j;
    while (i < a.length && isDigit(a, i)) i++;
    while (j < b.length && isDigit(b, j)) j++;
    // Without leading zeros the longer number is the larger one; a conversion could overflow.
    if (i - valueA !== j - valueB) return i - valueA - (j - valueB);
    for (let n = 0; valueA + n < i; n++) {
      const difference = a.charCodeAt(valueA + n) - b.charCodeAt(valueB + n);
      if (difference !== 0) return difference;
    }
  }
  return a.length - i - (b.length - j) || zeros;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
