import { deleteProfileResponse, profileParams, profilesResponse } from '../schemas/profile.ts';
import { deleteProfile, listProfiles } from '../storage/db/teams/profiles.ts';
import { defineRoute } from './http/route.ts';

/**
 * The routes of browser profiles. Profiles are created by scrapes and sessions, whose two paths they have
 * too.
 */
export const profileRoutes = (['/v2/browser', '/v2/interact'] as const).flatMap((base) => [
  defineRoute({
    tag: 'Profiles',
    method: 'get',
    path: `${base}/profiles`,
    summary: 'List the browser profiles of the team with their size and last use',
    response: profilesResponse,
    errors: [],
    rateLimited: false,
    async handler({ caller: { teamId } }, { db }) {
      const profiles = await listProfiles(db, teamId);
      return {
        success: true,
        data: profiles.map(({ name, bytes, created_at, saved_at, used_at }) => ({
          name,
          bytes,
          createdAt: created_at.toISOString(),
          savedAt: saved_at?.toISOString() ?? null,
          lastUsedAt: used_at.toISOString(),
        })),
      };
    },
  }),
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
]);
