import { ROUTES } from './routes.ts';
import { findSimilarName } from './validation/similar-name.ts';

const VERSION = '/v2';
/** The longest path that is compared with those of the API. */
const MAX_PATH_CHARACTERS = 200;
const ID = /\/[\da-f]{8}-[\da-f-]{27}(?=\/|$)/gi;

/**
 * Finds the path of the API that is meant by one that does not exist: with another version or none, or with a
 * few other letters.
 * @returns the path, with the ids of the other one; undefined if none is like it
 */
export function findSimilarPath(path: string): string | undefined {
  if (path.length > MAX_PATH_CHARACTERS) return undefined;
  const ids = path.match(ID) ?? [];
  const general = path.replace(ID, '/:id').replace(/\/+$/, '');
  const meant = `${VERSION}${general.replace(/^\/(v\d+|api)(?=\/)/, '')}`;
  const paths = [...new Set(ROUTES.map((route) => route.path.replace(/:\w+/g, ':id')))];
  const found = paths.includes(meant) ? meant : findSimilarName(meant, paths);
  if (!found || found === general) return undefined;
  return found.replace(/\/:id/g, () => ids.shift() ?? '/{id}');
}
