import type { IncomingMessage } from 'node:http';
import { Gauge } from 'prom-client';
import { ServiceError } from '../../errors.ts';
import { countSessionsByTeam } from '../../storage/db/session-limit.ts';
import { findFirstTeam } from '../../storage/db/teams/teams.ts';
import { createMetrics } from '../../system/health.ts';
import type { Authenticate } from '../http/auth.ts';
import type { ApiDeps } from '../http/route.ts';

/**
 * Measures the browser sessions of each team that has any, and how many it may have. The names of teams are
 * for the operator only, so the metrics are for requests with a key of the first team.
 * @returns the metrics for a request, in the format of Prometheus; empty for everyone else
 */
export function createTeamMetrics(
  { db, logger }: Pick<ApiDeps, 'db' | 'logger'>,
  { authenticate, authRequired }: { authenticate: Authenticate; authRequired: boolean },
): (request: IncomingMessage) => Promise<string> {
  const registry = createMetrics('api', { withProcess: false });
  new Gauge({
    name: 'winnow_team_sessions',
    help: 'Browser sessions on all hosts of each team that has any now (of="active"), and how many it may have at once (of="limit")',
    labelNames: ['team', 'of'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { team, active, limit } of await countSessionsByTeam(db)) {
        this.set({ team, of: 'active' }, active);
        this.set({ team, of: 'limit' }, limit);
      }
    },
  });

  const isOperator = async (authorization: string | undefined): Promise<boolean> => {
    if (authRequired && authorization === undefined) return false;
    const [caller, first] = await Promise.all([
      authenticate(authorization).catch((error) => {
        if (error instanceof ServiceError && error.code === 'UNAUTHORIZED') return undefined;
        throw error;
      }),
      findFirstTeam(db),
    ]);
    return caller !== undefined && caller.teamId === first?.teamId;
  };
  return async ({ headers }) => {
    try {
      return (await isOperator(headers.authorization)) ? await registry.metrics() : '';
    } catch (error) {
      // The other metrics are needed most while the database does not respond.
      logger.warn({ err: error }, 'the browser sessions of teams were not counted for the metrics');
      return '';
    }
  };
}
