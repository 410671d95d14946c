import { deleteProfileResponse, profileParams } from '../schemas/profile.ts';
import { deleteProfile } from '../storage/db/teams/profiles.ts';
import { defineRoute } from './http/route.ts';

/**
 * The routes that delete browser profiles. Profiles are created by scrapes and sessions, whose two paths they
 * have too.
 */
export const profileRoutes = (['/v2/browser', '/v2/interact'] as const).map((base) =>
  defineRoute({
    tag: 'Profiles',
    method: 'delete',
    path: `${base}/profiles/:name`,
    summary: 'Delete a browser profile with its content',
    params: profileParams,
    response: deleteProfileResponse,
    errors: ['NOT_FOUND'],
    async handler({ caller: { teamId }, params }, { db }) {
      await deleteProfile(db, { teamId, name: params.name });
      return { success: true };
    },
  }),
);
