import { excerpt } from '../errors.ts';

/** The most characters of a name from outside. */
const MAX_NAME_CHARACTERS = 60;

/** Writes the path of a part of a JSON value as messages name it, such as `actions[0].type`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((key, index) =>
      typeof key === 'number'
        ? `[${key}]`
        : `${index ? '.' : ''}${excerpt(String(key), MAX_NAME_CHARACTERS)}`,
    )
    .join('');
