import { type BrowserContextOptions, type CDPSession, devices } from 'playwright-core';
import { MOBILE_USER_AGENT, USER_AGENT } from '../net/user-agent.ts';

/** What a page may learn of its visitor. */
export interface Appearance {
  mobile: boolean;
  skipTlsVerification: boolean;
  /** BCP 47 tags, the favourite first; at least one. */
  languages: string[];
  /** Where the visitor says to be; as the machine has it, if nowhere. */
  place?: { timezone: string; latitude: number; longitude: number };
}

const VERSION = /Chrome\/(\d+)/.exec(USER_AGENT)?.[1] ?? '';
/** The second one is GREASE: sites must not rely on the list (UA Client Hints 6.2). */
const BRANDS = [
  ['Chromium', VERSION],
  ['Not:A-Brand', '8'],
] as const;

/** The context that a page is opened in. */
export function contextOptions(seen: Appearance): BrowserContextOptions {
  const { defaultBrowserType: _, ...pixel } = devices['Pixel 7']!;
  const { place } = seen;
  return {
    ...(seen.mobile ? { ...pixel, userAgent: MOBILE_USER_AGENT } : { userAgent: USER_AGENT }),
    ...(!seen.mobile && { viewport: { width: 1280, height: 800 } }),
    ...(place && { timezoneId: place.timezone, permissions: ['geolocation'] }),
    ...(place && { geolocation: { latitude: place.latitude, longitude: place.longitude } }),
    ignoreHTTPSErrors: seen.skipTlsVerification,
    locale: seen.languages[0]!,
    serviceWorkers: 'block',
    acceptDownloads: false,
  };
}

/** Makes languages and client hints say what the user agent says; by themselves they name a headless browser. */
export async function wearDevice(session: CDPSession, { mobile, languages }: Appearance): Promise<void> {
  const list = (zeros: string) => BRANDS.map(([brand, version]) => ({ brand, version: version + zeros }));
  await session.send('Emulation.setUserAgentOverride', {
    userAgent: mobile ? MOBILE_USER_AGENT : USER_AGENT,
    acceptLanguage: languages.join(','),
    platform: mobile ? 'Linux armv81' : 'Linux x86_64',
    userAgentMetadata: {
      brands: list(''),
      fullVersionList: list('.0.0.0'),
      mobile,
      ...(mobile
        ? { platform: 'Android', platformVersion: '15', architecture: '', bitness: '', model: 'Pixel 9' }
        : { platform: 'Linux', platformVersion: '', architecture: 'x86', bitness: '64', model: '' }),
    },
  });
}
