import { comparableHost, isOnAllowedHost } from '../../url/allowed-hosts.ts';
import type { AgentTask } from './task.ts';

/**
 * The URLs that a run may open. They come from the user and from searches of the run. A page cannot name
 * another host; it can only make the model search for one, unless the user allows nothing but the given URLs.
 */
export interface Access {
  /** Hosts, as `isOnAllowedHost` compares them. */
  hosts: readonly string[];
  /** The only URLs that may be opened; `undefined` if every URL of the hosts may be. */
  urls: readonly string[] | undefined;
}

/** URLs and host names as people write them into a text. */
const MENTIONED_URL = /https?:\/\/[^\s"'<>()[\]{}]+/gi;
const MENTIONED_HOST =
  /(?<![\w@/.-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?::\d{2,5})?(?![\w@-])/gi;

/**
 * Finds out which URLs a run may open.
 * @param found the URLs that searches of the run found
 */
export function findAccess(task: AgentTask, found: readonly string[] = []): Access {
  const given = [...task.urls, ...task.sites];
  const named = mentionedUrls(`${task.prompt ?? ''}\n${task.systemPrompt ?? ''}`);
  const urls = task.onlyGivenUrls ? given : [...given, ...named, ...found];
  return {
    hosts: [
      ...new Set([...urls.map(hostOf), ...(task.includesSubdomains ? task.sites.map(withSubdomains) : [])]),
    ],
    urls: task.onlyGivenUrls ? given.map(comparable) : undefined,
  };
}

const hostOf = (url: string) => comparableHost(new URL(url));
const withSubdomains = (url: string) => `*.${hostOf(url)}`;

/** Lists the URLs that a text mentions; a host name without a scheme becomes a URL. */
function mentionedUrls(text: string): string[] {
  const urls = [...text.matchAll(MENTIONED_URL)].map(([url]) => url.replace(/[.,;:!?]+$/, ''));
  const rest = text.replace(MENTIONED_URL, ' ');
  const hosts = [...rest.matchAll(MENTIONED_HOST)].map(([host]) => `http://${host}/`);
  return [...urls, ...hosts].filter((url) => URL.canParse(url));
}

/**
 * Explains why a run may not open a URL.
 * @param task.sites with sites, every page of the hosts may be opened, because their maps choose the pages
 * @returns a sentence for the model; `undefined` if the run may open the URL
 */
export function refusalOf(
  text: string,
  { hosts, urls }: Access,
  { sites }: Pick<AgentTask, 'sites'>,
): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return `${text.slice(0, 200)} is not an http or https URL.`;
  if (url.username || url.password) return 'URLs with a user name or password cannot be opened.';
  if (sites.length > 0 && isOnAllowedHost(url.href, hosts)) return undefined;
  if (urls && !urls.includes(comparable(url.href)))
    return `${url.href} is not one of the URLs that the user gave, and only these may be opened.`;
  if (!isOnAllowedHost(url.href, hosts))
    return `${url.host} may not be opened: neither the user nor a search named this host. Allowed hosts: ${hosts.join(', ') || 'none'}.`;
  return undefined;
}

/** A URL without what does not lead to another page: the fragment and the last slash. */
const comparable = (text: string): string => {
  const url = URL.parse(text);
  if (!url) return text;
  url.hash = '';
  return url.href.replace(/\/$/, '');
};
