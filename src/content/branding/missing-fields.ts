import type { Branding } from './analyze.ts';

/** Paths of all fields that a branding can have, in the order of the API reference. */
const FIELD_PATHS = [
  'logo',
  ...prefixPaths(
    'colors',
    'primary secondary accent background textPrimary textSecondary link success warning error',
  ),
  'fonts',
  ...prefixPaths('typography.fontFamilies', 'primary heading code'),
  ...prefixPaths('typography.fontSizes', 'h1 h2 h3 body'),
  ...prefixPaths('typography.fontWeights', 'light regular medium bold'),
  ...prefixPaths('typography.lineHeights', 'heading body'),
  ...prefixPaths('spacing', 'baseUnit borderRadius padding margins'),
  ...prefixPaths('components', 'buttonPrimary buttonSecondary input'),
  'icons',
  ...prefixPaths('images', 'logo favicon ogImage'),
  'animations',
  'layout',
];

function prefixPaths(parent: string, names: string): string[] {
  return names.split(' ').map((name) => `${parent}.${name}`);
}

/** Lists the paths of the fields that have no value. */
export const listMissingFields = (branding: Branding): string[] =>
  FIELD_PATHS.filter((path) => !hasValue(branding, path));

function hasValue(branding: Branding, path: string): boolean {
  const value = path
    .split('.')
    .reduce<unknown>((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], branding);
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}
