/** The paths that a prompt includes and excludes, as patterns for a crawl. */
export interface PromptPaths {
  includePaths: string[];
  excludePaths: string[];
  /** The included paths that have no wildcard, as plain paths. */
  folders: string[];
  /** The words of the prompt that these paths were read from. */
  understood: string[];
}

/** Common sections of sites: a pattern of the words for a section, and a pattern of its folder names. */
const SECTIONS: readonly (readonly [words: string, folders: string])[] = [
  ['blogs?(?: posts?)?', 'blog'],
  ['api (?:reference|docs)', '(?:api|api-reference|reference)'],
  ['docs|documentation', '(?:docs|documentation)'],
  ['news', 'news'],
  ['products?', 'products?'],
  ['pric(?:es|ing)', 'pricing'],
  ['careers?|jobs?', '(?:careers?|jobs?)'],
  ['faqs?', 'faqs?'],
  ['guides?', 'guides?'],
  ['tutorials?', 'tutorials?'],
  ['changelogs?|release notes', '(?:changelog|releases?|release-notes)'],
  ['forums?', 'forums?'],
  ['shop|store', '(?:shop|store)'],
  ['press(?: releases)?', 'press'],
  ['events?', 'events?'],
  ['help(?: cent(?:er|re))?|support', '(?:help|support)'],
  ['case studies', '(?:case-studies|customers)'],
];
const FILE_TYPES = 'pdf|docx?|xml|html?|txt|md';
const OPTIONAL_VERB =
  '(?: (?:crawl(?:ing)?|scrap(?:e|ing)|get|fetch|collect|includ(?:e|ing)|follow(?:ing)?|visit(?:ing)?))?';
const EXCLUDING_WORDS = `except(?:ing)?|exclud(?:e|es|ing)|(?:everything|anything|all) but|but not|skip(?:ping)?|ignor(?:e|ing)|omit(?:ting)?|leave out|leaving out|other than|apart from|rather than|(?:do not|don't|not|no|never|without|avoid(?:ing)?)${OPTIONAL_VERB}`;
const INCLUDING_WORDS =
  'only|just|includ(?:e|es|ing)|but|crawl|scrape|get|fetch|collect|extract(?:ing)?|download|gather|grab|everything (?:under|in|below|within|from)|under|below|within|from|limit(?:ed)? to|start(?:ing)? with';
const EXCLUDING = new RegExp(`^(?:${EXCLUDING_WORDS})$`, 'i');
const ARTICLE = '(?:the|any|all|every|its|their)';
const NOUNS = 'sections?|pages?|areas?|parts?|folders?|director(?:y|ies)|posts?|articles?|subtree';

/**
 * Sections whose names are also values on a page: "extract the prices" asks for values, but "extract the
 * product pages" asks for a section.
 */
const VALUE_NAMES = new RegExp(
  `^(?:${ARTICLE} )?(?:prices?|products?|events?|jobs?|faqs?)$`.replaceAll(' ', '\\s+'),
  'i',
);

/**
 * The tokens of a sentence about paths: its end, a word that switches between including and excluding, a URL,
 * a path, a common section, a section named in the prompt, and a file type.
 */
const TOKENS = new RegExp(
  [
    '(?<end>[.;!?](?=\\s|$)|\\n)',
    `(?<mode>(?<![\\w/-])(?:${EXCLUDING_WORDS}|${INCLUDING_WORDS})(?![\\w-]))`,
    '(?<url>https?://[^\\s"\'<>`]{1,500})',
    '(?<![\\w/.])(?<path>/[\\w~%.*+@-][^\\s"\'<>`,;:!?)]{0,300})',
    `(?<![\\w/-])(?<section>(?:${ARTICLE} )?(?:${SECTIONS.map(([words]) => words).join('|')})(?: (?:${NOUNS}))?)(?![\\w-])`,
    `(?<![\\w/-])(?:the|any|all|every) ["'\`]?(?<named>[a-z][\\w-]{1,40})["'\`]? (?:section|area|folder|directory|subtree|part of the site)s?(?![\\w-])`,
    `(?<![\\w/-])(?:(?:the|any|all|every) )?\\.?(?<files>${FILE_TYPES})(?: (?:files?|documents?)|s)(?![\\w-])`,
  ]
    .join('|')
    .replaceAll(' ', '\\s+'),
  'gi',
);

