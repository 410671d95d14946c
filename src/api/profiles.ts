import { deleteProfile } from '../db/teams/profiles.ts';
import { deleteProfileResponse, profileParams } from '../schemas/profile.ts';
import { defineRoute } from './http/route.ts';

/** The route that deletes browser profiles. Profiles are created by scrapes. */
export const profileRoutes = [
  defineRoute({
    tag: 'Profiles',
    method: 'delete',
    path: '/v2/browser/profiles/:name',
    summary: 'Delete a browser profile with its content',
    params: profileParams,
    response: deleteProfileResponse,
    errors: ['NOT_FOUND'],
    async handler({ caller: { teamId }, params }, { db }) {
      await deleteProfile(db, { teamId, name: params.name });
      return { success: true };
    },
  }),
];
