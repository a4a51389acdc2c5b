// SPDX-License-Identifier: MIT

/** An identifier of USD: ASCII letters, digits and underscores, not starting with a digit. */
export function makeUsdIdentifier(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9]|$)/, '_');
}

/** An identifier that is not taken yet; it is added to those taken. */
export function takeUsdName(name: string, taken: Set<string>): string {
  const plain = makeUsdIdentifier(name);
  let own = plain;
  for (let n = 1; taken.has(own); n++) own = `${plain}_${n}`;
  taken.add(own);
  return own;
}
