import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findNamedColors } from '../../../src/content/branding/color-names.ts';
import {
  clusterPaints,
  isColorful,
  parseGradientStops,
  parsePaint,
  resolveBackgrounds,
} from '../../../src/content/branding/paint.ts';

const hexOf = (css: string, under?: string) => parsePaint(css, under)?.hex;

describe('parsePaint', () => {
  // Colours as Chromium paints them.
  const painted: [string, string][] = [
    ['rgb(34, 211, 238)', '#22d3ee'],
    ['oklch(0.55 0.22 300)', '#8843db'],
    ['oklch(0.75 0.18 60)', '#fe8d00'],
    ['hsl(173 80% 36%)', '#12a594'],
    ['color(display-p3 0 1 0)', '#00ff00'],
    ['#abc', '#aabbcc'],
  ];
  it.each(painted)('reads %s as %s', (css, hex) => expect(hexOf(css)).toBe(hex));

  it('blends a translucent colour with its backdrop and ignores transparent ones', () => {
    expect(hexOf('rgba(255, 255, 255, 0.87)', '#10141d')).toBe('#e0e0e2');
    expect(hexOf('oklch(0 0 0 / 0.5)', '#ffffff')).toBe('#808080');
    expect(parsePaint('rgba(0, 0, 0, 0)')).toBeUndefined();
    expect(parsePaint('currentcolor')).toBeUndefined();
  });

  it('does not take greys, white, black or tints for brand colours', () => {
    const colorful = (css: string) => isColorful(parsePaint(css)!);
    for (const css of [
      '#fff',
      '#000',
      '#6b7280',
      '#475569',
      '#0f172a',
      '#eff6ff',
      '#f8fafc',
      '#212529',
      '#fdf6e3',
    ])
      expect(colorful(css), css).toBe(false);
    for (const css of ['#0b5fff', '#065f46', '#0a2540', '#d4a017', '#22d3ee', '#8b0000', '#ff7a00'])
      expect(colorful(css), css).toBe(true);
  });

  it('reads the stops of a gradient in order', () => {
    const gradient = 'linear-gradient(rgba(255, 0, 0, 0.5) 0%, oklch(0.55 0.22 300) 40%, rgb(0, 0, 255))';
    expect(parseGradientStops(gradient).map(({ hex }) => hex)).toEqual(['#ff8080', '#8843db', '#0000ff']);
  });
});

describe('backgrounds', () => {
  const background = { gradient: '', isImage: false, area: 1 };

  it('are blended with the background behind them', () => {
    const seen = resolveBackgrounds([
      { ...background, color: '#000000', backdropIndex: 0 },
      { ...background, color: 'rgba(255, 255, 255, 0.5)', backdropIndex: 0 },
      { ...background, color: 'rgba(0, 0, 0, 0)', backdropIndex: 1, isImage: true },
      { ...background, color: 'rgba(0, 0, 0, 0)', gradient: 'linear-gradient(#000, #444)', backdropIndex: 0 },
    ]);
    expect(seen.map(({ hex }) => hex)).toEqual(['#000000', '#808080', '#808080', '#222222']);
  });

  it('merge with similar colours into the heaviest one', () => {
    const weighted = ['#ffffff', '#fefefe', '#0b5fff', '#0b5ffe'].map(
      (css, index) => [parsePaint(css)!, index + 1] as [NonNullable<ReturnType<typeof parsePaint>>, number],
    );
    expect(clusterPaints(weighted, 3).map(({ paint, weight }) => [paint.hex, weight])).toEqual([
      ['#0b5ffe', 7],
      ['#fefefe', 3],
    ]);
  });
});

describe('findNamedColors', () => {
  const rolesOf = (...names: string[]) =>
    names.map((name) => [...findNamedColors([[name, '#0b5fff']]).keys()][0]);

  it('recognises the role in the name of a custom property', () => {
    const primaries = [
      'primary',
      'bs-primary',
      'color-primary-500',
      'primaryColor',
      'brand',
      'e-global-color-primary',
    ];
    expect(
      rolesOf(...primaries, 'md-sys-color-primary', 'wp--preset--color--primary', 'brand_color'),
    ).toEqual(Array(9).fill('primary'));
    expect(rolesOf('color-accent', 'secondary', 'destructive', 'bs-danger', 'success-600')).toEqual([
      ...['accent', 'secondary', 'error', 'error', 'success'],
    ]);
  });

  it('ignores names of colours for other purposes', () => {
    const others = [
      'primary-foreground',
      'btn-primary',
      'text-primary',
      'primary-hover',
      'primary-50',
      'primary-font',
    ];
    expect(rolesOf(...others, 'bs-primary-rgb', 'vivid-red', 'unbranded', 'bs-danger-border-subtle')).toEqual(
      Array(10).fill(undefined),
    );
  });

  it('accepts any value, keeps colours only and puts the shortest name first', () => {
    const named = findNamedColors([
      ['color-primary-600', '#111111'],
      ['primary', '222 47% 11%'],
      ['brand-color', '"Inter"'],
    ]);
    expect(named.get('primary')?.map(({ hex }) => hex)).toEqual(['#0f1729', '#111111']);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pairs) => findNamedColors(pairs).size <= 6),
    );
  });
});
