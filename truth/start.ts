// SPDX-License-Identifier: MIT
// The matrix of commands, outputs and characters. Needs `npm run build:library`.
// Usage: npm run truth -- [--only 'decompose.*fbx'] [--list] [--again] [--jobs 2] [--keep] [--data folder] [--out folder]
import { main } from './main.ts';

process.exitCode = await main(process.argv.slice(2));
