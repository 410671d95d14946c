import { excerpt } from '../errors.ts';
import { findSimilarName, plainName } from '../json/similar-name.ts';
import { OPERATOR_ROUTES } from './operator/routes.ts';
import { ROUTES } from './routes.ts';
import { exampleBody } from './validation/examples.ts';

const VERSION = '/v2';
/** The longest path that is compared with those of the API. */
const MAX_PATH_CHARACTERS = 200;
/** The most endpoints that are listed. */
const MAX_LISTED = 14;
/** Code of sessions for what other APIs have paths for. */
const SESSION_CODE: Readonly<Record<string, string>> = {
  screenshot: "(await page.screenshot()).toString('base64')",
  pdf: "(await page.pdf()).toString('base64')",
  content: 'await page.content()',
  html: 'await page.content()',
  text: "await page.innerText('body')",
  title: 'await page.title()',
  url: 'page.url()',
  cookies: 'await context.cookies()',
  click: "await page.click('#more')",
  type: "await page.fill('#q', 'tea')",
  fill: "await page.fill('#q', 'tea')",
  press: "await page.keyboard.press('Enter')",
  scroll: 'await page.mouse.wheel(0, 800)',
  wait: "await page.waitForSelector('#content')",
  reload: 'await page.reload()',
  back: 'await page.goBack()',
  evaluate: 'await page.evaluate(() => document.title)',
};
/** How a page is opened, which stands for all other actions. */
const GOTO = "await page.goto('https://example.com')";
/** The kinds of jobs that are read by their id. */
const READABLE = ['scrape', 'batch/scrape', 'crawl', 'extract', 'agent'];
const READ_ADVICE = `A job is read at the path of its kind: ${READABLE.map((kind) => `GET /v2/${kind}/{id}`).join(', ')}. GET /v2/jobs lists the jobs with their kinds.`;

/** The first parts of paths in other APIs, by what they are here. */
const RESOURCES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    browser: 'session sessions browsers devtools',
    scrape: 'scraper fetch render read reader page content html markdown url',
    crawl: 'spider spiders website site',
    search: 'serp google',
    map: 'sitemap links urls',
    agent: 'research deepresearch',
    monitor: 'watch watches alert alerts schedule schedules tracker',
    parse: 'document documents convert ocr pdf',
  }).flatMap(([resource, names]) => names.split(' ').map((name) => [name, resource])),
);

const ID = /\/[\da-f]{8}-[\da-f-]{27}(?=\/|$)/gi;

/** Names of endpoints in other APIs and older versions, by the path without its version and with `:id`. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  '/webhooks':
    'A webhook belongs to a job: send webhook: {"url": …} in the body of POST /v2/crawl or POST /v2/batch/scrape. GET /v2/webhooks/deliveries lists the events that were sent.',
  '/sessions': 'Use POST /v2/browser to start a session, and GET /v2/browser to list them.',
  '/deep-research': 'Use POST /v2/agent with {"prompt": …}.',
  ...Object.fromEntries(
    ['/upload', '/uploads', '/files'].map((path) => [
      path,
      'Send a file to POST /v2/parse, or get a URL for it from POST /v2/parse/upload-url.',
    ]),
  ),
  '/parse/url': 'POST /v2/parse takes a file. Send a URL to POST /v2/scrape.',
  '/export/:id': 'Use GET /v2/crawl/{id}/export or GET /v2/batch/scrape/{id}/export.',
  '/keys': 'Use GET /v2/team/keys. The operator makes and revokes keys (winnow key).',
  '/api-keys': 'Use GET /v2/team/keys. The operator makes and revokes keys (winnow key).',
  '/status': 'Use GET /ready, which says whether the service and its parts work.',
  '/health': 'Use GET /ready, which says whether the service and its parts work.',
  '/screenshot': 'Use POST /v2/scrape with {"url": …, "formats": ["screenshot"]}.',
  '/markdown': 'Use POST /v2/scrape with {"url": …}.',
  '/credits': 'Use GET /v2/team/credit-usage.',
  '/usage': 'Use GET /v2/team/credit-usage.',
  '/team/usage': 'Use GET /v2/team/credit-usage, or /v2/team/token-usage.',
  '/account': 'Use GET /v2/team/credit-usage.',
  '/balance': 'Use GET /v2/team/credit-usage.',
  ...Object.fromEntries(
    ['/jobs/:id', '/job/:id', '/tasks/:id', '/task/:id', '/runs/:id', '/status/:id', '/results/:id'].map(
      (path) => [path, READ_ADVICE],
    ),
  ),
  '/team': 'Use GET /v2/team/credit-usage, /v2/team/queue-status, /v2/team/activity or /v2/team/keys.',
};

/** Paths of other APIs for all pages of a job as a file. */
const EXPORT_PATH = /^\/v2\/(crawl|batch\/scrape)\/:id\/(download|file|archive|dump|csv|zip|jsonl|warc)$/;

