// SPDX-License-Identifier: MIT
// The parsers of three.js' USDLoader have no types of their own.

declare module 'three/addons/loaders/usd/USDAParser.js' {
  export class USDAParser {
    parseData(text: string): { specsByPath: object };
  }
}

declare module 'three/addons/loaders/usd/USDCParser.js' {
  export class USDCParser {
    parseData(buffer: ArrayBuffer): { specsByPath: object };
  }
}