const escapeRegExp = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

/** Normalizes a path: `/docs`, `/docs/` and `/docs/*` all mean the folder and everything below it. */
function normalizeFolder(path: string): string | undefined {
  const folder = path.replace(/[.)]+$/, '').replace(/(?:\/\*{0,2})+$/, '');
  return folder === '' ? undefined : folder;
}

const belowPattern = (folders: string) => `^/${folders}(?:/|$)`;
const folderPattern = (folder: string) =>
  folder.endsWith('*')
    ? `^${escapeRegExp(folder.replace(/\*+$/, '')).replaceAll('*', '[^/]*')}`
    : `${belowPattern(escapeRegExp(folder.slice(1)).replace(/\*+/g, '[^/]*'))}`;

function findSection(words: string): string | undefined {
  const plain = words.replace(/\s+/g, ' ');
  const isNamed = (name: string) =>
    new RegExp(`^(?:${ARTICLE} )?(?:${name})(?: (?:${NOUNS}))?$`, 'i').test(plain);
  return SECTIONS.find(([name]) => isNamed(name))?.[1];
}

/** Converts a token to a pattern. For a plain path, it also returns the path itself as `folder`. */
function parseToken(
  groups: Record<string, string | undefined>,
  host: string,
): { pattern: string; folder?: string } | undefined {
  const { url: urlText, path, section, named, files } = groups;
  if (urlText || path) {
    const url = urlText ? URL.parse(urlText) : undefined;
    if (urlText && url?.host !== host) return undefined;
    const folder = normalizeFolder(url ? url.pathname : (path ?? ''));
    return folder === undefined
      ? undefined
      : { pattern: folderPattern(folder), ...(folder.includes('*') ? {} : { folder }) };
  }
  if (files) return { pattern: `(?i)\\.${files.toLowerCase()}$` };
  if (named)
    return { pattern: belowPattern(escapeRegExp(named.toLowerCase())), folder: `/${named.toLowerCase()}` };
  const folders = section && findSection(section);
  return folders ? { pattern: belowPattern(folders) } : undefined;
}

/**
 * Finds the paths, sections and file types that a prompt names. A word such as `except` excludes everything
 * that follows, and a word such as `only` includes it, until the next such word or the end of the sentence.
 * Sections and file types count only after such a word; paths and URLs count anywhere.
 */
export function parsePaths(prompt: string, host: string): PromptPaths {
  const includePaths = new Set<string>();
  const excludePaths = new Set<string>();
  const folders: string[] = [];
  const understood: string[] = [];
  let mode: 'include' | 'exclude' | undefined;
  let modeWord = '';
  for (const { groups = {}, 0: words } of prompt.matchAll(TOKENS)) {
    if (groups.end) {
      mode = undefined;
      modeWord = '';
    }
    if (groups.mode) {
      mode = EXCLUDING.test(words.replace(/\s+/g, ' ')) ? 'exclude' : 'include';
      modeWord = words;
    }
    if (groups.end || groups.mode || (!mode && !groups.path && !groups.url)) continue;
    if (/^extract/i.test(modeWord) && VALUE_NAMES.test(groups.section ?? '')) continue;
    const parsed = parseToken(groups, host);
    if (!parsed) continue;
    (mode === 'exclude' ? excludePaths : includePaths).add(parsed.pattern);
    if (mode !== 'exclude' && parsed.folder) folders.push(parsed.folder);
    understood.push(mode ? `${modeWord} ${words.trim()}`.replace(/\s+/g, ' ') : words.trim());
  }
  return { includePaths: [...includePaths], excludePaths: [...excludePaths], folders, understood };
}
