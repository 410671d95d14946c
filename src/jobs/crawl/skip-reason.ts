/** The reasons why a crawl leaves out a URL, each with a message for the user. */
export const SKIP_REASONS = {
  unparsable: 'The link is not a valid URL, or it is longer than 8,192 characters.',
  scheme: 'The link does not lead to a web page. Only http and https URLs are crawled.',
  anchor: 'The link leads to another position in the page that contains it.',
  depth: 'The page is more links away from the start page than maxDiscoveryDepth allows.',
  external: 'The page belongs to another site. Set allowExternalLinks to crawl pages that the site links to.',
  subdomain:
    'The page is on another host of the same domain. Set allowSubdomains to crawl all hosts of the domain.',
  externalHomepage:
    'The link leads to the home page of another site. With allowExternalLinks, only other pages of external sites are crawled.',
  externalHop: 'The link is on a page of another site. Links on such pages are not followed.',
  socialMedia:
    'The page belongs to a social network or a similar service. A crawl of another site never includes such pages.',
  startPath:
    'The page is not below the path of the start URL. Set crawlEntireDomain to crawl the whole site.',
  excluded: 'The URL matches a pattern of excludePaths.',
  notIncluded: 'The URL matches no pattern of includePaths.',
  unmatched:
    'Comparing the URL with includePaths and excludePaths takes too much work. Use fewer or simpler patterns.',
  fileType:
    'The URL has the extension of a file without text, such as an image, a font, an archive or a program.',
  robots:
    'The robots.txt of the host disallows this page. Set ignoreRobotsTxt if you are allowed to crawl it anyway.',
  trap: 'The URL looks like one of an endless series, such as a calendar or combined filters.',
} as const;

/**
 * The name of a reason. `robots` and `trap` come from robots.txt and the trap guard; all others from the
 * scope and the patterns.
 */
export type SkipReason = keyof typeof SKIP_REASONS;
