import { pathMatcher } from './path-pattern.ts';

/** One `Allow` or `Disallow` line. */
export interface PathRule {
  allow: boolean;
  /** @param path from `normalizePath` */
  matches(path: string): boolean;
}

/** The rules of a robots.txt for one crawler. */
export interface RobotsDirectives {
  /** The rules in order of precedence: the first one that matches decides (RFC 9309 2.2.2). */
  rules: PathRule[];
  /** The longest `Crawl-delay` of the group, in seconds. */
  crawlDelaySeconds: number | undefined;
  /** The URLs of all `Sitemap` lines, as written. */
  sitemaps: string[];
}

/** The keys of lines, including common misspellings that large crawlers accept too. */
const KEYS: Record<string, 'agent' | 'allow' | 'disallow' | 'delay' | 'sitemap'> = {
  'user-agent': 'agent',
  useragent: 'agent',
  'user agent': 'agent',
  allow: 'allow',
  disallow: 'disallow',
  dissallow: 'disallow',
  dissalow: 'disallow',
  disalow: 'disallow',
  diasllow: 'disallow',
  disallaw: 'disallow',
  'crawl-delay': 'delay',
  crawldelay: 'delay',
  'crawl delay': 'delay',
  sitemap: 'sitemap',
  'site-map': 'sitemap',
};

type Line = [key: (typeof KEYS)[string], value: string];

function* parseLines(text: string): Generator<Line> {
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const content = line.split('#', 1)[0]!;
    const colon = content.indexOf(':');
    const name = content.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const key = Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
    // The URL of a sitemap may contain a number sign; on all other lines it starts a comment.
    if (key) yield [key, (key === 'sitemap' ? line : content).slice(line.indexOf(':') + 1).trim()];
  }
}

/** The name of a crawler in lower case, without its version and comments. */
function productToken(token: string): string {
  return /^[^\s/;(]*/.exec(token.trim())![0].toLowerCase(); // always matches, possibly an empty text
}

/** The rules for one crawler, merged from all groups that name it. */
interface Group {
  isPresent: boolean;
  rules: { path: string; allow: boolean }[];
  delaySeconds: number | undefined;
}

function addLine(group: Group, [key, value]: Line): void {
  if (key === 'delay') {
    const seconds = Number(value);
    if (seconds > 0) group.delaySeconds = Math.max(seconds, group.delaySeconds ?? 0);
  } else if (value !== '') {
    group.rules.push({ path: /^[/*]/.test(value) ? value : `/${value}`, allow: key === 'allow' });
  }
}

/**
 * Parses a robots.txt for one crawler in one pass. The rules come from all groups that name the crawler; if
 * there are none, from the groups for all crawlers (`*`). Unknown lines are skipped and do not end the list
 * of crawlers at the beginning of a group (RFC 9309 2.2.4).
 * @param token the crawler's name; a version after it is ignored
 */
export function parseDirectives(text: string, token: string): RobotsDirectives {
  const product = productToken(token);
  const groups: Record<'own' | 'everyone', Group> = {
    own: { isPresent: false, rules: [], delaySeconds: undefined },
    everyone: { isPresent: false, rules: [], delaySeconds: undefined },
  };
  const sitemaps: string[] = [];
  let currentGroups = new Set<Group>();
  let inRules = false;
  for (const line of parseLines(text)) {
    const [key, value] = line;
    if (key === 'sitemap') {
      if (value !== '') sitemaps.push(value);
    } else if (key === 'agent') {
      if (inRules) currentGroups = new Set();
      inRules = false;
      const name = productToken(value);
      const group = name === '*' ? groups.everyone : name === product ? groups.own : undefined;
      if (group) {
        group.isPresent = true;
        currentGroups.add(group);
      }
    } else {
      inRules = true;
      for (const group of currentGroups) addLine(group, line);
    }
  }
  const { rules, delaySeconds } = groups.own.isPresent ? groups.own : groups.everyone;
  // A longer path is more specific. Between paths of equal length, the rule that allows takes precedence.
  const ordered = rules.sort((a, b) => b.path.length - a.path.length || Number(b.allow) - Number(a.allow));
  return {
    rules: ordered.map(({ path, allow }) => ({ allow, matches: pathMatcher(path) })),
    crawlDelaySeconds: delaySeconds,
    sitemaps,
  };
}
