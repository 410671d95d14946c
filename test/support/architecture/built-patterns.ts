/** A native regular expression that is built from something other than one literal. */
const BUILT = /\bnew RegExp\(\s*(?!(['"`])(?:(?!\1|\$\{)[^\\]|\\.)*\1\s*[,)])/s;

/**
 * The files and folders that build native regular expressions, each by the reason why no pattern of a user or
 * of a page can be among them. Patterns from outside are compiled by `patterns/linear-pattern.ts`.
 */
const REASONS: Record<string, string[]> = {
  'of constants': [
    'content/answers/question-kind.ts',
    'content/answers/words.ts',
    'content/branding/color-names.ts',
    'content/changes/normalize-line.ts',
    // Its rules are lists of words, in many files.
    'content/html/main-content/',
    'content/html/placeholder.ts',
    'content/parsers/pdf/page/lines.ts',
    'content/redaction/emails.ts',
    'content/redaction/street-addresses.ts',
    'content/rendering/markdown-spans.ts',
    'fetch/engines/page-checks/challenge.ts',
    'fetch/engines/page-checks/needs-browser.ts',
    'jobs/crawl/prompt/prompt-paths.ts',
    'jobs/crawl/prompt/prompt-rules.ts',
    'jobs/crawl/scope.ts',
    'jobs/monitors/significant-change.ts',
    'schedules/recurrence.ts',
    'schemas/webhook.ts',
    'storage/blobs/file-urls.ts',
  ],
  'of a name that the code chooses': [
    'content/indexing/indexed-text.ts',
    'content/parsers/mail/calendar.ts',
    'fetch/browser/chromium/process-memory.ts',
    'models/prompt-messages.ts',
    'system/child-processes/program-home.ts',
    'system/sandbox/process-tree.ts',
  ],
  'only read, never matched': ['patterns/schema-pattern.ts'],
};

/**
 * Compares the files that build regular expressions with those that have a reason.
 * @param sources the files of `src/` by their path in it
 * @returns an error for each file without a reason, and for each reason without its file
 */
export function findBuiltPatterns(sources: Record<string, string>): string[] {
  const excused = Object.values(REASONS).flat();
  const building = Object.keys(sources).filter((file) => BUILT.test(sources[file]!));
  const isOf = (file: string, place: string) =>
    file === place || (place.endsWith('/') && file.startsWith(place));
  return [
    ...building
      .filter((file) => !excused.some((place) => isOf(file, place)))
      .map((file) => `${file}: builds a native regular expression`),
    ...excused
      .filter((place) => !building.some((file) => isOf(file, place)))
      .map((place) => `${place}: builds no regular expression any more`),
  ];
}
