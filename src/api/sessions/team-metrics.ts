import { Gauge, type Registry } from 'prom-client';
import { countSessionsByTeam } from '../../storage/db/session-limit.ts';
import type { ApiDeps } from '../http/route.ts';

/**
 * Adds the browser sessions of each team that has any, and how many it may have, to the metrics of an API.
 */
export function measureTeamSessions(
  registry: Registry,
  { db, logger }: Pick<ApiDeps, 'db' | 'logger'>,
): void {
  new Gauge({
    name: 'winnow_team_sessions',
    help: 'Browser sessions on all hosts of each team that has any now (of="active"), and how many it may have at once (of="limit")',
    labelNames: ['team', 'of'],
    registers: [registry],
    async collect() {
      this.reset();
      try {
        for (const { team, active, limit } of await countSessionsByTeam(db)) {
          this.set({ team, of: 'active' }, active);
          this.set({ team, of: 'limit' }, limit);
        }
      } catch (error) {
        // The other metrics are needed most while the database does not respond.
        logger.warn({ err: error }, 'the browser sessions of teams were not counted for the metrics');
      }
    },
  });
}
