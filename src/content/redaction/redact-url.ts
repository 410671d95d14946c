import { covers, type Redaction, urlReplacementOf } from './redaction.ts';

/** E-mail addresses in URLs, whose at sign may be encoded. The login of a URL is none. */
const EMAIL =
  /(?<![\p{L}\p{N}._+%-])(?<!\/\/[^/]{0,64})[\p{L}\p{N}_](?:[\p{L}\p{N}._+-]|%2[bB]){0,62}(?:@|%40)[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62}\.){1,5}\p{L}{2,24}(?![\p{L}\p{N}])/gu;
const FILE = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|m?js|json|html?|php|woff2?)$/i;
/** Schemes and sites whose URLs have a telephone number, which is their last part here. */
const PHONE =
  /^((?:tel|sms|callto|fax|facetime|facetime-audio|whatsapp):(?:\/\/send\/?\?phone=)?|https?:\/\/(?:wa\.me\/|api\.whatsapp\.com\/send\/?\?phone=))(\+?[\d\s().%+-]{5,40})/i;

/** Replaces e-mail addresses and telephone numbers in a URL, so that it stays a URL. */
export function redactUrl(url: string, redaction: Redaction): string {
  const { replaceStyle } = redaction;
  const withoutPhone = covers(redaction, 'PHONE')
    ? url.replace(PHONE, (_, before: string, number: string) =>
        before.concat(urlReplacementOf('PHONE', number.length, replaceStyle)),
      )
    : url;
  if (!covers(redaction, 'EMAIL') || !/@|%40/.test(withoutPhone)) return withoutPhone;
  return withoutPhone.replace(EMAIL, (found) =>
    FILE.test(found) ? found : urlReplacementOf('EMAIL', found.length, replaceStyle),
  );
}
