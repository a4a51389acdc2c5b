// SPDX-License-Identifier: MIT
// Compiles bench/ into dist/bench/, so that `ossify bench` works in the package: imports of src/ become imports of dist's own files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'ossify-build-bench-'));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
try {
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.bench.json'), '--outDir', work], {
    stdio: 'inherit',
  });
  const target = join(root, 'dist', 'bench');
  rmSync(target, { recursive: true, force: true });
  const compiled = readdirSync(join(work, 'bench'), { recursive: true, encoding: 'utf8' });
  for (const name of compiled.filter((path) => path.endsWith('.js'))) {
    const text = readFileSync(join(work, 'bench', name), 'utf8');
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), text.replace(/(['"])((?:\.\.\/)+)src\//g, '$1$2'));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
