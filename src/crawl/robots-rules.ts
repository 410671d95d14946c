import { pathMatcher } from './robots-path.ts';

/** One `Allow` or `Disallow` line. */
export interface Rule {
  allow: boolean;
  /** @param path from `normalizePath` */
  matches(path: string): boolean;
}

/** What a robots.txt says to one crawler. */
export interface Rules {
  /** In order of precedence: the first that matches decides (RFC 9309 2.2.2). */
  rules: Rule[];
  /** The longest pause that is asked for, in seconds. */
  crawlDelaySeconds: number | undefined;
  /** As they are written. */
  sitemaps: string[];
}

/** Names of lines, with the misspellings that are common enough for the large crawlers to take them. */
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

function* linesOf(text: string): Generator<Line> {
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const content = line.split('#', 1)[0]!;
    const colon = content.indexOf(':');
    const name = content.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const key = Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
    // The address of a sitemap may hold a number sign; nothing else that is kept can.
    if (key) yield [key, (key === 'sitemap' ? line : content).slice(line.indexOf(':') + 1).trim()];
  }
}

/** The name of a crawler without version and remarks, in lower case. */
function productOf(token: string): string {
  return /^[^\s/;(]*/.exec(token.trim())![0].toLowerCase(); // always matches, if only nothing
}

/** The lines for one crawler: those of all groups that name it. */
interface Group {
  named: boolean;
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
 * Reads the text of a robots.txt for one crawler, in one pass: all groups that name it, else those for everyone.
 * Lines that mean nothing are skipped, and do not end the list of crawlers that a group begins with (RFC 9309 2.2.4).
 * @param token the crawler's name; a version behind it does not count
 */
export function parseRules(text: string, token: string): Rules {
  const product = productOf(token);
  const groups: Record<'own' | 'everyone', Group> = {
    own: { named: false, rules: [], delaySeconds: undefined },
    everyone: { named: false, rules: [], delaySeconds: undefined },
  };
  const sitemaps: string[] = [];
  let addressed = new Set<Group>();
  let inRules = false;
  for (const line of linesOf(text)) {
    const [key, value] = line;
    if (key === 'sitemap') {
      if (value !== '') sitemaps.push(value);
    } else if (key === 'agent') {
      if (inRules) addressed = new Set();
      inRules = false;
      const name = productOf(value);
      const group = name === '*' ? groups.everyone : name === product ? groups.own : undefined;
      if (group) {
        group.named = true;
        addressed.add(group);
      }
    } else {
      inRules = true;
      for (const group of addressed) addLine(group, line);
    }
  }
  const { rules, delaySeconds } = groups.own.named ? groups.own : groups.everyone;
  // A longer path is more specific; of equal ones the one that allows wins.
  const ordered = rules.sort((a, b) => b.path.length - a.path.length || Number(b.allow) - Number(a.allow));
  return {
    rules: ordered.map(({ path, allow }) => ({ allow, matches: pathMatcher(path) })),
    crawlDelaySeconds: delaySeconds,
    sitemaps,
  };
}
