// SPDX-License-Identifier: MIT
// npm audit of what the package installs. Where the registry does not answer, the versions are listed, to be looked up elsewhere.
// Usage: npm run audit:package
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { name, version, dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'ossify-audit-'));
try {
  // the package has no development packages when it is installed
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'audit', version: '1.0.0', dependencies }));
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--silent'], { cwd: folder });
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
  const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: folder, encoding: 'utf8' });
  const { vulnerabilities, metadata } = JSON.parse(stdout || '{}');
  if (vulnerabilities && metadata) {
    const found = Object.values(vulnerabilities);
    for (const one of found) console.log(`${one.severity}: ${one.name} ${one.range}`);
    console.log(`${name} ${version}: ${packages.length} packages, ${found.length} with known faults`);
    process.exitCode = found.length > 0 ? 1 : 0;
  } else {
    console.log(`the registry answers no audit; ${name} ${version} installs ${packages.length} packages:`);
    for (const [path, one] of packages) console.log(`  ${path.replace(/^.*node_modules\//, '')} ${one.version}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
