import { defineConfig } from 'vitest/config';

/** Tests that need nothing but the code share one process; the others need the service and run file by file. */
const PURE = [
  'test/*.test.ts',
  'test/{url,blobs,process,child-processes,html,changes,branding,answers,extraction,formats,rendering,parsers,encryption,schemas,engines,net,media,crawl,deploy,site,scripts}/**/*.test.ts',
  'bench/**/*.test.ts',
];
/** These need an instance that may reach next to nothing. */
const SECURITY = 'test/security/**/*.test.ts';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'pure', include: PURE, isolate: false, testTimeout: 30_000 } },
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE, SECURITY],
          globalSetup: 'test/support/global-setup.ts',
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'security',
          include: [SECURITY],
          globalSetup: 'test/security/setup.ts',
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
