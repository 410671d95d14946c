import path from 'node:path';

/**
 * The modules of `src/` in layers, lowest first. A module imports from lower layers or from its own folder. After a
 * change, `npm run docs` writes the table into docs/layers.md.
 */
const LAYERS = [
  ['errors', 'job-kinds', 'json-object'],
  ['source-text'],
  [
    'json-size',
    'read-pause',
    'media-kind',
    'snapshot',
    'pause',
    'until-aborted',
    'upload-url',
    'language-model',
    'encryption',
    'child-processes',
  ],
  ['config', 'country', 'url', 'logger', 'html', 'health', 'call-slots'],
  ['changes', 'branding', 'answers', 'extraction', 'sandbox'],
  ['parsers', 'formats', 'indexing'],
  ['rendering', 'guides'],
  ['schemas', 'credits'],
  ['agent-steps'],
  ['net', 'db', 'blobs', 'agent'],
  ['browser', 'media', 'change-history', 'webhooks', 'models', 'job-results'],
  ['engines', 'sessions'],
  ['scraping', 'crawl', 'search'],
  ['page-jobs', 'support'],
  ['activities'],
  ['workflows'],
  ['temporal'],
  ['api'],
  ['embedded', 'process'],
  ['main', 'server', 'worker'],
  ['cli'],
];

/** The only modules that may import a package; a name that ends in `/` stands for everything below it. */
const PACKAGE_OWNERS: Record<string, string[]> = {
  playwright: ['browser', 'sessions'],
  '@ghostery/adblocker': ['browser'],
  '@duckduckgo/autoconsent': ['browser'],
  undici: ['net'],
  'proxy-chain': ['net'],
  'node:dns': ['net'],
  'node:dns/': ['net'],
  'node:tls': ['net'],
  'node:https': ['net'],
  pg: ['db'],
  kysely: ['db'],
  'kysely/': ['db'],
  express: ['api'],
  multer: ['api'],
  'pino-http': ['api'],
  'swagger-ui-dist/': ['api'],
  'rate-limiter-flexible': ['api'],
  '@aws-sdk/': ['blobs'],
  turndown: ['html'],
  '@temporalio/': ['workflows', 'activities', 'temporal', 'worker'],
  ai: ['models'],
  '@ai-sdk/': ['models'],
  piscina: ['rendering'],
  mediabunny: ['rendering'],
  dataloader: ['engines'],
  tldts: ['crawl'],
  diff: ['changes'],
  culori: ['branding'],
  re2js: ['url'],
  ws: ['api', 'sessions'],
  micromark: ['api'],
  'micromark-extension-gfm': ['api'],
  'node:child_process': ['child-processes', 'embedded', 'temporal', 'sessions'],
  'node:worker_threads': ['rendering'],
};

/** The layers that workflows may import at run time. They may import types from any lower layer. */
const WORKFLOW_RUNTIME = new Set([
  'errors',
  'job-kinds',
  'agent',
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

/** The module that a file belongs to: the first part of its path below `src/`, without the extension. */
const moduleOf = (file: string) => file.split('/')[0]!.replace(/\.ts$/, '');
const layerOf = (module: string) => LAYERS.findIndex((layer) => layer.includes(module));
const ownersOf = (specifier: string) =>
  Object.entries(PACKAGE_OWNERS).find(([name]) =>
    name.endsWith('/') ? specifier.startsWith(name) : specifier === name,
  )?.[1];

export const LAYERS_PAGE = path.join(import.meta.dirname, '..', '..', 'docs', 'layers.md');

/** The text of the page with the table of the current layers. The columns are aligned as the formatter does it. */
export function withLayersTable(page: string): string {
  const rows = LAYERS.map((layer, index) => [String(index + 1), layer.join(', ')]);
  const width = Math.max(...rows.map(([, modules]) => modules!.length));
  const table = [['layer', 'modules'], ['----:', '-'.repeat(width)], ...rows].map(
    ([number, modules]) => `| ${number!.padStart(5)} | ${modules!.padEnd(width)} |`,
  );
  return page.replace(/(<!-- layers -->\n)[\s\S]*(<!-- \/layers -->)/, `$1\n${table.join('\n')}\n\n$2`);
}

/**
 * Checks imports against the layers and the owners of packages.
 * @param files source texts by their path below `src/`
 * @returns one line for each violation, with file and import
 */
export function findViolations(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([file, source]) => {
    const module = moduleOf(file);
    const violations = layerOf(module) < 0 ? [`${file}: no layer names the module ${module}`] : [];
    if (/process\.env/.test(source) && file !== 'config.ts')
      violations.push(`${file}: reads the environment; config.ts does that`);
    return [...violations, ...importsOf(source).flatMap((each) => violationsOf(file, module, each))];
  });
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
 * Finds files that import each other in a circle, be it only for types: none of them can be understood without the
 * others.
 * @param files source texts by their path
 * @returns one line for each circle that a search from file to file meets, with its files in the order of import
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
