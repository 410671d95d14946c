import path from 'node:path';

/** The rows of the house, bottom first: a module imports from lower rows or from its own folder, never upwards. */
const ROWS = [
  ['errors', 'job-kinds'],
  ['media-kind', 'snapshot', 'pause', 'encryption', 'program-home', 'unprivileged-process'],
  [
    'config',
    'country',
    'url',
    'url-parameters',
    'url-pattern',
    'file-urls',
    'logger',
    'html',
    'credits',
    'health',
  ],
  ['changes', 'branding', 'answers', 'extraction'],
  ['parsers', 'formats'],
  ['rendering'],
  ['schemas'],
  ['net', 'db', 'blobs', 'disk-space'],
  ['browser', 'media'],
  ['engines', 'crawl'],
  ['activities'],
  ['workflows'],
  ['temporal', 'temporal-log', 'bundle'],
  ['api'],
  ['embedded', 'process', 'presence'],
  ['main', 'server', 'worker'],
  ['cli'],
];

/** Who may import what from outside; a pattern that ends in `/` stands for everything below it. */
const DOORS: Record<string, string[]> = {
  'playwright-core': ['browser'],
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
  'pino-http': ['api'],
  'swagger-ui-dist/': ['api'],
  'rate-limiter-flexible': ['api'],
  '@aws-sdk/': ['blobs'],
  '@temporalio/': ['workflows', 'activities', 'temporal', 'temporal-log', 'bundle', 'worker'],
  piscina: ['rendering'],
  mediabunny: ['rendering'],
  dataloader: ['engines'],
  tldts: ['crawl'],
  diff: ['changes'],
  culori: ['branding'],
  re2js: ['url-pattern'],
  ws: ['api'],
  'node:child_process': ['unprivileged-process', 'embedded', 'bundle'],
  'node:worker_threads': ['rendering'],
};

/** All that workflows may run; types come from anywhere below. */
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

function importsOf(source: string): Import[] {
  const fixed = [...source.matchAll(IMPORT)].map(([, type, specifier]) => ({
    specifier: specifier!,
    typeOnly: Boolean(type),
  }));
  const dynamic = [...source.matchAll(DYNAMIC_IMPORT)].map(([, specifier]) => ({
    specifier: specifier!,
    typeOnly: false,
  }));
  return [...fixed, ...dynamic];
}

/** The first part of a path below `src/`, without its ending: the module that a file belongs to. */
const moduleOf = (file: string) => file.split('/')[0]!.replace(/\.ts$/, '');
const rowOf = (module: string) => ROWS.findIndex((row) => row.includes(module));
const doorOf = (specifier: string) =>
  Object.entries(DOORS).find(([name]) =>
    name.endsWith('/') ? specifier.startsWith(name) : specifier === name,
  )?.[1];

/**
 * Holds source files against rows and doors.
 * @param files sources by their path below `src/`
 * @returns one line per fault, naming file and import
 */
export function findFaults(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([file, source]) => {
    const module = moduleOf(file);
    const faults = rowOf(module) < 0 ? [`${file}: no row names the module ${module}`] : [];
    if (/process\.env/.test(source) && file !== 'config.ts')
      faults.push(`${file}: reads the environment; config.ts does that`);
    return [...faults, ...importsOf(source).flatMap((each) => faultsOf(file, module, each))];
  });
}

function faultsOf(file: string, module: string, { specifier, typeOnly }: Import): string[] {
  if (!specifier.startsWith('.')) {
    const owners = doorOf(specifier);
    if (owners && !owners.includes(module) && !typeOnly)
      return [`${file}: ${specifier} is for ${owners.join(', ')} only`];
    if (module === 'workflows' && !typeOnly && !WORKFLOW_RUNTIME.has(specifier))
      return [`${file}: workflows may not run ${specifier}`];
    return [];
  }
  const target = moduleOf(path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)));
  if (target === module) return [];
  if (rowOf(target) < 0) return [`${file}: no row names the module ${target} of ${specifier}`];
  if (rowOf(target) >= rowOf(module))
    return [`${file}: ${module} may not import ${target}, which stands above or beside it`];
  if (module === 'workflows' && !typeOnly && !WORKFLOW_RUNTIME.has(target))
    return [`${file}: workflows may not run ${target}`];
  return [];
}
