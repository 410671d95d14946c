import { stat } from 'node:fs/promises';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The test files that take longest, from about two minutes to half a minute. The list only affects how long a
 * run takes: a long file that begins last keeps one worker busy while the others have nothing left to do.
 * Files that compute (parsers, rendering, sandbox) stand between files that wait for a service, so that the
 * cores are busy during those waits.
 */
const LONG_FILES = [
  'test/e2e/faults',
  'test/fetch/browser/visit',
  'test/api/unavailable',
  'test/e2e/durability',
  'test/api/interact-prompt',
  'test/e2e/chaos',
  'test/system/sandbox/sandbox',
  'test/fetch/browser/browser-profile',
  'test/api/sessions',
  'test/api/session-lifecycle',
  'test/api/models',
  'test/sessions/code/python',
  'test/fetch/browser/cookie-consent',
  'test/api/hostile-agents',
  'test/sessions/code/node',
  'test/api/crawl',
  'test/fetch/browser/actions',
  'test/security/local',
  'test/sessions/code/isolation',
  'test/workflows/page-jobs',
  'test/security/pages',
  'test/api/batch',
  'test/content/parsers/conversion/hostile-documents',
  'test/e2e/zero-data-retention',
  'test/api/map',
  'test/security/rebinding',
  'test/api/agents',
  'test/e2e/sdk-jobs',
  'test/security/sandbox',
  'test/workflows/summary',
  'test/api/parse',
  'test/cli/commands',
  'test/cli/page-jobs',
  'test/api/challenge',
  'test/sessions/live-view/watching',
  'test/sessions/live-view/connection',
  'test/sessions/protocol-client',
  'test/content/rendering/hostile',
  'test/fetch/browser/branding',
  'test/api/proxy',
  'test/api/cache',
].map((name) => path.join(import.meta.dirname, '..', '..', '..', `${name}.test.ts`));

/**
 * Begins the files of all projects together: long files first, then larger ones, and at last those of project
 * `pure`. These are so many and so short that all workers end at about the same time.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = await Promise.all(
      files.map(async (file) => {
        const position = LONG_FILES.indexOf(file.moduleId);
        const { size } = await stat(file.moduleId);
        const rank = position >= 0 ? position : LONG_FILES.length + RANKS.indexOf(file.project.name);
        return { file, rank, size };
      }),
    );
    return ranked.sort((a, b) => a.rank - b.rank || b.size - a.size).map(({ file }) => file);
  }
}

/**
 * The projects in the order of their files that are not long. A worker that changes projects loads all
 * modules again.
 */
const RANKS = ['security', 'service', 'pure'];
