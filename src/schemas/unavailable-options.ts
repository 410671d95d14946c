import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { withOnlyKeywords } from '../json/schema-keywords.ts';

/** The error code of a request with an option that is not available. */
const codeOf = (name: string): ErrorCode =>
  name === 'threatProtection' ? 'FORBIDDEN' : 'FEATURE_NOT_AVAILABLE';

/**
 * Describes an option that the API defines but this version does not implement; {@link refuseUnavailable}
 * refuses it.
 * @param accepted the JSON Schema of the values that switch it off; without it, the option is always refused
 */
export const describeUnavailable = <Option extends z.ZodType>(
  name: string,
  option: Option,
  accepted: Record<string, unknown> = { not: {} },
): Option => withOnlyKeywords(option, { description: refusalOf(name, 'not' in accepted), ...accepted });

/** The description of an option that is not available. */
export const refusalOf = (name: string, isAlwaysRefused = false): string =>
  `not available in this version: ${isAlwaysRefused ? 'every value' : 'any other value'} is refused with \`${codeOf(name)}\``;

/**
 * Refuses options that the API defines but this version does not implement. They are not ignored, because a
 * caller may rely on the protection that such an option promises. `threatProtection` gets HTTP 403, as in the
 * API that clients know.
 * @param requested names of these options, with whether the request contains them
 */
export function refuseUnavailable(requested: Record<string, boolean>, context: z.RefinementCtx): void {
  for (const [name, isRequested] of Object.entries(requested)) {
    if (!isRequested) continue;
    context.addIssue({
      code: 'custom',
      path: [],
      message: `${name} is not available in this version of Winnow. Leave it out and try again.`,
      params: { code: codeOf(name) },
    });
  }
}

/** Whether the option `threatProtection` of a request switches it on. */
export const requestsThreatProtection = (option: { mode?: string | undefined } | undefined): boolean =>
  option !== undefined && option.mode !== 'off';

/**
 * Refuses a request for data of a marketplace, which official clients can send.
 * @param path the place of the request
 * @param advice what to send instead, as a sentence
 */
export const refuseMarketplace = (path: string[], advice: string, context: z.RefinementCtx): void =>
  context.addIssue({
    code: 'custom',
    path,
    message: `alexandria is not enabled on this service. ${advice}`,
    params: { code: 'exchange_not_enabled' },
    input: undefined,
  });
