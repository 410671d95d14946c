import path from 'node:path';
import { table, withSection } from '../../../bench/figures.ts';

/** A folder or file at the top of `src/`. */
interface Group {
  name: string;
  /** The modules of a folder in layers, lowest first; absent if its files may import each other. */
  modules?: string[][];
}

/**
 * The groups of `src/`, lowest first. A file imports from lower groups, from lower modules of its group and
 * from its own module. After a change, `npm run docs` writes the table into docs/layers.md.
 */
const GROUPS: Group[] = [
  { name: 'errors' },
  { name: 'job-kinds' },
  { name: 'json' },
  { name: 'url' },
  { name: 'patterns' },
  { name: 'schedules' },
  {
    name: 'system',
    modules: [
      [
        'every',
        'server',
        'version',
        'descriptors',
        'direct-agent',
        'memory',
        'merge-metrics',
        'replace-file',
        'tracing',
      ],
      ['encryption', 'child-processes', 'pause', 'until-aborted', 'time-limit', 'read-pause', 'http-text'],
      ['logger', 'health', 'call-slots', 'places'],
      ['otlp-exporter'],
      ['sandbox'],
    ],
  },
  {
    name: 'content',
    modules: [
      ['source-text', 'open-page', 'pictures'],
      ['media-kind', 'snapshot', 'language-model', 'upload-url'],
      ['html'],
      ['redaction'],
      ['changes', 'branding', 'answers', 'extraction'],
      ['parsers', 'formats', 'indexing'],
      ['rendering'],
    ],
  },
  { name: 'config' },
  { name: 'schemas' },
  { name: 'credits' },
  { name: 'console' },
  { name: 'storage', modules: [['agent-steps'], ['db', 'blobs'], ['job-results']] },
  { name: 'backup' },
  { name: 'fetch', modules: [['net'], ['browser', 'media'], ['engines']] },
  { name: 'models' },
  {
    name: 'jobs',
    modules: [
      ['guides', 'agent', 'direct-start', 'archive'],
      ['export'],
      ['change-history', 'webhooks'],
      ['scraping', 'crawl', 'search'],
      ['page-jobs', 'support', 'monitors'],
    ],
  },
  { name: 'sessions' },
  { name: 'activities' },
  { name: 'workflows' },
  { name: 'temporal' },
  { name: 'api' },
  { name: 'run', modules: [['embedded', 'process'], ['worker']] },
  { name: 'server' },
  { name: 'worker' },
  { name: 'main' },
  { name: 'cli' },
];

/** The only modules that may import a package; a name that ends in `/` stands for everything below it. */
const PACKAGE_OWNERS: Record<string, string[]> = {
  playwright: ['fetch/browser', 'sessions'],
  '@ghostery/adblocker': ['fetch/browser'],
  '@duckduckgo/autoconsent': ['fetch/browser'],
  undici: ['fetch/net'],
  'proxy-chain': ['fetch/net'],
  'node:dns': ['fetch/net'],
  'node:dns/': ['fetch/net'],
  'node:tls': ['fetch/net'],
  // Commands call a service that may be behind a proxy with TLS.
  'node:https': ['fetch/net', 'cli'],
  pg: ['storage/db'],
  'pg-copy-streams': ['storage/db'],
  'tar-stream': ['backup'],
  kysely: ['storage/db'],
  'kysely/': ['storage/db'],
  '@modelcontextprotocol/server': ['api', 'cli'],
  '@modelcontextprotocol/server/': ['api', 'cli'],
  express: ['api'],
  multer: ['api'],
  'pino-http': ['api'],
  'swagger-ui-dist/': ['api'],
  'rate-limiter-flexible': ['api'],
  '@aws-sdk/': ['storage/blobs'],
  turndown: ['content/html'],
  '@temporalio/': ['workflows', 'activities', 'temporal', 'worker'],
  ai: ['models'],
  '@ai-sdk/': ['models'],
  piscina: ['content/rendering'],
  mediabunny: ['content/rendering'],
  dataloader: ['fetch/engines'],
  tldts: ['jobs/crawl', 'jobs/export'],
  'hyparquet-writer': ['jobs/export'],
  yazl: ['jobs/export'],
  'libphonenumber-js/': ['content/redaction'],
  'stdnum/': ['content/redaction'],
  'entities/': ['content/redaction'],
  diff: ['content/changes'],
  culori: ['content/branding'],
  re2js: ['patterns'],
  croner: ['schedules'],
  nodemailer: ['jobs/monitors'],
  ws: ['api', 'sessions'],
  micromark: ['api'],
  'micromark-extension-gfm': ['api'],
  'node:child_process': ['system/child-processes', 'run/embedded', 'temporal', 'sessions'],
  'node:worker_threads': ['content/rendering'],
};

/** The layers that workflows may import at run time. They may import types from any lower layer. */
const WORKFLOW_RUNTIME = new Set([
  'errors',
  'job-kinds',
  'jobs/agent',
  'workflows',
  '@temporalio/workflow',
  '@temporalio/common',
]);

interface Import {
  specifier: string;
  typeOnly: boolean;
}

const IMPORT = /^\s*(?:import|export)\s+(type\s+)?(?:[^'"();]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC_IMPORT = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

const staticImportsOf = (source: string): Import[] =>
  [...source.matchAll(IMPORT)].map(([, type, specifier]) => ({
    specifier: specifier!,
    typeOnly: Boolean(type),
  }));

function importsOf(source: string): Import[] {
  const dynamic = [...source.matchAll(DYNAMIC_IMPORT)].map(([, specifier]) => ({
    specifier: specifier!,
    typeOnly: false,
  }));
  return [...staticImportsOf(source), ...dynamic];
}

/** The path of an imported file, relative to the same directory as the path of the file that imports it. */
const resolveImport = (file: string, specifier: string) =>
  path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));

