// SPDX-License-Identifier: MIT
// WebGPU in Node for tests and benchmarks: Dawn, on the machine's own driver or on the SwiftShader that @sparticuz/chromium carries.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/** dlopen flags: resolve now, share symbols, and stay loaded although the library is no Node module. */
const LOAD_AND_KEEP = 0x2 | 0x100 | 0x1000;
const TAR_BLOCK = 512;

/** Dawn keeps no reference to the object that create() returns, and crashes once it is collected: it lives here. */
const home = globalThis as typeof globalThis & { ossifyGpu?: GPU };

/**
 * The entry to WebGPU. On Linux without OSSIFY_GPU=system it is SwiftShader: slow, the same everywhere, and no system package is needed.
 * Only for Linux on x64; elsewhere the system's own.
 */
export async function launchGpu(dawnOptions: string[] = []): Promise<GPU> {
  if (home.ossifyGpu) return home.ossifyGpu;
  if (process.env.OSSIFY_GPU !== 'system' && process.platform === 'linux' && process.arch === 'x64') useSwiftShader();
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  home.ossifyGpu = create(dawnOptions);
  return home.ossifyGpu;
}

function useSwiftShader(): void {
  const folder = unpackSwiftShader();
  if (!folder) return;
  process.env.VK_ICD_FILENAMES = join(folder, 'vk_swiftshader_icd.json');
  process.env.VK_DRIVER_FILES = process.env.VK_ICD_FILENAMES;
  // The loader path is read when a process starts, too late to set; but a library that is loaded is found by its name, and so Dawn finds this one.
  try {
    process.dlopen({ exports: {} }, join(folder, 'libvulkan.so.1'), LOAD_AND_KEEP);
  } catch (error) {
    if (!String(error).includes('self-register')) throw error;
  }
}

/** Unpacks once per version of the package, into the folder for temporary files. */
function unpackSwiftShader(): string | undefined {
  const require = createRequire(import.meta.url);
  // the package exports its code only: walk up from there
  let root: string;
  try {
    root = dirname(require.resolve('@sparticuz/chromium'));
  } catch {
    return undefined; // not installed: the system's own driver then
  }
  while (!existsSync(join(root, 'bin/swiftshader.tar.br'))) {
    if (dirname(root) === root) throw new Error('launch gpu: @sparticuz/chromium has no bin/swiftshader.tar.br');
    root = dirname(root);
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const folder = join(tmpdir(), `ossify-swiftshader-${version}-${process.getuid?.() ?? 0}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  for (const { name, bytes } of listTar(brotliDecompressSync(readFileSync(join(root, 'bin/swiftshader.tar.br')))))
    writeFileSync(join(partial, name), bytes);
  try {
    renameSync(partial, folder);
  } catch (error) {
    // another process was first
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Plain files of a tar: a header block with name and octal size, then the bytes, padded to blocks. */
function* listTar(tar: Buffer): Generator<{ name: string; bytes: Buffer }> {
  for (let o = 0; o + TAR_BLOCK <= tar.length && tar[o] !== 0; ) {
    const name = tar.toString('utf8', o, o + 100).split('\0')[0];
    const size = Number.parseInt(tar.toString('latin1', o + 124, o + 136), 8) || 0;
    const isFile = tar[o + 156] === 0x30 || tar[o + 156] === 0;
    if (isFile) yield { name: name.split('/').pop()!, bytes: tar.subarray(o + TAR_BLOCK, o + TAR_BLOCK + size) };
    o += TAR_BLOCK * (1 + Math.ceil(size / TAR_BLOCK));
  }
}
