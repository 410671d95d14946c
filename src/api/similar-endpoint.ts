import { excerpt } from '../errors.ts';
import { findSimilarName, plainName } from '../json/similar-name.ts';
import { EXPORT_PATH, MCP_PATH, MONITOR_VERBS, OTHER_NAMES, RESOURCES, VERBS } from './endpoint-names.ts';
import { OPERATOR_ROUTES } from './operator/routes.ts';
import { ROUTES } from './routes.ts';
import { adviseOnSession } from './session-paths.ts';
import { exampleBody } from './validation/examples.ts';

const VERSION = '/v2';
/** The prefixed path that is compared with those of the API. */
const MAX_PATH_CHARACTERS = 200;
/** The most endpoints that are listed. */
const MAX_LISTED = 14;
const ID = /\/[\da-f]{8}-[\da-f-]{27}(?=\/|$)/gi;

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
  const ofPage = adviseOnPageInPath(path);
  if (ofPage) return ofPage;
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
  if (!found || found.path === general) {
    const prefixed = withPartBefore(method.toLowerCase(), meant);
    return prefixed
      ? `Use ${prefixed.method.toUpperCase()} ${withIds(prefixed.path)}.`
      : listEndpoints(meant, withIds);
  }
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
  const ofPage = adviseOnPageInPath(path);
  if (ofPage) return ` ${ofPage}`;
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

/** A page in a path, as some APIs take it: `/https://example.com`, also where its slashes are encoded or merged. */
const PAGE_IN_PATH = /^(.*?)\/(https?):\/{1,2}([^/].*)$/is;
/** The endpoints that take the URL of a page, by the beginning of a path. */
const TAKES_PAGE = /\/(crawl|map|scrape)$/;

/** Says that the URL of a page goes into the body; undefined for a path without one. */
function adviseOnPageInPath(path: string): string | undefined {
  const [, before = '', scheme, rest] = PAGE_IN_PATH.exec(decoded(path)) ?? [];
  if (!scheme || !rest) return undefined;
  const resource = TAKES_PAGE.exec(before)?.[1] ?? 'scrape';
  const body = JSON.stringify({ url: excerpt(`${scheme}://${rest}`) });
  return `The URL of a page goes into the body: use POST /v2/${resource} with ${body}.`;
}

/** A path without its percent-encoding, or as it is if that is broken. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
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

/** The only endpoint of a method whose path has one more part before: `/v2/team/limits` for `/v2/limits`. */
function withPartBefore(method: string, meant: string) {
  const rest = meant.slice(VERSION.length);
  const found = ENDPOINTS.filter(
    ({ path, method: own }) =>
      own === method && /^\/[^/:]+$/.test(path.slice(VERSION.length, -rest.length)) && path.endsWith(rest),
  );
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
