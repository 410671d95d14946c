import type { Session } from './chromium/cdp.ts';

/** The properties of a visitor that a page can observe. */
export interface Appearance {
  userAgent: string;
  mobile: boolean;
  skipTlsVerification: boolean;
  /** BCP 47 tags, the favourite first; at least one. */
  languages: string[];
  /** IANA name of the visitor's time zone. */
  timezone: string;
  /** Geolocation in degrees; without it, pages get no position. */
  position?: { latitude: number; longitude: number };
}

/** The screen of Playwright's device descriptor "Pixel 7", whose import would take 60 MB. */
export const PHONE = { viewport: { width: 412, height: 839 }, deviceScaleFactor: 2.625 };

/** GREASE: sites must not rely on the list of brands (UA Client Hints 6.2). */
const GREASE_BRAND = ['Not:A-Brand', '8'] as const;

/** In CSS pixels. */
export interface Size {
  width: number;
  height: number;
}

/** The window of a visitor with a desktop. */
export const DESKTOP_VIEWPORT: Size = { width: 1280, height: 800 };

/** The default window size of a visitor. */
export const defaultViewport = ({ mobile }: Appearance): Size => (mobile ? PHONE.viewport : DESKTOP_VIEWPORT);

/** Sets the window size of a page. */
export async function setViewport(session: Session, { mobile }: Appearance, size: Size): Promise<void> {
  await session.send('Emulation.setDeviceMetricsOverride', {
    ...size,
    screenWidth: size.width,
    screenHeight: size.height,
    mobile,
    deviceScaleFactor: mobile ? PHONE.deviceScaleFactor : 1,
    screenOrientation: mobile
      ? { type: 'portraitPrimary', angle: 0 }
      : { type: 'landscapePrimary', angle: 0 },
  });
}

/** Sets the size of the window that a page is in, which it has without emulation. */
export async function setWindowSize(browser: Session, targetId: string, size: Size): Promise<void> {
  const { windowId } = await browser.send('Browser.getWindowForTarget', { targetId });
  await browser.send('Browser.setContentsSize', { windowId, ...size });
}

/**
 * Makes a page, or a cross-site frame in it, see the given visitor. Languages and client hints are set to
 * agree with the user agent; by default they name a headless browser.
 */
export async function emulateDevice(session: Session, appearance: Appearance): Promise<void> {
  const { mobile, languages, timezone, position, skipTlsVerification } = appearance;
  await Promise.all([
    session.send('Emulation.setUserAgentOverride', {
      ...userAgentOverride(appearance),
      acceptLanguage: languages.join(','),
    }),
    session.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
    skipTlsVerification && session.send('Security.setIgnoreCertificateErrors', { ignore: true }),
    mobile && session.send('Emulation.setTouchEmulationEnabled', { enabled: true }),
    position && session.send('Emulation.setGeolocationOverride', { ...position, accuracy: 10 }),
    // These settings belong to the process, and a second frame in the process may not set them again.
    ignoreAlreadySet(session.send('Emulation.setLocaleOverride', { locale: languages[0]! })),
    ignoreAlreadySet(session.send('Emulation.setTimezoneOverride', { timezoneId: timezone })),
  ]);
}

/** User agent, platform and, for Chrome only, client hints. */
function userAgentOverride({ userAgent, mobile }: Appearance) {
  const platform = mobile ? 'Linux armv81' : 'Linux x86_64';
  const version = /Chrome\/(\d+)/.exec(userAgent)?.[1];
  if (!version) return { userAgent, platform };
  const brands = [['Chromium', version] as const, GREASE_BRAND];
  const list = (zeros: string) => brands.map(([brand, major]) => ({ brand, version: major + zeros }));
  const device = mobile
    ? { platform: 'Android', platformVersion: '15', architecture: '', bitness: '', model: 'Pixel 9' }
    : { platform: 'Linux', platformVersion: '', architecture: 'x86', bitness: '64', model: '' };
  return {
    userAgent,
    platform,
    userAgentMetadata: { brands: list(''), fullVersionList: list('.0.0.0'), mobile, ...device },
  };
}

const ignoreAlreadySet = (setting: Promise<unknown>) =>
  setting.catch((error: Error) => {
    if (!/already in effect/.test(error.message)) throw error;
  });
