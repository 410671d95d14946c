import type { z } from 'zod';

/**
 * Refuses options that the API defines but this version does not implement. They are not ignored, because a
 * caller may rely on the protection that such an option promises. `threatProtection` gets HTTP 403, as in the API
 * that clients know.
 * @param requested names of these options, with whether the request contains them
 */
export function refuseUnavailable(requested: Record<string, boolean>, context: z.RefinementCtx): void {
  for (const [name, isRequested] of Object.entries(requested)) {
    if (!isRequested) continue;
    context.addIssue({
      code: 'custom',
      path: [],
      message: `${name} is not available in this version of Winnow. Leave it out and try again.`,
      params: { code: name === 'threatProtection' ? 'FORBIDDEN' : 'FEATURE_NOT_AVAILABLE' },
    });
  }
}

/** Whether the option `threatProtection` of a request switches it on. */
export const requestsThreatProtection = (option: { mode?: string | undefined } | undefined): boolean =>
  option !== undefined && option.mode !== 'off';
