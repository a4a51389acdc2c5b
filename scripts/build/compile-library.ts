// SPDX-License-Identifier: MIT
// Node 20 does not run TypeScript. Tests that start processes compile the sources once and share the result.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const at = (...names: string[]) => join(ROOT, ...names);

/** Whether `npm run build:library` has compiled the present sources. */
function isBuilt(): boolean {
  // written last
  const last = at('dist/cli/main.js');
  if (!existsSync(last)) return false;
  const { mtimeMs } = statSync(last);
  const sources = readdirSync(at('src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(ts|wasm)$/.test(name) && !/(^|[/\\])tests[/\\]/.test(name),
  );
  return [...sources.map((name) => join('src', name)), 'package.json', 'tsconfig.json', 'tsconfig.build.json'].every(
    (name) => statSync(at(name)).mtimeMs < mtimeMs,
  );
}

/**
 * A folder with src/ compiled, as dist of a package: dist itself if it is of the present sources, else a folder below tmp/, where nothing is
 * done if the sources have not changed.
 */
export function compileLibrary(): string {
  if (isBuilt()) return at('dist');
  const hash = createHash('sha256');
  for (const name of readdirSync(at('src'), { recursive: true, encoding: 'utf8' }).sort()) {
    const { mtimeMs, size } = statSync(at('src', name));
    if (/\.(ts|wasm)$/.test(name)) hash.update(`${name} ${mtimeMs} ${size}\n`);
  }
  const target = at('tmp', `library-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(target)) return join(target, 'dist');
  mkdirSync(at('tmp'), { recursive: true });
  const folder = mkdtempSync(at('tmp', 'compile-'));
  const line = ['-p', at('tsconfig.build.json'), '--outDir', join(folder, 'dist'), '--declaration', 'false'];
  execFileSync(process.execPath, [at('node_modules/typescript/bin/tsc'), ...line]);
  copyFileSync(at('package.json'), join(folder, 'package.json'));
  for (const name of readdirSync(at('src/core/compute')).filter((one) => one.endsWith('.wasm')))
    copyFileSync(at('src/core/compute', name), join(folder, 'dist/core/compute', name));
  try {
    renameSync(folder, target);
    for (const name of readdirSync(at('tmp')))
      if (/^library-/.test(name) && at('tmp', name) !== target)
        rmSync(at('tmp', name), { recursive: true, force: true });
  } catch {
    // another test was faster
    rmSync(folder, { recursive: true, force: true });
  }
  return join(target, 'dist');
}
