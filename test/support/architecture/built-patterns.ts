/** A native regular expression that is built from something other than one literal. */
const BUILT = /\bnew RegExp\(\s*(?!(['"`])(?:(?!\1|\$\{)[^\\]|\\.)*\1\s*[,)])/s;

/**
 * The files that build native regular expressions, each by the reason why no pattern of a user or of a page can be
 * among them. Patterns from outside are compiled by `patterns/linear-pattern.ts`.
 */
const REASONS: Record<string, string[]> = {
  'of constants': [
    'api/app.ts',
    'api/unimplemented.ts',
    'content/answers/question-kind.ts',
    'content/answers/words.ts',
    'content/branding/color-names.ts',
    'content/changes/normalize-line.ts',
    'content/html/main-content/forum/forum-markup.ts',
    'content/html/main-content/forum/post-authors.ts',
    'content/html/main-content/page-index/name-hints.ts',
    'content/html/main-content/pruning/boilerplate-headings.ts',
    'content/html/main-content/tidying/text-lines.ts',
    'content/html/placeholder.ts',
    'content/parsers/pdf/page/lines.ts',
    'content/rendering/markdown-spans.ts',
    'fetch/engines/page-checks/challenge.ts',
    'fetch/engines/page-checks/needs-browser.ts',
    'jobs/crawl/prompt/prompt-paths.ts',
    'jobs/crawl/prompt/prompt-rules.ts',
    'jobs/crawl/scope.ts',
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
  const excused = new Set(Object.values(REASONS).flat());
  const building = Object.keys(sources).filter((file) => BUILT.test(sources[file]!));
  return [
    ...building
      .filter((file) => !excused.has(file))
      .map((file) => `${file}: builds a native regular expression`),
    ...[...excused]
      .filter((file) => !building.includes(file))
      .map((file) => `${file}: builds no regular expression any more`),
  ];
}
