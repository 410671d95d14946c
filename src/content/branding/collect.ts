import type { RunInPage } from '../open-page/page-function.ts';
import {
  type BrandingData,
  type LogoCandidate,
  MAX_SOURCE_LENGTH,
  MAX_TEXT_LENGTH,
} from './branding-data.ts';
import { collectBackgrounds } from './page/backgrounds.ts';
import { collectBoxStyles } from './page/box-styles.ts';
import { collectControls } from './page/controls.ts';
import { collectDeclarations } from './page/declarations.ts';
import { collectIconStyles } from './page/icon-styles.ts';
import { collectLogoCandidates } from './page/logo-candidates.ts';
import { collectPageLayout } from './page/page-layout.ts';
import { serializeSvg } from './page/svg.ts';
import { collectTextStyles } from './page/text-styles.ts';
import { collectTransitions } from './page/transitions.ts';
import { findVisibleElements } from './page/visible-elements.ts';

/** Limits far above what ordinary pages have, so that endless pages end. */
const MAX_ELEMENTS = 6_000;
const MAX_VARIANTS = 400;
const MAX_CONTROLS = 100;
const LOGO_LIMITS = { candidates: 60, sourceLength: MAX_SOURCE_LENGTH, linkLength: MAX_TEXT_LENGTH };
const MAX_SVGS = 20;
const SVG_LIMITS = { shapes: 300, length: MAX_SOURCE_LENGTH };
const DECLARATION_LIMITS = { variables: 300, icons: 30, manifestMs: 3_000, urlLength: MAX_SOURCE_LENGTH };

/**
 * Collects from an open page the data that its brand is derived from.
 * @returns `undefined` when the document is not HTML
 */
export async function collectBrandingData(evaluate: RunInPage): Promise<BrandingData | undefined> {
  if (!(await evaluate(findVisibleElements, MAX_ELEMENTS))) return undefined;
  // The order matters: backgrounds are read by all later functions, and controls mark the text of buttons.
  const backgrounds = await evaluate(collectBackgrounds, MAX_VARIANTS);
  const controls = await evaluate(collectControls, MAX_CONTROLS);
  const texts = await evaluate(collectTextStyles, MAX_VARIANTS);
  const boxes = await evaluate(collectBoxStyles, MAX_VARIANTS);
  const icons = await evaluate(collectIconStyles, MAX_VARIANTS);
  const transitions = await evaluate(collectTransitions, MAX_VARIANTS);
  const layout = await evaluate(collectPageLayout, MAX_VARIANTS);
  return {
    styles: { backgrounds, texts, ...controls, ...boxes, icons, transitions, layout },
    logoCandidates: await collectLogos(evaluate),
    declarations: await evaluate(collectDeclarations, DECLARATION_LIMITS),
  };
}

async function collectLogos(evaluate: RunInPage): Promise<LogoCandidate[]> {
  const candidates: LogoCandidate[] = [];
  let svgCount = 0;
  for (const { index, ...candidate } of await evaluate(collectLogoCandidates, LOGO_LIMITS)) {
    if (candidate.kind !== 'svg') candidates.push(candidate);
    else if (svgCount++ < MAX_SVGS) {
      const svg = await evaluate(serializeSvg, { index, ...SVG_LIMITS });
      const src = svg && `data:image/svg+xml,${encodeURIComponent(svg.source)}`;
      if (src) candidates.push({ ...candidate, src, colors: svg.colors });
    }
  }
  return candidates.filter(({ src }) => src && src.length <= MAX_SOURCE_LENGTH);
}
