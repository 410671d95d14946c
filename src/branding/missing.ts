import type { Branding } from './judge.ts';

/** What a branding can have, by its parts. */
const FIELDS = [
  'logo',
  ...under(
    'colors',
    'primary secondary accent background textPrimary textSecondary link success warning error',
  ),
  'fonts',
  ...under('typography.fontFamilies', 'primary heading code'),
  ...under('typography.fontSizes', 'h1 h2 h3 body'),
  ...under('typography.fontWeights', 'light regular medium bold'),
  ...under('typography.lineHeights', 'heading body'),
  ...under('spacing', 'baseUnit borderRadius padding margins'),
  ...under('components', 'buttonPrimary buttonSecondary input'),
  'icons',
  ...under('images', 'logo favicon ogImage'),
  'animations',
  'layout',
];

function under(parent: string, names: string): string[] {
  return names.split(' ').map((name) => `${parent}.${name}`);
}

/** The fields that the page did not show, as paths, in the order of the reference. */
export const missingOf = (branding: Branding): string[] => FIELDS.filter((path) => !isThere(branding, path));

function isThere(branding: Branding, path: string): boolean {
  const value = path
    .split('.')
    .reduce<unknown>((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], branding);
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}
