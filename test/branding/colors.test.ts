import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedColors } from '../../src/branding/names.ts';
import { clustered, isColorful, paintOf, seenGrounds, stopsOf } from '../../src/branding/palette.ts';

const hexOf = (css: string, under?: string) => paintOf(css, under)?.hex;

describe('a colour', () => {
  // What Chromium paints of these.
  const painted: [string, string][] = [
    ['rgb(34, 211, 238)', '#22d3ee'],
    ['oklch(0.55 0.22 300)', '#8843db'],
    ['oklch(0.75 0.18 60)', '#fe8d00'],
    ['hsl(173 80% 36%)', '#12a594'],
    ['color(display-p3 0 1 0)', '#00ff00'],
    ['#abc', '#aabbcc'],
  ];
  it.each(painted)('%s is %s', (css, hex) => expect(hexOf(css)).toBe(hex));

  it('is what is seen of it', () => {
    expect(hexOf('rgba(255, 255, 255, 0.87)', '#10141d')).toBe('#e0e0e2');
    expect(hexOf('oklch(0 0 0 / 0.5)', '#ffffff')).toBe('#808080');
    expect(paintOf('rgba(0, 0, 0, 0)')).toBeUndefined();
    expect(paintOf('currentcolor')).toBeUndefined();
  });

  it('is none for a brand when it is a grey, white, black, or a tint', () => {
    const colorful = (css: string) => isColorful(paintOf(css)!);
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

  it('stands in gradients', () => {
    const gradient = 'linear-gradient(rgba(255, 0, 0, 0.5) 0%, oklch(0.55 0.22 300) 40%, rgb(0, 0, 255))';
    expect(stopsOf(gradient).map(({ hex }) => hex)).toEqual(['#ff8080', '#8843db', '#0000ff']);
  });
});

describe('grounds', () => {
  const ground = { gradient: '', isPicture: false, area: 1 };

  it('are seen over each other', () => {
    const seen = seenGrounds([
      { ...ground, color: '#000000', under: 0 },
      { ...ground, color: 'rgba(255, 255, 255, 0.5)', under: 0 },
      { ...ground, color: 'rgba(0, 0, 0, 0)', under: 1, isPicture: true },
      { ...ground, color: 'rgba(0, 0, 0, 0)', gradient: 'linear-gradient(#000, #444)', under: 0 },
    ]);
    expect(seen.map(({ hex }) => hex)).toEqual(['#000000', '#808080', '#808080', '#222222']);
  });

  it('that look alike are one, the largest', () => {
    const weighted = ['#ffffff', '#fefefe', '#0b5fff', '#0b5ffe'].map(
      (css, index) => [paintOf(css)!, index + 1] as [NonNullable<ReturnType<typeof paintOf>>, number],
    );
    expect(clustered(weighted, 3).map(({ paint, weight }) => [paint.hex, weight])).toEqual([
      ['#0b5ffe', 7],
      ['#fefefe', 3],
    ]);
  });
});

describe('the name of a custom property', () => {
  const rolesOf = (...names: string[]) =>
    names.map((name) => [...namedColors([[name, '#0b5fff']]).keys()][0]);

  it('says what a colour is for', () => {
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

  it('says nothing where it is of something else', () => {
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

  it('comes with any value, of which colours count, the plainest name first', () => {
    const named = namedColors([
      ['color-primary-600', '#111111'],
      ['primary', '222 47% 11%'],
      ['brand-color', '"Inter"'],
    ]);
    expect(named.get('primary')?.map(({ hex }) => hex)).toEqual(['#0f1729', '#111111']);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pairs) => namedColors(pairs).size <= 6),
    );
  });
});
