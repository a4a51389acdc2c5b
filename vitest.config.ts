import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { hasBrowser } from './scripts/launch-browser.ts';

/** Seed of the property tests: in continuous integration a new one every day, as 20260131; elsewhere one that stays. */
const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
if (!process.env.OSSIFY_SEED) {
  process.env.OSSIFY_SEED = process.env.CI ? today : '1';
  console.info(`OSSIFY_SEED=${process.env.OSSIFY_SEED}`);
}
if (!/^\d{1,9}$/.test(process.env.OSSIFY_SEED))
  throw new Error('OSSIFY_SEED must be a whole number of at most 9 digits');

/** Test files that cannot run everywhere. Their number and the reason are printed where they are left out. */
const RESTRICTED = [
  {
    isExcluded: !hasBrowser,
    reason: 'the browser that npm installs is for Linux x64',
    files: [
      'scripts/site/tests/site.test.ts',
      'src/hosts/cli/tests/three.test.ts',
      'src/runtimes/gpu/tests/example.test.ts',
      'src/core/compute/tests/browser.test.ts',
      'src/runtimes/three/**/{bone-texture,browser,examples}.test.ts',
      'studio/tests/studio.test.ts',
    ],
  },
  {
    isExcluded: !hasBrowser && process.env.OSSIFY_GPU !== 'system',
    reason: 'the software GPU that npm installs is for Linux x64; set OSSIFY_GPU=system to use a real one',
    files: ['src/runtimes/gpu/**/*.test.ts', 'src/runtimes/three/load/tests/ossify-plugin.test.ts'],
  },
  {
    isExcluded: process.platform === 'win32',
    reason: 'they need links, pipes, signals, file modes or file names that Windows does not have',
    files: [
      'src/hosts/{batch,queue}/**/{emit-script,glob-files,job-pool,plan-jobs,queue}.test.ts',
      'src/hosts/cli/**/{batch,hostile-words,job-server}.test.ts',
      'src/hosts/disk/tests/{list-input-files,write-output}.test.ts',
    ],
  },
];

const excluded = RESTRICTED.filter(({ isExcluded }) => isExcluded);
for (const { files, reason } of excluded) console.warn(`skipping ${files.join(', ')}: ${reason}`);

/** The test file that takes longest starts first. By default small files come last, and it is small. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('studio/tests/studio.test.ts');
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

/** Test files that need no process of their own, in folders where most do. */
const MODEST = [
  'batch-page',
  'bone-bounds',
  'check-bone-texture-facts',
  'choose-levels',
  'compact-skin-plugin',
  'files-of-options',
  'glob-files',
  'ledger',
  'level-of-detail',
  'list-capacities',
  'list-input-files',
  'plan-jobs',
  'shape-skeleton',
];
/**
 * Test files that need a process of their own: they measure its memory, change its environment, listen to its signals, start other processes, or load
 * a GPU library or a browser. Other files share two processes and the modules in them. That saves the start of a process and the imports per file.
 */
const OWN_PROCESS = [
  '{docs/api,fuzz,integrations,scripts}/**/*.test.ts',
  'faults/{batch-chaos,faults}.test.ts',
  'truth/truth.test.ts',
  'src/tests/*.test.ts',
  `src/{hosts/batch,hosts/queue,hosts/serve,hosts/disk,runtimes}/**/!(${MODEST.join('|')}).test.ts`,
  'src/hosts/cli/**/{hostile-words,job-server,three}.test.ts',
  'src/formats/caches/tests/point-cache.test.ts',
  'src/core/compute/tests/browser.test.ts',
  'src/jobs/engine/tests/check-job-memory.test.ts',
  'src/jobs/decompose/tests/decompose.test.ts',
  'studio/tests/studio.test.ts',
];
const SHARED_PROCESS = ['{src,bench,docs,faults,studio}/**/*.test.ts'];
const unavailable = ['**/node_modules/**', ...excluded.flatMap(({ files }) => files)];

export default defineConfig({
  test: {
    setupFiles: ['scripts/fix-seeds.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'own process', include: OWN_PROCESS, exclude: unavailable } },
      {
        extends: true,
        test: {
          name: 'shared process',
          include: SHARED_PROCESS,
          exclude: [...unavailable, ...OWN_PROCESS],
          isolate: false,
        },
      },
    ],
  },
});