/** The endpoint of the Model Context Protocol, and its paths in other services. */
const MCP_PATH = /\/(mcp|sse)$/;

/** What is done with a monitor under a name of its own in other APIs. */
const MONITOR_VERBS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['pause', 'stop', 'disable', 'deactivate'].map((verb) => [
      verb,
      'PATCH {path} with {"status": "paused"}',
    ]),
  ),
  ...Object.fromEntries(
    ['resume', 'start', 'enable', 'activate', 'unpause'].map((verb) => [
      verb,
      'PATCH {path} with {"status": "active"}',
    ]),
  ),
  ...Object.fromEntries(['trigger', 'execute', 'check', 'scan'].map((verb) => [verb, 'POST {path}/run'])),
  ...Object.fromEntries(
    ['runs', 'results', 'changes', 'diffs', 'executions', 'events'].map((noun) => [
      noun,
      'GET {path}/checks',
    ]),
  ),
};

/** What a name at the end of a path, before or after an id, means: the method for the resource itself. */
const VERBS: Readonly<Record<string, 'get' | 'delete' | 'post'>> = {
  cancel: 'delete',
  stop: 'delete',
  delete: 'delete',
  close: 'delete',
  destroy: 'delete',
  status: 'get',
  result: 'get',
  results: 'get',
  data: 'get',
  documents: 'get',
  pages: 'get',
  output: 'get',
  get: 'get',
  create: 'post',
  start: 'post',
  new: 'post',
  open: 'post',
  list: 'get',
};

/** The requests that the API has, each with its path in the form of `/v2/crawl/:id`. */
const ENDPOINTS = ROUTES.map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, ':id') }));
const isEndpoint = (method: string, path: string) =>
  ENDPOINTS.some((each) => each.method === method && each.path === path);

/**
 * Says which endpoint is meant by one that does not exist: by the name of another API, with a verb such as
 * `cancel` in place of the method, with another version or none, or with a few other letters.
 * @param wanted.path the path without its query
 * @returns a sentence; undefined if none is like it
 */
