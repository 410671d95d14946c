import type { Document, Element } from 'domhandler';
import type { Measures } from '../page-index/element-measures.ts';
import { type PageSignals, readPageSignals } from './page-signals.ts';
import {
  findOffers,
  hasOutlineAndCode,
  isReference,
  type PageStructure,
  readPageStructure,
} from './page-structure.ts';

/**
 * Types of pages that are filtered in different ways. `service` is the type of all pages that match no rule.
 */
export type PageType = (typeof PAGE_TYPES)[number];
export const PAGE_TYPES = ['article', 'documentation', 'forum', 'product', 'listing', 'service'] as const;

/** A rule that assigns a page type if any of its patterns or tests matches. The first matching rule decides. */
interface TypeRule {
  type: PageType;
  /** Matches a schema.org type in JSON-LD or microdata. */
  schema?: RegExp;
  /** Matches `og:type`. */
  openGraph?: RegExp;
  generator?: RegExp;
  bodyClass?: RegExp;
  flag?: 'isPublished' | 'hasPrice';
  /** Tells the type by what the page is made of. */
  structure?(page: PageStructure, signals: PageSignals): boolean;
}

/**
 * Body classes and ids of shop software: WooCommerce, Shopify, Magento, PrestaShop, Shopware, OpenCart,
 * Salesforce Commerce and conventions of many themes.
 */
const PRODUCT_CLASSES =
  / (single-product|(template-|page-|#)product|catalog-product-view|is-ctl-product|product-product-\d+|(\S*[-_])?pdp([-_]\S*)?|product-(detail|page)\S*) /;
const LISTING_CLASSES =
  / (tax-product_\S+|post-type-archive-product|woocommerce-shop|template-collection|catalog-category-view|catalogsearch-result-index|(page-|#)category|is-ctl-navigation|product-(category-\S+|listing-page|search-result)|pt_(product-search-result|categorylanding)|(\S*[-_])?plp([-_]\S*)?|pagetype-category|category-(layout|page)) /;

/**
 * Ordered by reliability: what the page declares about its subject, what it is made of, the names that software leaves in
 * it, and declarations that are often wrong. The URL tells nothing: the same page elsewhere has the same content.
 */
const TYPE_RULES: TypeRule[] = [
  { type: 'forum', schema: /^(DiscussionForumPosting|QAPage)$/ },
  { type: 'product', openGraph: /^product(\.item)?$/, flag: 'hasPrice' },
  { type: 'article', schema: /^(NewsArticle|BlogPosting)$/ },
  { type: 'documentation', schema: /^TechArticle$/ },
  { type: 'product', structure: (page) => findOffers(page) === 'product' },
  { type: 'listing', structure: (page) => findOffers(page) === 'listing' },
  {
    type: 'documentation',
    structure: (page, signals) =>
      page.isManual || isReference(page) || (hasOutlineAndCode(page) && !declaresArticle(signals)),
  },
  { type: 'forum', generator: /discourse|phpbb|xenforo|vbulletin|invision/ },
  { type: 'article', bodyClass: / single-(post|format-\S+) / },
  { type: 'product', bodyClass: PRODUCT_CLASSES },
  { type: 'listing', bodyClass: LISTING_CLASSES },
  {
    type: 'documentation',
    generator:
      /sphinx|docutils|docusaurus|mkdocs|mediawiki|readthedocs|docsearch|javadoc|doxygen|rustdoc|mintlify|gitbook|vitepress|starlight|antora|docfx|docbook|asciidoc|texi2any|texi2html|makeinfo|gtk-doc|haddock|latex2html|mandoc|man2html/,
    bodyClass: / (mediawiki|rustdoc|wy-body-for-nav|docs-wrapper) /,
  },
  // WordPress marks every page as an article.
  {
    type: 'service',
    bodyClass: / (page-id-\d+|page-template(-\S+)?|single-(service|services|solution|solutions)) /,
  },
  { type: 'article', schema: /^Article$/, flag: 'isPublished' },
  {
    type: 'listing',
    schema: /^(CollectionPage|SomeProducts)$/,
    openGraph: /^product[.:]group$/,
    bodyClass: / (archive|category) /,
  },
  { type: 'product', schema: /^Product(Group)?$/ },
  { type: 'listing', schema: /^ItemList$/ },
  { type: 'article', openGraph: /^article$/ },
];

/** Whether a page says that it is an article, as most pages of a blog do. */
const declaresArticle = ({ schemaTypes, isPublished, openGraph }: PageSignals) =>
  schemaTypes.has('Article') || isPublished || openGraph === 'article';

/** The type of a page by what it declares and what it is made of. */
export function detectPageType(page: Document, body: Element, measures: Measures): PageType {
  const signals = readPageSignals(page);
  const structure = readPageStructure(body, measures);
  return TYPE_RULES.find((rule) => matchesRule(rule, signals, structure))?.type ?? 'service';
}

function matchesRule(rule: TypeRule, signals: PageSignals, structure: PageStructure): boolean {
  const matches = (name: 'openGraph' | 'generator' | 'bodyClass') => rule[name]?.test(signals[name]) ?? false;
  return (
    [...signals.schemaTypes].some((type) => rule.schema?.test(type)) ||
    matches('openGraph') ||
    matches('generator') ||
    matches('bodyClass') ||
    (rule.flag !== undefined && signals[rule.flag]) ||
    (rule.structure?.(structure, signals) ?? false)
  );
}
