/** Tracking parameters in lower case. They say where a visitor comes from and never change the page. */
const TRACKING = new Set(
  `gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid _ga _gl fbclid fb_action_ids fb_action_types
  fb_ref fb_source msclkid yclid ysclid _openstat twclid ttclid li_fat_id igsh igshid epik ref_src mc_cid mc_eid
  mkt_tok _hsenc _hsmi __hssc __hstc __hsfp hsctatracking vero_id vero_conv oly_anon_id oly_enc_id wickedid
  rb_clickid s_kwcid ef_id trk_contact trk_msg trk_module trk_sid _branch_match_id guccounter guce_referrer
  guce_referrer_sig`.split(/\s+/),
);
const TRACKING_PREFIX = /^(?:utm|pk|mtm|matomo|piwik)_/;

/** Parameters that always hold a visitor's session. */
const SESSION = /^(?:phpsessid|jsessionid|aspsessionid[a-z]*|oscsid|zenid|cfid|cftoken|session_?id|sessid)$/;
/** Names that hold a session only where the value looks like one: `sid=42` may be the id of a story. */
const MAYBE_SESSION = /^(?:sid|s|sess|session)$/;
const OPAQUE = /^(?=.*\d)(?:[0-9a-f]{16,}|[0-9a-z_-]{24,})$/i;

/**
 * Whether a query parameter does not change the page because it is a session or a tracker.
 * @param name percent-encoded name, as in the URL
 * @param value percent-encoded value, as in the URL
 */
export function isIrrelevantParameter(name: string, value: string): boolean {
  const key = name.toLowerCase();
  if (TRACKING.has(key) || TRACKING_PREFIX.test(key) || SESSION.test(key)) return true;
  return MAYBE_SESSION.test(key) && OPAQUE.test(value);
}