export function adviseOnEndpoint({ method, path }: { method: string; path: string }): string | undefined {
  if (path.length > MAX_PATH_CHARACTERS) return undefined;
  const ids = path.match(ID) ?? [];
  const general = path.replace(ID, '/:id').replace(/\/+$/, '');
  if (/^(\/v\d+)?\/admin\//.test(general)) return adviseOnOperatorPath(general);
  const meant = inSingular(`${VERSION}${general.replace(/^(\/(v\d+|api))+(?=\/)/, '')}`);
  const withIds = (found: string) => {
    const left = [...ids];
    return found.replace(/\/:id/g, () => left.shift() ?? '/{id}');
  };
  const rest = meant.slice(VERSION.length);
  const known = [rest, `${rest}s`].find((each) => Object.hasOwn(OTHER_NAMES, each));
  if (known && !isEndpoint(method.toLowerCase(), meant))
    return OTHER_NAMES[known]?.replaceAll('{id}', ids[0]?.slice(1) ?? '{id}');
  if (/^\/webhooks?\//.test(rest) && !isKnownPath(meant)) return OTHER_NAMES['/webhooks'];
  if (MCP_PATH.test(general)) return 'The Model Context Protocol has the endpoint POST /v2/mcp.';
  const ofMonitor = /^\/v2\/monitors?\/:id\/(\w+)$/.exec(meant)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(MONITOR_VERBS, ofMonitor))
    return `Use ${MONITOR_VERBS[ofMonitor]?.replace('{path}', withIds('/v2/monitor/:id'))}.`;
  const verb = withoutVerb(meant);
  if (verb) return `Use ${verb.method.toUpperCase()} ${withIds(verb.path)}.`;
  const resource = ofOtherResource(method.toLowerCase(), meant);
  if (resource) return `Use ${resource.method.toUpperCase()} ${withIds(resource.path)}.`;
  if (EXPORT_PATH.test(meant)) return `Use GET ${withIds(meant.replace(/\w+$/, 'export'))}.`;
  const longer = withOneMorePart(method.toLowerCase(), meant);
  if (longer) return `Use ${longer.method.toUpperCase()} ${withIds(longer.path)}.`;
  const found = findSimilarEndpoint(method.toLowerCase(), meant);
  if (!found || found.path === general) return listEndpoints(meant, withIds);
  const isSame = found.method === method.toLowerCase();
  return `Did you mean ${isSame ? '' : `${found.method.toUpperCase()} `}${withIds(found.path)}?`;
}

/**
 * Says how the request is written for one of the jobs of a kind, where a path names the kind and a method
 * that only its jobs support: `DELETE /v2/browser`.
 * @returns a sentence that begins with a blank; an empty string if there is none
 */
export function adviseOnMethod({ method, path }: { method: string; path: string }): string {
  const general = path.replace(/\/+$/, '');
  if (general === '/v2/team/keys') return ' The operator makes and revokes keys (winnow key).';
  const route = ROUTES.find((each) => each.method === 'post' && each.path === general);
  if (method === 'GET' && route?.body) {
    const example = exampleBody(route.body);
    if (Object.keys(example).length) return ` It takes a JSON body, such as ${JSON.stringify(example)}.`;
  }
  const sorted = (text: string) => text.split('/').sort().join('/');
  const other = ENDPOINTS.find(
    (each) => each.method === method.toLowerCase() && sorted(each.path) === sorted(general),
  );
  if (other && other.path !== general) return ` Did you mean ${method} ${other.path}?`;
  const verb = withoutVerb(general.replace(ID, '/:id'));
  if (verb?.method === method.toLowerCase()) return ` Did you mean ${method} ${excerpt(verb.path)}?`;
  return isEndpoint(method.toLowerCase(), `${general}/:id`)
    ? ` With the id in the path, use ${method} ${excerpt(general)}/{id}.`
    : '';
}

/** Names the endpoints that begin like a path, or all beginnings if none does. */
function listEndpoints(meant: string, withIds: (path: string) => string): string {
  const [, version, first = '', second, third] = meant.split('/');
  const begin = `/${version}/${first}`;
  const own = ENDPOINTS.filter(({ path }) => path === begin || path.startsWith(`${begin}/`));
  if (own.length) {
    const nearer = own.filter(({ path }) => (path.split('/')[3] === ':id') === (second === ':id'));
    const list = (nearer.length ? nearer : own)
      .slice(0, MAX_LISTED)
      .map(({ method, path }) => `${method.toUpperCase()} ${withIds(path)}`);
    const isOfSession = second === ':id' && /^(browser|interact)$/.test(first);
    if (isOfSession && third) return withIds(adviseOnSession(first, third));
    return `There are ${list.join(', ')}.`;
  }
  const firsts = new Set(ENDPOINTS.map(({ path }) => path.split('/').slice(0, 3).join('/')));
  return `Endpoints begin with ${[...firsts].join(', ')}.`;
}

/** Says how something is done in a session that other APIs have a path for: by code. */
function adviseOnSession(resource: string, action: string): string {
  const verb = plainName(action);
  if (/^(recordings?|videos?)$/.test(verb)) return `Use GET /v2/${resource}/:id/replay.`;
  if (/^(live|liveview|debug|view|stream)$/.test(verb))
    return `GET /v2/${resource}/:id has the URL of the live view.`;
  const code = Object.hasOwn(SESSION_CODE, verb) ? SESSION_CODE[verb] : GOTO;
  return `What a page does in a session is code: POST /v2/${resource}/:id/execute with ${JSON.stringify({ code })}.`;
}

/** The request that a path with a verb stands for: `DELETE /v2/crawl/:id` for `/v2/crawl/:id/cancel`. */
function withoutVerb(path: string): { method: string; path: string } | undefined {
  const parts = path.split('/');
  const index = parts.findLastIndex((part) => Object.hasOwn(VERBS, part.toLowerCase()));
  const method = VERBS[parts[index]?.toLowerCase() ?? ''];
  if (index < 0 || !method) return undefined;
  const rest = parts.toSpliced(index, 1).join('/');
  const candidates = [rest, `${rest}/:id`];
  const found = candidates.find((each) => isEndpoint(method, each));
  return found ? { method, path: found } : undefined;
}

/** The only endpoint of a method whose path has one more part within: `/v2/batch/scrape/:id` for `/v2/batch/:id`. */
function withOneMorePart(method: string, meant: string) {
  const found = ENDPOINTS.filter(({ path, method: own }) => {
    const parts = path.split('/');
    return (
      own === method &&
      parts.slice(3, -1).some((_, index) => parts.toSpliced(index + 3, 1).join('/') === meant)
    );
  });
  return found.length === 1 ? found[0] : undefined;
}

const isKnownPath = (path: string) =>
  ENDPOINTS.some((each) => each.path === path || each.path.startsWith(`${path}/`));

/** A path whose first part is in the singular, if that is one of this API: `/v2/crawl/:id` for `/v2/crawls/:id`. */
function inSingular(path: string): string {
  const [, version, first = '', ...rest] = path.split('/');
  const isKnown = (name: string) => ENDPOINTS.some((each) => each.path.split('/')[2] === name);
  const singular = first.replace(/(?<=ch)es$|s$/, '');
  return isKnown(first) || !isKnown(singular) ? path : ['', version, singular, ...rest].join('/');
}

/** The endpoint that is meant by a path whose first part is the name of another API for a resource. */
function ofOtherResource(method: string, meant: string): { method: string; path: string } | undefined {
  const [, version, first = '', ...rest] = meant.split('/');
  const name = plainName(first);
  const resource = Object.hasOwn(RESOURCES, name) ? RESOURCES[name] : undefined;
  if (resource === undefined) return undefined;
  const path = ['', version, resource, ...rest].join('/');
  const own = ENDPOINTS.filter((each) => each.path === path);
  return own.find((each) => each.method === method) ?? own[0] ?? withoutVerb(path);
}

/** The endpoint with the most similar path, one with the same method first. */
function findSimilarEndpoint(method: string, meant: string) {
  const own = ENDPOINTS.filter((each) => each.method === method);
  for (const endpoints of [own, ENDPOINTS]) {
    const exact = endpoints.find((each) => each.path === meant);
    const paths = new Set(endpoints.map(({ path }) => path).filter((path) => hasSimilarParts(meant, path)));
    const name = exact?.path ?? findSimilarName(meant, [...paths]);
    const found = endpoints.find((each) => each.path === name);
    if (found) return found;
  }
  return undefined;
}

/** Says which path of the operator is meant, by the paths of their kind: `/admin/teams` for `/v2/admin/team`. */
function adviseOnOperatorPath(general: string): string | undefined {
  const path = general.replace(/^\/v\d+/, '');
  const paths = [...new Set(OPERATOR_ROUTES.map((route) => route.path))];
  const found = paths.find((each) => each === path) ?? findSimilarName(path, paths);
  return found ? `Did you mean ${found.replace(/:(\w+)/g, '{$1}')}?` : `Known are ${paths.join(', ')}.`;
}

/** Whether each part of a path is like that of another one: `pause` is not `ask`, however long the rest is. */
function hasSimilarParts(path: string, other: string): boolean {
  const parts = path.split('/');
  const others = other.split('/');
  // The beginning of a path, or one with the slashes in other places.
  if (parts.length !== others.length)
    return other.startsWith(`${path}/`) || plainName(parts.join('')) === plainName(others.join(''));
  return parts.every((part, index) => findSimilarName(part, [others[index] ?? '']) !== undefined);
}
