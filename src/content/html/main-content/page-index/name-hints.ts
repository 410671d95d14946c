import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { hasAttributes, isHeading, isTag } from '../../nodes.ts';

/** The kinds of elements that are not main content. */
export type BoilerplateKind =
  | 'navigation'
  | 'footer'
  | 'banner'
  | 'sidebar'
  | 'dialog'
  | 'consent'
  | 'screenReaderOnly'
  | 'hiddenByClass'
  | 'form'
  | 'control'
  | 'tooltip'
  | 'print'
  | 'share'
  | 'account'
  | 'comments'
  | 'related'
  | 'promotion'
  | 'byline'
  | 'author'
  | 'tableOfContents'
  | 'legal'
  | 'caption'
  | 'photoCredit'
  | 'reviews'
  | 'filters'
  | 'postAuthor';

/** The words in classes and ids that hint at each kind. */
const WORDS_BY_KIND: Record<Exclude<BoilerplateKind, 'hiddenByClass'>, string> = {
  navigation:
    'nav navbar navigation navi menu menus submenu megamenu hamburger breadcrumb breadcrumbs crumb crumbs skip skiplink ' +
    'navgroup linklist sitemap toolbar subnav navbox pagination pagenav pager prev previous gnb globalnav',
  footer: 'footer footers colophon foot footnav siteinfo contentinfo',
  banner: 'masthead siteheader pageheader banner announcement topbar ribbon',
  sidebar: 'sidebar aside complementary rail sidepanel textwidget widgettitle widget sidenav',
  dialog: 'modal popup popover overlay dialog lightbox drawer offcanvas flyout toast paywall bar',
  consent: 'cookie cookies consent gdpr onetrust ccpa',
  screenReaderOnly: 'sr visually visuallyhidden screenreader noprint offscreen',
  form:
    'form gform gfield commentform searchform search searchbox searchbar newsletter subscribe subscription signup ' +
    'optin captcha mailchimp mailing wpcf hbspt',
  print: 'print printable printonly',
  control: 'btn button buttons btns actions toggle toggler cta dropdown loader hint swatch swatches',
  tooltip: 'tooltip tooltips infotip',
  share:
    'share sharing social socials sharedaddy addtoany addthis follow facebook twitter whatsapp pinterest linkedin instagram teilen partager compartir compartilhar condividi',
  account: 'login signin register account cart minicart wishlist checkout basket password auth bag',
  comments:
    'comments comment respond disqus commentlist commentary akismet replies comentarios comentario commentaires ' +
    'commentaire kommentare kommentar leserkommentare commenti komentarze reacties',
  related:
    'related recommended recommendation recommendations recommends trending popular suggested suggestions discovery ' +
    'outbrain taboola similar readmore morefrom upnext crosssell upsell upsells recirculation alsolike viewed bought recently relacionadas relacionados similaires correlati verwandte gerelateerd powiazane',
  promotion:
    'advert advertisement adsense sponsor sponsored promo promos promotion promoted affiliate dfp ezoic adslot teaser werbung anzeige publicidad publicidade publicite pubblicita reklama',
  byline:
    'byline meta postmeta dateline timestamp pubdate published updated date posted author authors publish taxonomy tags ' +
    'tag tagcloud cat categories category kicker readtime reading',
  author: 'bio authorbox biography contributor',
  tableOfContents: 'toc tableofcontents tocs outline',
  legal: 'copyright legal privacy disclaimer policy policies terms',
  caption: 'caption figcaption',
  photoCredit: 'credit credits',
  reviews: 'reviews review rating ratings trustpilot stars testimonials bazaarvoice yotpo ugc questions qna',
  filters: 'filter filters facet facets refinement refinements sort sorting sortby',
  postAuthor:
    'signature sig userdetails postprofile userinfo avatar extras reputation badges badge usertitle userbanner ' +
    'reactions likes vote votes votecell poster profile pairs unfurl',
};

const KIND_BY_WORD = new Map<string, BoilerplateKind>();
for (const [kind, words] of Object.entries(WORDS_BY_KIND)) {
  // Object.entries forgets the keys' type.
  for (const word of words.split(' ')) KIND_BY_WORD.set(word, kind as BoilerplateKind);
}

