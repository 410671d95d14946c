import type { Document } from 'domhandler';
import { type PageSignals, readPageSignals } from './page-signals.ts';

/**
 * Types of pages that are filtered in different ways. `service` is the type of all pages that match no rule.
 */
export type PageType = (typeof PAGE_TYPES)[number];
export const PAGE_TYPES = ['article', 'documentation', 'forum', 'product', 'listing', 'service'] as const;

/** A rule that assigns a page type if any of its patterns matches. The first matching rule decides. */
interface TypeRule {
  type: PageType;
  /** Matches a schema.org type in JSON-LD or microdata. */
  schema?: RegExp;
  /** Matches `og:type`. */
  openGraph?: RegExp;
  generator?: RegExp;
  host?: RegExp;
  path?: RegExp;
  bodyClass?: RegExp;
  flag?: 'isPublished' | 'hasPrice';
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
 * Ordered by reliability: software and structured data first, then URLs, then signals that are often wrong.
 */
const TYPE_RULES: TypeRule[] = [
  {
    type: 'forum',
    schema: /^(DiscussionForumPosting|QAPage)$/,
    generator: /discourse|phpbb|xenforo|vbulletin|invision/,
    host: /^(forums?|community|discuss|bbs|boards)\.|\w{3,}-?forums?\.\w+$/,
    path: /\/(forums?|threads?|topic\/\d[^/]*|discussions?|comments|viewtopic\.php|showthread\.php|t(\/[^/]+)?\/\d+)(\/|$)/,
  },
  { type: 'article', bodyClass: / single-(post|format-\S+) / },
  { type: 'product', bodyClass: PRODUCT_CLASSES },
  { type: 'listing', bodyClass: LISTING_CLASSES },
  { type: 'product', openGraph: /^product(\.item)?$/, flag: 'hasPrice' },
  { type: 'article', schema: /^(NewsArticle|BlogPosting)$/ },
  {
    type: 'documentation',
    schema: /^TechArticle$/,
    generator:
      /sphinx|docusaurus|mkdocs|mediawiki|readthedocs|docsearch|javadoc|doxygen|rustdoc|mintlify|gitbook|vitepress|starlight|antora|docfx/,
    bodyClass: / (mediawiki|rustdoc|wy-body-for-nav|docs-wrapper) /,
    host: /^(docs?|wiki|devdocs|developer)\./,
    path: /\/(docs?|documentation|reference|api|manual|handbook|wiki|tutorials?)\//,
  },
  // WordPress marks every page as an article.
  {
    type: 'service',
    bodyClass: / (page-id-\d+|page-template(-\S+)?|single-(service|services|solution|solutions)) /,
  },
  {
    type: 'article',
    schema: /^Article$/,
    path: /\/(blogs?|articles?|news|posts?|story|insights)\/.|\/(19|20)\d\d\/\d\d?\//,
    flag: 'isPublished',
  },
  { type: 'product', path: /\/(product|pdp)\/./ },
  {
    type: 'listing',
    schema: /^(CollectionPage|SomeProducts)$/,
    openGraph: /^product[.:]group$/,
    path: /\/(collections?|category|categories|browse|c|topics?|tag)\//,
    bodyClass: / (archive|category) /,
  },
  { type: 'product', schema: /^Product(Group)?$/, path: /\/(products?|itm|dp|p)\/./ },
  { type: 'listing', schema: /^ItemList$/ },
  { type: 'service', path: /\/services?\// },
  { type: 'article', openGraph: /^article$/ },
];
/** On a front page these signals describe the site as a whole, so they are ignored. */
const IGNORED_ON_FRONT_PAGES = new Set<keyof TypeRule>(['path', 'openGraph', 'flag']);

/** The type of a page by its signals and its URL. */
export function detectPageType(page: Document, url: string): PageType {
  const signals = readPageSignals(page, url);
  return TYPE_RULES.find((rule) => matchesRule(rule, signals))?.type ?? 'service';
}

function matchesRule(rule: TypeRule, signals: PageSignals): boolean {
  const matches = (name: 'openGraph' | 'generator' | 'host' | 'path' | 'bodyClass') =>
    !(signals.isFrontPage && IGNORED_ON_FRONT_PAGES.has(name)) && (rule[name]?.test(signals[name]) ?? false);
  return (
    [...signals.schemaTypes].some((type) => rule.schema?.test(type)) ||
    matches('openGraph') ||
    matches('generator') ||
    matches('host') ||
    matches('path') ||
    matches('bodyClass') ||
    (rule.flag !== undefined && !signals.isFrontPage && signals[rule.flag])
  );
}
