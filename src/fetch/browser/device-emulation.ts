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

/** The value of `navigator.platform` on phones. */
const PHONE_PLATFORM = 'Linux armv81';

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

/** The locale by which a browser formats numbers and dates unless it is emulated. */
const OWN_LOCALE = 'en-US';

/** What is made to see the visitor of a session. Workers have no screen, position or dialogs. */
export type EmulatedTarget = 'page' | 'iframe' | 'worker';

/**
 * Makes a page, frame or worker of a browser that was started with the flags of a visitor see the rest of that
 * visitor. What the browser has by itself is left alone, so that its clients can emulate another time zone or locale.
 * @param options.ownTimezone IANA name of the time zone in which the browser was started
 */
export async function emulateVisitor(
  session: Session,
  appearance: Appearance,
  { target, ownTimezone }: { target: EmulatedTarget; ownTimezone: string },
): Promise<void> {
  const { mobile, languages, timezone: timezoneId, position, skipTlsVerification } = appearance;
  const [locale = OWN_LOCALE] = languages;
  const isPage = target !== 'worker';
  await Promise.all([
    session.send('Emulation.setUserAgentOverride', {
      ...userAgentOverride(appearance),
      acceptLanguage: languages.join(','),
    }),
    locale !== OWN_LOCALE && ignoreAlreadySet(session.send('Emulation.setLocaleOverride', { locale })),
    timezoneId !== ownTimezone &&
      ignoreAlreadySet(session.send('Emulation.setTimezoneOverride', { timezoneId })),
    isPage && mobile && session.send('Emulation.setTouchEmulationEnabled', { enabled: true }),
    isPage && position && session.send('Emulation.setGeolocationOverride', { ...position, accuracy: 10 }),
    isPage && skipTlsVerification && session.send('Security.setIgnoreCertificateErrors', { ignore: true }),
    mobile && emulatePlatform(session, target),
    target === 'page' && mobile && setViewport(session, appearance, defaultViewport(appearance)),
  ]);
}

/**
 * Makes scripts see the platform of a phone. Chromium forgets the one of its own emulation when a page changes its
 * process while other clients are attached, and has none for workers.
 */
async function emulatePlatform(session: Session, target: EmulatedTarget): Promise<void> {
  const source = `Object.defineProperty(Object.getPrototypeOf(navigator), 'platform', { get: () => '${PHONE_PLATFORM}' })`;
  if (target === 'worker') await session.send('Runtime.evaluate', { expression: source });
  else {
    // Otherwise Chromium keeps the script but runs it in no further document.
    const enabled = session.send('Page.enable');
    await session.send('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true });
    await enabled;
  }
}

/** User agent, platform and, for Chrome only, client hints. */
function userAgentOverride({ userAgent, mobile }: Appearance) {
  const platform = mobile ? PHONE_PLATFORM : 'Linux x86_64';
  const version = chromeVersion(userAgent);
  if (!version) return { userAgent, platform };
  const device = mobile
    ? { platform: 'Android', platformVersion: '15', architecture: '', bitness: '', model: 'Pixel 9' }
    : { platform: 'Linux', platformVersion: '', architecture: 'x86', bitness: '64', model: '' };
  return {
    userAgent,
    platform,
    userAgentMetadata: { ...brandsOf(version), mobile, ...device },
  };
}

/** The major version of Chrome that a user agent names; `undefined` if it names none. */
export const chromeVersion = (userAgent: string): string | undefined => /Chrome\/(\d+)/.exec(userAgent)?.[1];

/** The brands of client hints; by default they name a headless browser. @param version major version of Chrome */
export function brandsOf(version: string) {
  const brands = [['Chromium', version] as const, GREASE_BRAND];
  const list = (zeros: string) => brands.map(([brand, major]) => ({ brand, version: major + zeros }));
  return { brands: list(''), fullVersionList: list('.0.0.0') };
}

const ignoreAlreadySet = (setting: Promise<unknown>) =>
  setting.catch((error: Error) => {
    if (!/already in effect/.test(error.message)) throw error;
  });
