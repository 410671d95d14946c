import { Counter, Gauge, type Registry } from 'prom-client';
import { watchNewestBackup } from '../../backup/daily-backups.ts';
import type { BackupPlace } from '../../backup/places/backup-place.ts';
import type { DocumentConverter } from '../../content/parsers/conversion/document-converter.ts';
import type { RenderPool } from '../../content/rendering/render-pool.ts';
import { MAX_OPEN_PAGES } from '../../fetch/browser/chromium/open-pages.ts';
import { refusedConnections } from '../../fetch/net/checked-egress.ts';
import { sentMails } from '../../jobs/monitors/mail/send-mails.ts';
import { deliveries } from '../../jobs/webhooks/delivery.ts';
import type { Database } from '../../storage/db/client.ts';
import { createDatabaseMetrics } from '../../storage/db/database-metrics.ts';
import type { Browser } from './fetching.ts';

/** Parts of a worker that are measured. */
interface MeasuredParts {
  db: Database;
  pool: Browser['pool'];
  renderer: RenderPool;
  documents: DocumentConverter;
  /** The place of daily backups; `undefined` if there are none. */
  backups: BackupPlace | undefined;
}

/** Creates the metrics of the parts of a worker. Gauges are read when somebody asks for them, and cost nothing before. */
export function createWorkerMetrics(registry: Registry, parts: MeasuredParts): void {
  createDatabaseMetrics(registry, parts.db);
  registry.registerMetric(refusedConnections);
  registry.registerMetric(deliveries);
  registry.registerMetric(sentMails);
  measureBrowser(registry, parts.pool);
  measureConversion(registry, parts);
  measureBackups(registry, parts.backups);
}

function measureBackups(registry: Registry, place: BackupPlace | undefined): void {
  const findNewest = place && watchNewestBackup(place);
  new Gauge({
    name: 'winnow_backup_age_seconds',
    help: 'Age of the newest backup in WINNOW_BACKUPS; absent without one',
    registers: [registry],
    async collect() {
      this.remove();
      const newest = await findNewest?.();
      if (newest) this.set((Date.now() - newest.getTime()) / 1000);
    },
  });
}

function measureBrowser(registry: Registry, pool: Browser['pool']): void {
  const registers = [registry];
  new Gauge({
    name: 'winnow_browser_contexts',
    help: 'Pages of scrapes and jobs that are open in the browser of this worker, that wait for it, and that may be open at most',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, waiting } = pool.usage;
      this.set({ state: 'open' }, open);
      this.set({ state: 'waiting' }, waiting);
      this.set({ state: 'limit' }, MAX_OPEN_PAGES);
    },
  });
  new Gauge({
    name: 'winnow_browser_memory_bytes',
    help: 'Memory of the processes of the browser of this worker, as it was measured when the last page was opened',
    registers,
    collect() {
      this.set(pool.usage.memoryBytes);
    },
  });
  new Counter({
    name: 'winnow_browser_starts_total',
    help: 'How often this worker has started its browser, which ends after a rest and is replaced after a thousand pages',
    registers,
    collect() {
      this.reset();
      this.inc(pool.usage.starts);
    },
  });
  new Counter({
    name: 'winnow_browser_crashes_total',
    help: 'How often the browser of this worker has ended by itself',
    registers,
    collect() {
      this.reset();
      this.inc(pool.usage.crashes);
    },
  });
}

function measureConversion(
  registry: Registry,
  { renderer, documents }: Pick<MeasuredParts, 'renderer' | 'documents'>,
): void {
  new Gauge({
    name: 'winnow_conversions',
    help: 'Conversions that run or wait: of pages in threads, for those who wait for a response and for jobs, and of documents in sandboxed processes',
    labelNames: ['of', 'state'],
    registers: [registry],
    collect() {
      const { urgent, other } = renderer.usage();
      for (const [of, { running, waiting }] of Object.entries({
        urgent,
        jobs: other,
        documents: documents.usage(),
      })) {
        this.set({ of, state: 'running' }, running);
        this.set({ of, state: 'waiting' }, waiting);
      }
    },
  });
}
