const CHROME = 'Chrome/156.0.0.0';

/** User agent of requests: that of Chrome, followed by the name of this service. */
export const USER_AGENT = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ${CHROME} Safari/537.36 Winnow/0.1`;

/** User agent of requests that emulate a mobile device, unless the operator has set another one for all requests. */
const MOBILE_USER_AGENT = `Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) ${CHROME} Mobile Safari/537.36 Winnow/0.1`;

/**
 * The user agent of a visitor.
 * @param userAgent that of this service, {@link USER_AGENT} unless the operator has set another one
 */
export const userAgentOf = ({ userAgent, mobile }: { userAgent: string; mobile: boolean }): string =>
  mobile && userAgent === USER_AGENT ? MOBILE_USER_AGENT : userAgent;
