import type { Snapshot } from '../snapshot.ts';

/** With these a site says that it does not want this visitor, or not so many of them. */
const REFUSALS = new Set([401, 403, 429]);
/** A challenge is a small page. */
const MOST_CHARACTERS = 100_000;

/**
 * What only the pages that stand in for others have in them. Scripts of the same makers run on pages that are let
 * through too, so their mere presence says nothing.
 */
const CHALLENGES = [
  // Cloudflare: "Just a moment...", and its block page.
  /_cf_chl_opt|id=["']?challenge-(?:form|running|error-text)["'\s>]|<title>attention required! \| cloudflare</i,
  // DataDome
  /(?:geo|ct)\.captcha-delivery\.com/i,
  // PerimeterX (HUMAN)
  /id=["']?px-captcha["'\s>]|captcha\.px-c(?:dn|loud)\.net|_pxUuid\s*=[^;]{0,100};[\s\S]{0,500}_pxVid/,
  // Imperva: the frame of the incident, not the script that all its pages have.
  /request unsuccessful\. incapsula incident id|<iframe[^>]{0,200}_Incapsula_Resource/i,
  // AWS WAF
  /window\.gokuProps\s*=|AwsWafIntegration\.(?:checkForceRefresh|saveReferrer)/,
  // Akamai
  /<title>access denied<\/title>[\s\S]{0,2000}errors\.edgesuite\.net|sec-if-cpt-container/i,
  // Kasada
  /window\.KPSDK\s*=\s*\{\}[\s\S]{0,500}ips\.js/,
];
/** A captcha is on many forms: it stands in for the page where hardly anything else is on it but such words. */
const CAPTCHA = /class=["']?[^"'>]{0,100}\b(?:g-recaptcha|h-captcha|cf-turnstile|frc-captcha)\b/i;
const ARE_YOU_HUMAN =
  /(?:verify|confirm|prove|check(?:ing)?)\s+(?:that\s+|if\s+)?you(?:['’]re|\s+are)\s+(?:a\s+|not\s+a\s+)?(?:human|robot)|are you (?:a )?(?:human|robot)|unusual traffic/i;
const CAPTCHA_PAGE_CHARACTERS = 20_000;

/** Whether a page is a test of its visitor that stands in for the page asked for, whatever its status. */
export function isChallenge({ kind, text }: Pick<Snapshot, 'kind' | 'text'>): boolean {
  if (kind !== 'html' || text.length > MOST_CHARACTERS) return false;
  if (CHALLENGES.some((marker) => marker.test(text))) return true;
  return text.length <= CAPTCHA_PAGE_CHARACTERS && CAPTCHA.test(text) && ARE_YOU_HUMAN.test(text);
}

/** Whether the site did not let us in. */
export function isWall(snapshot: Snapshot): boolean {
  return REFUSALS.has(snapshot.statusCode) || isChallenge(snapshot);
}
