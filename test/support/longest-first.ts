import { stat } from 'node:fs/promises';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The test files that take more than half a minute, longest first. The list only affects how long a run takes: a long
 * file that begins last keeps one worker busy while the others have nothing left to do.
 */
const LONG_FILES = [
  'browser/visit',
  'e2e/durability',
  'api/unavailable',
  'e2e/chaos',
  'browser/browser-profile',
  'browser/actions',
  'e2e/faults',
  'api/batch',
  'e2e/zero-data-retention',
  'cli/commands',
  'browser/cookie-consent',
  'api/crawl',
  'api/concurrency',
].map((name) => path.join(import.meta.dirname, '..', `${name}.test.ts`));

/** Begins the files of all projects together: long files first, then larger ones, and at last those of project `pure`. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = await Promise.all(
      files.map(async (file) => {
        const position = LONG_FILES.indexOf(file.moduleId);
        const { size } = await stat(file.moduleId);
        // The files of `pure` share one process, so they follow one another.
        const rank = position >= 0 ? position : LONG_FILES.length + (file.project.name === 'pure' ? 1 : 0);
        return { file, rank, size };
      }),
    );
    return ranked.sort((a, b) => a.rank - b.rank || b.size - a.size).map(({ file }) => file);
  }
}
