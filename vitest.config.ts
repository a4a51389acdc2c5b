import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,bench,docs,scripts,studio}/**/*.test.ts'],
    setupFiles: ['scripts/fix-seeds.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