/** The modules of all groups in layers, lowest first, with the group before the name: `fetch/net`. */
const LAYERS = GROUPS.flatMap(({ name, modules }) =>
  modules ? modules.map((layer) => layer.map((module) => `${name}/${module}`)) : [[name]],
);
const GROUPED = new Set(GROUPS.filter(({ modules }) => modules).map(({ name }) => name));

/**
 * The module that a file belongs to: the first part of its path below `src/`, with the second one in a group.
 */
function moduleOf(file: string): string {
  const [first, second] = file.replace(/\.ts$/, '').split('/');
  return GROUPED.has(first!) ? `${first}/${second}` : first!;
}
const layerOf = (module: string) => LAYERS.findIndex((layer) => layer.includes(module));
const ownersOf = (specifier: string) =>
  Object.entries(PACKAGE_OWNERS).find(([name]) =>
    name.endsWith('/') ? specifier.startsWith(name) : specifier === name,
  )?.[1];

export const LAYERS_PAGE = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'layers.md');

/** The text of the page with the table of the current groups. */
export const withLayersTable = (page: string): string =>
  withSection(
    page,
    'layers',
    table(
      GROUPS.map(({ name, modules = [] }) => ({
        group: name,
        modules: modules.map((layer) => layer.join(', ')).join(' → '),
      })),
    ),
  );

/**
 * Checks imports against the layers and the owners of packages.
 * @param files source texts by their path below `src/`
 * @returns one line for each violation, with file and import
 */
export function findViolations(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([file, source]) => {
    const module = moduleOf(file);
    const violations = layerOf(module) < 0 ? [`${file}: no layer names the module ${module}`] : [];
    // The console runs in browsers, and shows programs that read their environment.
    if (/process\.env/.test(source) && file !== 'config.ts' && module !== 'console')
      violations.push(`${file}: reads the environment; config.ts does that`);
    violations.push(...unguardedSourcesOf(file, source));
    return [...violations, ...importsOf(source).flatMap((each) => violationsOf(file, module, each))];
  });
}

/** What ends the process with an error that nothing catches, unless one function guards all of its uses. */
const GUARDED = [
  { use: /\bsetInterval\(/, guard: 'system/every.ts', name: 'every()' },
  { use: /\bserver\.listen\([^)]/i, guard: 'system/server.ts', name: 'listen()' },
  { use: /\bserver\.(?:on|once)\('upgrade'/i, guard: 'system/server.ts', name: 'onUpgrade()' },
];
/** Files that only look whether a port is free, and programs inside sandboxes. */
const UNGUARDED = /^run\/embedded\/ports\.ts$|^sessions\/code\/programs\//;

function unguardedSourcesOf(file: string, source: string): string[] {
  if (UNGUARDED.test(file)) return [];
  return GUARDED.filter(({ use, guard }) => file !== guard && use.test(source)).map(
    ({ guard, name }) =>
      `${file}: uses a timer or server without ${name} of ${guard}, which reports its errors`,
  );
}

function violationsOf(file: string, module: string, { specifier, typeOnly }: Import): string[] {
  if (!specifier.startsWith('.')) {
    const owners = ownersOf(specifier);
    if (owners && !owners.includes(module) && !typeOnly)
      return [`${file}: ${specifier} is for ${owners.join(', ')} only`];
    if (module === 'workflows' && !typeOnly && !WORKFLOW_RUNTIME.has(specifier))
      return [`${file}: workflows may not run ${specifier}`];
    return [];
  }
  const target = moduleOf(resolveImport(file, specifier));
  if (target === module) return [];
  if (layerOf(target) < 0) return [`${file}: no layer names the module ${target} of ${specifier}`];
  if (layerOf(target) >= layerOf(module))
    return [`${file}: ${module} may not import ${target}, which is not in a lower layer`];
  if (module === 'workflows' && !typeOnly && !WORKFLOW_RUNTIME.has(target))
    return [`${file}: workflows may not run ${target}`];
  return [];
}

/**
 * Finds files that import each other in a circle, be it only for types: none of them can be understood
 * without the others.
 * @param files source texts by their path
 * @returns one line for each circle that a search from file to file meets, with its files in the order of
 * import
 */
export function findCycles(files: Record<string, string>): string[] {
  const cycles: string[] = [];
  const visited = new Set<string>();
  const visit = (file: string, importers: readonly string[]) => {
    const start = importers.indexOf(file);
    if (start >= 0) cycles.push([...importers.slice(start), file].join(' → '));
    if (visited.has(file)) return;
    visited.add(file);
    for (const { specifier } of importsOf(files[file] ?? '')) {
      if (specifier.startsWith('.')) visit(resolveImport(file, specifier), [...importers, file]);
    }
  };
  for (const file of Object.keys(files)) visit(file, []);
  return cycles;
}

/**
 * Lists the packages that a program loads when it starts, apart from those that other packages load.
 * @param files source texts by their path
 * @param entry the path of the program
 */
export function packagesLoadedBy(files: Record<string, string>, entry: string): string[] {
  const packages = new Set<string>();
  const visited = new Set<string>();
  const visit = (file: string) => {
    if (visited.has(file)) return;
    visited.add(file);
    for (const { specifier, typeOnly } of staticImportsOf(files[file] ?? '')) {
      if (typeOnly || specifier.startsWith('node:')) continue;
      if (specifier.startsWith('.')) visit(resolveImport(file, specifier));
      else packages.add(specifier);
    }
  };
  visit(entry);
  return [...packages].toSorted();
}
