import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/suite/longest-first.ts';

/** Tests that need nothing but the code. All others need the service. */
const PURE = [
  'test/*.test.ts',
  'test/{content,deploy,json,patterns,run/process,schedules,schemas,scripts,sessions,site,system,temporal,url,models}/**/*.test.ts',
  'test/api/{page-jobs,v1,validation}/**/*.test.ts',
  'test/api/mcp/{tools,value-parts}.test.ts',
  'test/fetch/{engines,media,net}/**/*.test.ts',
  'test/jobs/{agent,crawl,direct-start,export,guides,monitors,page-jobs,scraping,search,support}/**/*.test.ts',
  'test/storage/blobs/**/*.test.ts',
  'bench/**/*.test.ts',
];
/** These use a service that may fetch from next to no private IP address. */
const SECURITY = 'test/security/**/*.test.ts';
/** These stop, replace or take up parts of a service, which other files would notice. */
const FAULTS = 'test/e2e/{faults,replaced-programs}.test.ts';

/** Tests of a service wait for it most of the time, so more of them run at once than a small machine has cores. */
const MAX_WORKERS = 6;
/** They end a test that hangs; a test that is only slow, because the machine is busy, never reaches them. */
const TIMEOUTS = { testTimeout: 180_000, hookTimeout: 180_000 };
// The processes of the tests inherit this setting, and so do the programs that they start: Node does not compile again
// what an earlier run has compiled.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules', '.compiled');

/** One process runs many files, so that it loads the modules of the product once: importing them takes a second per file. */
const SHARED_PROCESSES = {
  isolate: false,
  maxWorkers: MAX_WORKERS,
  // Node imports the modules itself, as it does in production. With Vite's module runner, which only mocks of whole modules
  // need, tests that compute take a quarter more processor time.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // A condition is waited for as long as the timeout of its test allows, because a busy machine takes its time. It is checked
  // half as often as by default, because each check costs a browser or the service work.
  expect: { poll: { timeout: 150_000, interval: 100 } },
};
/** The files of a project with this setup share one running service; each project has its own. */
const SERVICE = { globalSetup: 'test/support/suite/global-setup.ts', ...SHARED_PROCESSES, ...TIMEOUTS };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE, SECURITY, FAULTS],
          ...SERVICE,
        },
      },
      { test: { name: 'faults', include: [FAULTS], ...SERVICE } },
      {
        test: { name: 'security', include: [SECURITY], ...SERVICE },
      },
      {
        test: {
          name: 'pure',
          include: PURE,
          ...SHARED_PROCESSES,
          ...TIMEOUTS,
        },
      },
    ],
  },
});
