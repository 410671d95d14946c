import { type Margin, marginOf } from './margins.ts';

/** Groups whose text is not part of the document, besides those that begin with `\*`. */
const SKIPPED = new Set(
  'annotation atnid atnauthor colortbl nonshppict object listtext pntext fldinst nonesttables xe tc rxe txe themedata datastore'.split(
    ' ',
  ),
);
/** Groups whose text is kept although they begin with `\*`. */
const KEPT = new Set(['shptxt', 'shpinst', 'shppict', 'fldrslt']);

/** Groups of headers and footers whose text is left out: pictures, and the results of fields such as numbers of pages. */
const SKIPPED_IN_MARGINS = new Set(['pict', 'fldrslt']);

/** What a group of an RTF file is for. */
export type Destination =
  | Margin
  | 'text'
  | 'fonts'
  | 'styles'
  | 'info'
  | 'picture'
  | 'properties'
  | 'name'
  | 'value'
  | 'skip';

/** Whether a group is that of a header or footer. */
export const isMargin = (destination: string): destination is Margin =>
  destination === 'header' || destination === 'footer';

/**
 * What a group is for that begins with a control word.
 * @param state of the group: what the group around it is for, and whether it begins with `\\*`
 */
export function destinationOf(
  name: string,
  { destination, isOptional }: { destination: Destination; isOptional: boolean },
): Destination {
  if (name === 'fonttbl') return 'fonts';
  if (name === 'stylesheet') return 'styles';
  if (destination === 'styles' && name === 'cs') return destination;
  if (destination === 'text') {
    if (name === 'info') return 'info';
    if (name === 'pict') return 'picture';
    const margin = marginOf(name);
    if (margin) return margin;
  }
  if (name === 'picprop' && destination === 'picture') return 'properties';
  if (destination === 'properties' && name === 'sn') return 'name';
  if (destination === 'properties' && name === 'sv') return 'value';
  const isSkipped =
    (isMargin(destination) && SKIPPED_IN_MARGINS.has(name)) ||
    SKIPPED.has(name) ||
    (isOptional && !KEPT.has(name));
  return isSkipped ? 'skip' : destination;
}
