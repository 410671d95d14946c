import type { Document } from 'domhandler';
import { type Claims, claimsOf } from './claims.ts';

/** Kinds of pages that keep their content in different ways; `service` is the one for all others. */
export type PageType = 'article' | 'documentation' | 'forum' | 'product' | 'listing' | 'service';

/** One reason for a type: any of its tests suffices. The first reason that holds decides. */
interface Reason {
  type: PageType;
  /** Of schema.org, in JSON-LD or microdata. */
  schema?: RegExp;
  /** Of `og:type`. */
  openGraph?: RegExp;
  generator?: RegExp;
  host?: RegExp;
  path?: RegExp;
  bodyClass?: RegExp;
  claim?: 'isPublished' | 'hasPrice';
}

/**
 * Classes and ids that shop software gives to the body: WooCommerce, Shopify, Magento, PrestaShop, Shopware, OpenCart,
 * Salesforce Commerce and what many themes have in common.
 */
const PRODUCT_CLASSES =
  / (single-product|(template-|page-|#)product|catalog-product-view|is-ctl-product|product-product-\d+|(\S*[-_])?pdp([-_]\S*)?|product-(detail|page)\S*) /;
const LISTING_CLASSES =
  / (tax-product_\S+|post-type-archive-product|woocommerce-shop|template-collection|catalog-category-view|catalogsearch-result-index|(page-|#)category|is-ctl-navigation|product-(category-\S+|listing-page|search-result)|pt_(product-search-result|categorylanding)|(\S*[-_])?plp([-_]\S*)?|pagetype-category|category-(layout|page)) /;

/** Software and structured data know best, then addresses; what many pages say without meaning it comes last. */
const REASONS: Reason[] = [
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
  { type: 'product', openGraph: /^product(\.item)?$/, claim: 'hasPrice' },
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
  // WordPress calls everything an article.
  {
    type: 'service',
    bodyClass: / (page-id-\d+|page-template(-\S+)?|single-(service|services|solution|solutions)) /,
  },
  {
    type: 'article',
    schema: /^Article$/,
    path: /\/(blogs?|articles?|news|posts?|story|insights)\/.|\/(19|20)\d\d\/\d\d?\//,
    claim: 'isPublished',
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
/** What a site says on its front page about itself as a whole, it says of no single page. */
const NOT_OF_FRONT_PAGES = new Set<keyof Reason>(['path', 'openGraph', 'claim']);

/** What kind of page the page and its address claim that it is. */
export function claimedType(page: Document, url: string): PageType {
  const claims = claimsOf(page, url);
  return REASONS.find((reason) => holds(reason, claims))?.type ?? 'service';
}

function holds(reason: Reason, claims: Claims): boolean {
  const matches = (name: 'openGraph' | 'generator' | 'host' | 'path' | 'bodyClass') =>
    !(claims.isFrontPage && NOT_OF_FRONT_PAGES.has(name)) && (reason[name]?.test(claims[name]) ?? false);
  return (
    [...claims.schema].some((type) => reason.schema?.test(type)) ||
    matches('openGraph') ||
    matches('generator') ||
    matches('host') ||
    matches('path') ||
    matches('bodyClass') ||
    (reason.claim !== undefined && !claims.isFrontPage && claims[reason.claim])
  );
}
