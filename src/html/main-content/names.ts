import { type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { isHeading } from './measure.ts';

/** What an element is besides main content. */
export type Part =
  | 'navigation'
  | 'footer'
  | 'banner'
  | 'side'
  | 'dialog'
  | 'consent'
  | 'hidden'
  | 'unseen'
  | 'form'
  | 'control'
  | 'tip'
  | 'print'
  | 'share'
  | 'account'
  | 'comments'
  | 'related'
  | 'promotion'
  | 'byline'
  | 'author'
  | 'contents'
  | 'legal'
  | 'caption'
  | 'credit'
  | 'reviews'
  | 'filters'
  | 'poster';

/** Words of classes and ids that authors of pages give to such parts. */
const WORDS: Record<Exclude<Part, 'unseen'>, string> = {
  navigation:
    'nav navbar navigation navi menu menus submenu megamenu hamburger breadcrumb breadcrumbs crumb crumbs skip skiplink ' +
    'navgroup linklist sitemap toolbar subnav navbox pagination pagenav pager prev previous gnb globalnav',
  footer: 'footer footers colophon foot footnav siteinfo contentinfo',
  banner: 'masthead siteheader pageheader banner announcement topbar ribbon',
  side: 'sidebar aside complementary rail sidepanel textwidget widgettitle widget sidenav',
  dialog: 'modal popup popover overlay dialog lightbox drawer offcanvas flyout toast paywall bar',
  consent: 'cookie cookies consent gdpr onetrust ccpa',
  hidden: 'sr visually visuallyhidden screenreader noprint offscreen',
  form:
    'form gform gfield commentform searchform search searchbox searchbar newsletter subscribe subscription signup ' +
    'optin captcha mailchimp mailing wpcf hbspt',
  print: 'print printable printonly',
  control: 'btn button buttons btns actions toggle toggler cta dropdown loader hint swatch swatches',
  tip: 'tooltip tooltips infotip',
  share:
    'share sharing social socials sharedaddy addtoany addthis follow facebook twitter whatsapp pinterest linkedin instagram',
  account: 'login signin register account cart minicart wishlist checkout basket password auth bag',
  comments: 'comments comment respond disqus commentlist commentary akismet replies',
  related:
    'related recommended recommendation recommendations recommends trending popular suggested suggestions discovery ' +
    'outbrain taboola similar readmore morefrom upnext crosssell upsell upsells recirculation alsolike viewed bought recently',
  promotion:
    'advert advertisement adsense sponsor sponsored promo promos promotion promoted affiliate dfp ezoic adslot teaser',
  byline:
    'byline meta postmeta dateline timestamp pubdate published updated date posted author authors publish taxonomy tags ' +
    'tag tagcloud cat categories category kicker readtime reading',
  author: 'bio authorbox biography contributor',
  contents: 'toc tableofcontents tocs outline',
  legal: 'copyright legal privacy disclaimer policy policies terms',
  caption: 'caption figcaption',
  credit: 'credit credits',
  reviews: 'reviews review rating ratings trustpilot stars testimonials bazaarvoice yotpo ugc questions qna',
  filters: 'filter filters facet facets refinement refinements sort sorting sortby',
  poster:
    'signature sig userdetails postprofile userinfo avatar extras reputation badges badge usertitle userbanner ' +
    'reactions likes vote votes votecell poster profile pairs unfurl',
};

const PARTS = new Map<string, Part>();
for (const [part, words] of Object.entries(WORDS)) {
  // Object.entries forgets the keys' type.
  for (const word of words.split(' ')) PARTS.set(word, part as Part);
}

/** Too short to be told from other words by themselves. */
const PREFIXES: [RegExp, Hint][] = [
  [/(^|\s)ads?([-_\s]|$)/i, { word: 'ad', part: 'promotion' }],
  // What only screen readers read, as WordPress, Drupal and design systems name it.
  [
    /(^|[\s_-])(screen-?reader(s|-text|-only)?|element-invisible|assistive-text|hidden-visually|a11y-(text|hidden|only))(\s|$)/i,
    { word: 'sr', part: 'hidden' },
  ],
  // Shelves that WooCommerce says a product stands on.
  [/(^|\s)(posted_in|tagged_as)(\s|$)/i, { word: 'posted_in', part: 'navigation' }],
  [/(^|[\s_-])(cross|up)-?sell/i, { word: 'crosssell', part: 'related' }],
  // MediaWiki's way to change a section.
  [/(^|\s)mw-editsection(\s|$)/, { word: 'editsection', part: 'control' }],
  // What documentation says about the page, and what Google's tools are told not to index.
  [
    /(^|[\s_-])(last-?(updated|modified|mod)|git-revision-date\S*|md-source-file|page-metadata|article-metadata|nocontent)(\s|$)/i,
    { word: 'metadata', part: 'footer' },
  ],
  // OneTrust's dialogs.
  [/(^|\s)ot-/i, { word: 'ot', part: 'consent' }],
];
const asClass = (names: string) => new RegExp(`(^|\\s)(${names})(?=\\s|$)`, 'i');
/** Classes that hide an element (some of rustdoc and mdBook), or show it on large screens nevertheless, or on small ones only. */
const HIDDEN = asClass(
  'hidden|hide|hideme|boring|is-hidden|u-hidden|u-hide|d-none|dn|none|invisible|sr-only',
);
const SHOWN_ON_LARGE = asClass(
  '(xs|sm|md|lg|xl|2xl)[:-](not-sr-only|block|flex|inline(-block|-flex)?|grid|table|contents|visible)|' +
    'd-(xs|sm|md|lg|xl|xxl)-(?!none)\\w+|show-\\S+',
);
const ON_SMALL = asClass(
  '(md|lg|xl):hidden|d-(md|lg|xl)-none|hidden-(md|lg|desktop)|hide-(on-)?desktop|desktop-hide|' +
    '(mobile|phone)-only|only-mobile|(visible|show)-(on-)?(mobile|phone|xs|sm|small)(-only)?|' +
    'show-for-small-only|(small|medium)--(show|only)|medium-up--hide',
);
/** Classes that show on paper what others hide, of Bootstrap, Foundation and Tailwind. */
const ON_PAPER = asClass('(d-print-|print:)(block|flex|inline\\S*|grid)|visible-print\\S*|show-for-print');
/** An id of many words was made from a heading: it says what a section is about, not what it is. */
const SLUG = /^[^-_]+([-_][^-_]+){3,}$/;

/**
 * Classes that say nothing of the element: what holds on a condition ("print:hidden"), a note named after its title, and
 * what Prism puts around code and its toolbar.
 */
const SILENT = /(^|\s)(\S*:\S*|admonition\S*|code-toolbar)/g;

/** Elements with ids for links to them. */
const ANCHORED = /^(h[1-6]|dt|dd|span|a|code|p|tr|li)$/;

/** A word in an element's names, and the part that it speaks of. */
export interface Hint {
  word: string;
  part: Part;
}

/** What is known about the names on a page. */
export interface Naming {
  /** What names of the same page said already. */
  known: Map<string, Hint[]>;
  /** Whether ids on the page are addresses of what it describes, as in documentation. */
  hasAnchors: boolean;
}

/** What the names of an element say that it might be. */
export function hintsOf(element: Element, { known, hasAnchors }: Naming): Hint[] {
  const { attribs } = element;
  const { id = '' } = attribs;
  const names = [
    attribs.class,
    SLUG.test(id) || (hasAnchors && isAnchor(element, id)) ? '' : id,
    attribs['data-component'],
    attribs['data-testid'],
  ].join(' ');
  const hints = known.get(names) ?? hintsIn(names);
  known.set(names, hints);
  return hints;
}

/** Whether an id leads to a heading, to the section below it or to a name that is explained. */
function isAnchor({ name, children }: Element, id: string): boolean {
  if (ANCHORED.test(name) || /[.()]/.test(id)) return true;
  const first = children.find((child) => isTag(child) && child.name !== 'span' && child.name !== 'a');
  return (
    first !== undefined &&
    isTag(first) &&
    isHeading(first) &&
    sluggish(textContent(first)).startsWith(sluggish(id))
  );
}

const sluggish = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

function hintsIn(names: string): Hint[] {
  const hints: Hint[] = [];
  for (const [word] of names
    .replace(SILENT, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .matchAll(/[a-z]{2,}/g)) {
    const part = PARTS.get(word);
    if (part) hints.push({ word, part });
  }
  for (const [prefix, hint] of PREFIXES) if (prefix.test(names)) hints.push(hint);
  if (isUnseen(names))
    hints.push(ON_PAPER.test(names) ? { word: 'print', part: 'print' } : { word: 'unseen', part: 'unseen' });
  return hints;
}

/** Whether names hide an element, from large screens at least: what only small ones show is said twice. */
function isUnseen(names: string): boolean {
  return HIDDEN.test(names) ? !SHOWN_ON_LARGE.test(names) : ON_SMALL.test(names);
}