/** Patterns for hints that are not single words, or too short to be recognised as such. */
const HINT_PATTERNS: [RegExp, NameHint][] = [
  [/(^|\s)ads?([-_\s]|$)/i, { word: 'ad', kind: 'promotion' }],
  // Text for screen readers only, as named by WordPress, Drupal and design systems.
  [
    /(^|[\s_-])(screen-?reader(s|-text|-only)?|element-invisible|assistive-text|hidden-visually|a11y-(text|hidden|only))(\s|$)/i,
    { word: 'sr', kind: 'screenReaderOnly' },
  ],
  // The categories and tags of a WooCommerce product.
  [/(^|\s)(posted_in|tagged_as)(\s|$)/i, { word: 'posted_in', kind: 'navigation' }],
  [/(^|[\s_-])(cross|up)-?sell/i, { word: 'crosssell', kind: 'related' }],
  // MediaWiki's link to edit a section.
  [/(^|\s)mw-editsection(\s|$)/, { word: 'editsection', kind: 'control' }],
  // Metadata lines of documentation pages, and elements marked as not to be indexed.
  [
    /(^|[\s_-])(last-?(updated|modified|mod)|git-revision-date\S*|md-source-file|page-metadata|article-metadata|nocontent)(\s|$)/i,
    { word: 'metadata', kind: 'footer' },
  ],
  // OneTrust's dialogs.
  [/(^|\s)ot-/i, { word: 'ot', kind: 'consent' }],
];
const classPattern = (names: string) => new RegExp(`(^|\\s)(${names})(?=\\s|$)`, 'i');
/** Classes that hide an element, including some of rustdoc and mdBook. */
const HIDING_CLASS = classPattern(
  'hidden|hide|hideme|boring|is-hidden|u-hidden|u-hide|d-none|dn|none|invisible|sr-only',
);
/** Classes that show a hidden element on large screens. */
const SHOWN_ON_LARGE_SCREENS = classPattern(
  '(xs|sm|md|lg|xl|2xl)[:-](not-sr-only|block|flex|inline(-block|-flex)?|grid|table|contents|visible)|' +
    'd-(xs|sm|md|lg|xl|xxl)-(?!none)\\w+|show-\\S+',
);
/** Classes that show an element on small screens only. */
const SMALL_SCREENS_ONLY = classPattern(
  '(md|lg|xl):hidden|d-(md|lg|xl)-none|hidden-(md|lg|desktop)|hide-(on-)?desktop|desktop-hide|' +
    '(mobile|phone)-only|only-mobile|(visible|show)-(on-)?(mobile|phone|xs|sm|small)(-only)?|' +
    'show-for-small-only|(small|medium)--(show|only)|medium-up--hide',
);
/**
 * What all patterns that need more than a word have in common, in one. Most names do not match it, which it tells in
 * less time because it looks for the beginning of a word once for all of them.
 */
const ANY_PATTERN = new RegExp(
  `(?:^|[\\s_-])(?:${[...HINT_PATTERNS.map(([pattern]) => pattern), HIDING_CLASS, SMALL_SCREENS_ONLY]
    .map(({ source }) => source.replace(/^\(\^\|(\\s|\[\\s_-\])\)/, ''))
    .join('|')})`,
  'i',
);
/** Classes of Bootstrap, Foundation and Tailwind that show a hidden element in print. */
const SHOWN_IN_PRINT = classPattern(
  '(d-print-|print:)(block|flex|inline\\S*|grid)|visible-print\\S*|show-for-print',
);
/** An id of four or more words was made from a heading. It tells the topic of a section, not its kind. */
const HEADING_SLUG = /^[^-_]+([-_][^-_]+){3,}$/;

/**
 * Classes that are ignored: conditional ones such as `print:hidden`, admonitions named after their title, Prism's
 * wrapper of code and its toolbar, the states of a text in WordPress and Drupal, and the facts about an event.
 */
const IGNORED_CLASSES =
  /(^|\s)(\S*:\S*|admonition\S*|code-toolbar|status-\S+|node--?(promoted|sticky)|\S*events?-meta\S*)/g;
/** What one of these has. Few names do, and replacing takes longer than looking. */
const MAY_BE_IGNORED = /:|admonition|code-toolbar|status-|node-|event/;
/** The categories and tags of a text in WordPress, which are classes of the element with the text. */
const TERMS_OF_POST = /(^|\s)(category|tag)-\S+/g;
const POST = /(^|\s)status-\S/;
/** Words in other than small letters. */
const HAS_OTHER_LETTERS = /[^a-z\d\s_-]/;

