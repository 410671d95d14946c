/** The reasons why a crawl leaves out a URL, each with a sentence for the user. */
export const SKIP_REASONS = {
  unparsable: 'The link is no address, or one of more than 8,192 characters.',
  scheme:
    'The link is no web page: only http and https are crawled, not mailto, tel, javascript and the like.',
  anchor: 'The link leads to a place in the page that it stands on.',
  depth: 'The page is more clicks away from the start than maxDiscoveryDepth allows.',
  external: 'The page is of another site. Set allowExternalLinks to crawl pages that the site links to.',
  subdomain:
    'The page is of another host of the same domain. Set allowSubdomains to crawl all hosts of the domain.',
  externalHomepage:
    'The link leads to the home page of another site. With allowExternalLinks only single pages of other sites are crawled.',
  externalHop: 'The link stands on a page of another site. Links of such pages are not followed.',
  socialMedia:
    'The page is of a social network or a similar service, which are never crawled from other sites.',
  startPath:
    'The page is not below the path of the start address. Set crawlEntireDomain to crawl the whole site.',
  excluded: 'The address matches a pattern of excludePaths.',
  notIncluded: 'The address matches no pattern of includePaths.',
  fileType:
    'The ending of the address is that of a file that has no text: an image, a font, an archive, a program.',
  robots:
    'The robots.txt of the host does not allow this page. Set ignoreRobotsTxt if you may crawl it all the same.',
  trap: 'The address looks like one of an endless series, such as a calendar or combined filters.',
} as const;

/**
 * The name of a reason. `robots` and `trap` come from robots.txt and the trap guard; all others from the
 * scope.
 */
export type SkipReason = keyof typeof SKIP_REASONS;
