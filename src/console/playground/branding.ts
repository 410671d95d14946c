import { html } from 'htm/preact';
import { JsonTree } from '../elements/json-tree.ts';

/** What the view shows of the format `branding`; the rest is in its tree. */
export interface Branding {
  brandName?: string;
  colorScheme?: string;
  colors?: Record<string, string | undefined>;
  typography?: {
    fontStacks?: Record<string, string[] | undefined>;
    fontSizes?: Record<string, string | undefined>;
    fontWeights?: Record<string, number | undefined>;
  };
  components?: Record<string, Component | undefined>;
}

interface Component {
  background?: string;
  textColor?: string;
  borderColor?: string;
  borderRadius?: string;
}

const COLOR = /^#[0-9a-f]{3,8}$/i;
const LENGTH = /^[\d.]+(?:px|rem|em|%)$/;
const SAMPLE = 'The quick brown fox jumps over the lazy dog';
/** A heading of a poster would not fit, in pixels. */
const MAX_SIZE_PX = 64;

/** The brand of a page: its colours as swatches, its fonts as samples, its buttons and fields as they look. */
export function BrandingView({ branding }: { branding: Branding }) {
  const { brandName, colorScheme, colors = {}, typography = {}, components = {} } = branding;
  const swatches = Object.entries(colors).flatMap(([name, color]) =>
    color !== undefined && COLOR.test(color) ? [{ name, color }] : [],
  );
  return html`
    <p class="facts">
      ${brandName && html`<span><b dir="auto">${brandName}</b></span>`}
      ${colorScheme && html`<span>${colorScheme} colours</span>`}
    </p>
    <h3>Colours</h3>
    <ul class="swatches">
      ${swatches.map(
        ({ name, color }) =>
          html`<li key=${name}><span class="swatch" style=${{ background: color }} /><b>${name}</b> <code>${color}</code></li>`,
      )}
    </ul>
    <h3>Type</h3>
    <${TypeSamples} ...${typography} background=${colors.background} color=${colors.textPrimary} />
    <${Components} components=${components} />
    <details class="group"><summary>All of it as data</summary><${JsonTree} value=${branding} /></details>`;
}

/** The fonts of the page as far as this machine has them, each in the sizes that the page uses it in. */
function TypeSamples({
  fontStacks = {},
  fontSizes = {},
  fontWeights = {},
  background,
  color,
}: NonNullable<Branding['typography']> & { background: string | undefined; color: string | undefined }) {
  const { heading = fontStacks.body, body = [], code } = fontStacks;
  const rows = [
    ...['h1', 'h2', 'h3'].map((size) => ({ size, stack: heading, weight: fontWeights.bold })),
    ...['body', 'small'].map((size) => ({ size, stack: body, weight: fontWeights.regular })),
    { size: 'code', stack: code, weight: undefined },
  ].filter(({ size, stack }) => stack && (size === 'code' || fontSizes[size]));
  if (!rows.length) return html`<p>The page has no text in a font of its own.</p>`;
  return html`
    <dl class="type-samples">
      ${rows.map(
        ({ size, stack = [], weight }) => html`
          <div key=${size}>
            <dt>${size} <small dir="auto">${[fontSizes[size], weight, stack[0]].filter((part) => part).join(' · ')}</small></dt>
            <dd dir="auto" style=${{
              fontFamily: stack.map(quoteFamily).join(', '),
              fontSize: `${Math.min(MAX_SIZE_PX, Number.parseFloat(fontSizes[size] ?? '') || 14)}px`,
              fontWeight: weight,
              ...colorsOf(background, color),
            }}>${SAMPLE}</dd>
          </div>`,
      )}
    </dl>`;
}

/** Words that stand for a kind of fonts as long as they are not quoted (CSS Fonts 4, 2.1.3). */
const GENERIC = /^(?:serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-[a-z-]+|math|emoji)$/;
const quoteFamily = (family: string): string => (GENERIC.test(family) ? family : JSON.stringify(family));

/** Both colours, or none: one alone may not be readable on the other of the console. */
const colorsOf = (background: string | undefined, color: string | undefined) =>
  background && color && COLOR.test(background) && COLOR.test(color) ? { background, color } : {};

const NAMES: Record<string, string> = {
  buttonPrimary: 'Primary button',
  buttonSecondary: 'Secondary button',
  input: 'Field',
};

/** The buttons and fields of the page, drawn by what was measured of them. */
function Components({ components }: { components: NonNullable<Branding['components']> }) {
  const known = Object.entries(components).flatMap(([name, look]) => (look ? [{ name, look }] : []));
  if (!known.length) return null;
  return html`
    <h3>Buttons and fields</h3>
    <div class="bar">
      ${known.map(
        ({ name, look: { background, textColor, borderColor, borderRadius } }) =>
          html`<span class="component" key=${name} style=${{
            ...colorsOf(background, textColor),
            ...(borderColor && COLOR.test(borderColor) && { borderColor }),
            ...(borderRadius && LENGTH.test(borderRadius) && { borderRadius }),
          }}>${NAMES[name] ?? name}</span>`,
      )}
    </div>`;
}