/** Elements whose ids are link targets, and others whose ids usually are. */
const TARGETS = /^(h[1-6]|dt|dd)$/;
const ANCHOR_ELEMENTS = /^(span|a|code|p|tr|li)$/;

/** A word in an element's class names or ids, and the kind of boilerplate that it hints at. */
export interface NameHint {
  word: string;
  kind: BoilerplateKind;
}

const NO_HINTS: readonly NameHint[] = [];

/**
 * The hints of names that were read before. Many elements of a page have the same names, and so have the
 * pages of a site.
 */
const hintsByNames = new Map<string, readonly NameHint[]>();
/**
 * All hints are forgotten when there are those of this many names. Names of more characters than the second
 * limit are not kept.
 */
const MAX_KEPT_NAMES = 2_000;
const MAX_KEPT_LENGTH = 1_000;

/**
 * The hints in an element's class names, id and test attributes.
 * @param hasAnchors whether ids on the page name what it describes, as in API documentation, and are
 * therefore no hints
 */
export function findNameHints(element: Element, hasAnchors: boolean): readonly NameHint[] {
  if (!hasAttributes(element)) return NO_HINTS;
  const { id, class: classes, 'data-component': component, 'data-testid': testId } = element.attribs;
  if (!id && !classes && component === undefined && testId === undefined) return NO_HINTS;
  const isTarget = id && (HEADING_SLUG.test(id) || TARGETS.test(element.name));
  const own =
    id && !isTarget && !(hasAnchors ? isAnchor(element, id) : isSlugOfHeading(element, id)) ? id : '';
  // Most elements have classes only, of which no other text is made.
  const isOnlyClasses = own === '' && component === undefined && testId === undefined;
  const names = isOnlyClasses
    ? (classes ?? '')
    : `${classes ?? ''} ${own} ${component ?? ''} ${testId ?? ''}`;
  const known = hintsByNames.get(names);
  if (known) return known;
  // V8 keeps the whole text that a text was cut out of, here the page.
  const copy = ` ${names}`.slice(1);
  const hints = parseNameHints(copy);
  if (hintsByNames.size >= MAX_KEPT_NAMES) hintsByNames.clear();
  if (names.length <= MAX_KEPT_LENGTH) hintsByNames.set(copy, hints);
  return hints;
}

/** Whether an id is the link target of a heading, of its section or of a documented name. */
const isAnchor = (element: Element, id: string): boolean =>
  ANCHOR_ELEMENTS.test(element.name) || /[.()]/.test(id) || isSlugOfHeading(element, id);

/** Whether an id was made of the heading that a section begins with, which is a sign of its own. */
function isSlugOfHeading({ children }: Element, id: string): boolean {
  const first = children.find((child) => isTag(child) && child.name !== 'span' && child.name !== 'a');
  return (
    first !== undefined &&
    isTag(first) &&
    isHeading(first) &&
    toSlug(textContent(first)).startsWith(toSlug(id))
  );
}

const toSlug = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

function parseNameHints(names: string): NameHint[] {
  const hints: NameHint[] = [];
  for (const word of wordsIn(names) ?? []) {
    const kind = KIND_BY_WORD.get(word);
    if (kind) hints.push({ word, kind });
  }
  if (!ANY_PATTERN.test(names)) return hints;
  for (const [pattern, hint] of HINT_PATTERNS) if (pattern.test(names)) hints.push(hint);
  if (isHiddenByClass(names))
    hints.push(
      SHOWN_IN_PRINT.test(names)
        ? { word: 'print', kind: 'print' }
        : { word: 'unseen', kind: 'hiddenByClass' },
    );
  return hints;
}

/** The words in names, in small letters. */
function wordsIn(names: string): string[] | null {
  const read = MAY_BE_IGNORED.test(names) ? withoutIgnored(names) : names;
  const lower = HAS_OTHER_LETTERS.test(read) ? read.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase() : read;
  return lower.match(/[a-z]{2,}/g);
}

const withoutIgnored = (names: string) =>
  (POST.test(names) ? names.replace(TERMS_OF_POST, ' ') : names).replace(IGNORED_CLASSES, ' ');

/** Whether classes hide an element on large screens. Elements for small screens only are duplicates. */
function isHiddenByClass(names: string): boolean {
  return HIDING_CLASS.test(names) ? !SHOWN_ON_LARGE_SCREENS.test(names) : SMALL_SCREENS_ONLY.test(names);
}
