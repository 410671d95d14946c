import { expect, it } from 'vitest';
import type { StyledText } from '../../../src/content/branding/branding-data.ts';
import {
  analyzeTypography,
  parseFontStack,
  parsePrimaryFamily,
} from '../../../src/content/branding/typography.ts';

const families: [string, string | undefined][] = [
  ['Inter, sans-serif', 'Inter'],
  ['"Source Sans 3", Arial', 'Source Sans 3'],
  ["'A, B', serif", 'A, B'],
  ['__Inter_abc123, __Inter_Fallback_abc123', 'Inter'],
  ['"__Roboto_Mono_a1b2c3", monospace', 'Roboto Mono'],
  ['Inter Fallback, Geist', 'Geist'],
  ['-apple-system, BlinkMacSystemFont, "Segoe UI"', 'system-ui'],
  ['ui-monospace, Menlo', 'ui-monospace'],
  ['"Times New Roman"', undefined],
  ['"Times New Roman", serif', 'Times New Roman'],
  ['', undefined],
];
it.each(families)('the first family of %s is %s', (stack, family) =>
  expect(parsePrimaryFamily(stack)).toBe(family),
);

it('a font stack lists each family once, without generated fallback fonts', () => {
  expect(
    parseFontStack('"__Inter_abc123", "__Inter_Fallback_abc123", system-ui, -apple-system, Arial'),
  ).toEqual([...['Inter', 'system-ui', 'Arial']]);
});

it('typography follows the style that most characters have', () => {
  const usual: StyledText = {
    role: 'body',
    region: 'content',
    family: 'Inter',
    size: '16px',
    weight: '400',
    lineHeight: 'normal',
    color: '#000',
    backgroundIndex: 0,
    characters: 100,
  };
  const { typography, fonts } = analyzeTypography([
    { ...usual, region: 'footer', size: '12px', characters: 900 },
    usual,
    { ...usual, size: '18px', characters: 20 },
    { ...usual, role: 'h1', family: 'Sora', size: '40px', weight: '700', characters: 10 },
    { ...usual, role: 'button', family: 'Arial', weight: '500' },
  ]);
  expect(fonts).toEqual([
    { family: 'Inter', role: 'body' },
    { family: 'Sora', role: 'heading' },
  ]);
  expect(typography).toEqual({
    fontFamilies: { primary: 'Inter', heading: 'Sora' },
    fontStacks: { body: ['Inter'], heading: ['Sora'] },
    fontSizes: { h1: '40px', body: '16px' },
    lineHeights: { heading: 'normal', body: 'normal' },
    fontWeights: { regular: 400, medium: 500, bold: 700 },
  });
  expect(analyzeTypography([])).toEqual({
    fonts: [],
    typography: { fontFamilies: {}, fontStacks: {}, fontSizes: {}, lineHeights: {}, fontWeights: {} },
  });
});
