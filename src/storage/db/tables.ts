import type { ColumnType, Generated } from 'kysely';
import type { CheckStatus, MonitorPageStatus, SubscriptionStatus } from '../../schemas/monitor.ts';
import type { MonitorJudgment } from '../../schemas/monitor-judgment.ts';
import type { MonitorSummary } from '../../schemas/monitor-results.ts';
import type { StoredTrace } from '../../schemas/page-trace.ts';
import type { SessionVisitor } from '../../schemas/session.ts';
import type { SessionEndReason } from '../../schemas/session-end.ts';
import type { Step, StepState } from '../agent-steps/step.ts';

type Timestamp = ColumnType<Date, Date | undefined, Date>;
type Expiry = ColumnType<Date, Date, Date>;

/** The error of a failed job or page, as stored. */
export interface StoredError {
  code: string;
  message: string;
  details?: unknown;
}

/** The states of a browser session. */
type SessionState = 'creating' | 'active' | 'destroyed';
/** The states of a job, as API clients see them. */
export type JobStatus = 'scraping' | 'completed' | 'failed' | 'cancelled';

/** A target of a monitor, or its result, as stored. */
export type MonitorTargetRow = Record<string, unknown>;

/** The tables, as Kysely sees them. The files in `migrations/` create them. */
export interface Tables {
  teams: {
    id: Generated<string>;
    name: string;
    credits_remaining: number | null;
    credits_planned: number | null;
    rate_limit_per_minute: Generated<number>;
    concurrency: Generated<number>;
    webhook_secret: ColumnType<string | null, string | null | undefined, string | null>;
    zero_data_retention: Generated<boolean>;
    /** Tokens of language models that the team may use in a day (UTC); null is unlimited. */
    model_tokens_per_day: ColumnType<number | null, number | null | undefined, number | null>;
    /** Maximum number of browser sessions at once. */
    sessions: Generated<number>;
    /** Maximum number of batches, crawls, agents and extracts that have not ended; null is unlimited. */
    open_jobs: ColumnType<number | null, number | null | undefined, number | null>;
    /** Maximum number of monitors; null is that of the service. */
    monitors: ColumnType<number | null, number | null | undefined, number | null>;
    /** Maximum size of results that have not expired, in MiB; null is unlimited. */
    stored_megabytes: ColumnType<number | null, number | null | undefined, number | null>;
    created_at: Timestamp;
  };
  api_keys: {
    id: Generated<string>;
    team_id: string;
    name: string;
    hash: Buffer;
    hint: string;
    created_at: Timestamp;
    revoked_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  };
  jobs: {
    id: string;
    team_id: string;
    api_key_id: string | null;
    kind: string;
    target: string | null;
    request: ColumnType<unknown, string, string>;
    status: Generated<JobStatus>;
    error: ColumnType<StoredError | null, string | null | undefined, string | null>;
    credits: Generated<number>;
    created_at: Timestamp;
    finished_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
    expires_at: Expiry;
    webhook: ColumnType<unknown, string | null | undefined, string | null>;
    base_url: ColumnType<string | null, string | null | undefined, string | null>;
    /** The encrypted key of the job; null if its data is not encrypted, empty after the key was deleted. */
    wrapped_key: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>;
    /** How the page of a scrape went. */
    trace: ColumnType<StoredTrace | null, string | null | undefined, string | null>;
    /** The status with which the page of a scrape answered. */
    status_code: ColumnType<number | null, number | null | undefined, number | null>;
    /** The job that this one is a part of. It is then not listed by itself. */
    parent_id: ColumnType<string | null, string | null | undefined, string | null>;
    reserved: Generated<number>;
  };
  agent_steps: {
    job_id: string;
    sequence: number;
    turn: number;
    tool: Step['tool'];
    summary: string;
    input: ColumnType<Record<string, unknown>, string, string>;
    state: StepState;
    child_id: string | null;
    credits: Generated<number>;
    reserved: Generated<number>;
    blob: string | null;
    error: string | null;
    started_at: Timestamp;
    finished_at: Date | null;
  };
  support_notes: { job_id: string; topic: string; note: ColumnType<unknown, string, string> };
  job_progress: {
    job_id: string;
    team_id: string;
    /** The URL of the crawl's start page after redirects. */
    base: string | null;
    page_limit: number | null;
    max_concurrency: number | null;
    delay_ms: number | null;
    paused: Generated<boolean>;
    /** Whether sitemaps are still to be read. */
    discovering: Generated<boolean>;
    /** Number of pages that were found. */
    known: Generated<number>;
    /** Number of pages that were claimed at least once. */
    admitted: Generated<number>;
    completed: Generated<number>;
    failed: Generated<number>;
    /** Number of pages that turned out to be the same as another page, or that robots.txt excludes. */
    dropped: Generated<number>;
    credits: Generated<number>;
    bytes: Generated<number>;
    /** Size on the disk of what the archives of its pages have. */
    archived_bytes: Generated<number>;
    /** Facts for the warning in the job's status, by kind. */
    notes: ColumnType<Record<string, unknown>, string | undefined, string>;
    /** Number of URLs that were found and that robots.txt excludes. */
    blocked: Generated<number>;
    next_claim_at: Timestamp;
    /** The time of the last progress. */
    touched_at: Timestamp;
  };
  pages: {
    job_id: string;
    ordinal: number;
    id: Generated<string>;
    team_id: string;
    url: string;
    url_key: Buffer | null;
    host: string;
    depth: Generated<number>;
    /** `alias`: the URL that a page redirected to, which is therefore no page of its own. */
    status: Generated<'pending' | 'claimed' | 'completed' | 'failed' | 'dropped' | 'alias'>;
    /** Whether the page was claimed at least once. */
    admitted: Generated<boolean>;
    attempts: Generated<number>;
    /** Number of claims that ended because the page worker was lost. */
    losses: Generated<number>;
    due_at: Timestamp;
    /** The page worker that has claimed the page. */
    page_worker: string | null;
    claimed_until: Date | null;
    /** The position among the documents of the job, from 1. */
    position: number | null;
    blob: string | null;
    /** Total bytes of the job's documents up to and including this one. */
    bytes_end: number | null;
    /** Key of the blob with its requests and responses, if the job keeps them. */
    archive: string | null;
    error: ColumnType<StoredError | null, string | null | undefined, string | null>;
    finished_at: Date | null;
    hidden: Generated<boolean>;
    /** Credits that a claimed page has reserved beyond the expected price of each page of its job. */
    extra_credits: Generated<number>;
    /** How its last try went. */
    trace: StoredTrace | null;
  };
  long_conversions: {
    job_id: string;
    team_id: string;
    fingerprint: Buffer;
    started_at: Timestamp;
    is_running: Generated<boolean>;
    pages: number | null;
    remaining_seconds: number | null;
    ends_at: Timestamp;
  };
  page_versions: {
    team_id: string;
    key: Buffer;
    number: number;
    scrape_id: string;
    job_id: string;
    url: string;
    crawl: Buffer | null;
    scraped_at: Expiry;
    fingerprint: Buffer | null;
    blob: string | null;
    stored_at: Date | null;
    delivered: Generated<boolean>;
  };
  monitors: {
    id: Generated<string>;
    team_id: string;
    api_key_id: string | null;
    name: string;
    tags: ColumnType<string[], string[] | undefined, string[]>;
    status: Generated<'active' | 'paused' | 'deleted'>;
    cron: string;
    timezone: string;
    runs_per_month: number;
    /** As they were sent, each with an id. */
    targets: ColumnType<MonitorTargetRow[], string, string>;
    webhook: ColumnType<Record<string, unknown> | null, string | null, string | null>;
    notification: ColumnType<Record<string, unknown> | null, string | null, string | null>;
    /** Base of the file URLs in events. */
    base_url: string;
    retention_days: number;
    goal: string | null;
    judge_enabled: boolean;
    /** Credits that a check is expected to cost: by the targets at first, and then those of the last check. */
    check_credits: number;
    current_check_id: string | null;
    last_run_at: Date | null;
    last_summary: ColumnType<MonitorSummary | null, string | null | undefined, string | null>;
    /** How often the URL of its feed was replaced. */
    feed_version: Generated<number>;
    /** Whether its Temporal Schedule has its current settings, or is deleted with it. */
    is_scheduled: Generated<boolean>;
    created_at: Timestamp;
    updated_at: Timestamp;
  };
  monitor_checks: {
    /** Also the id of its job. */
    id: string;
    monitor_id: string;
    status: CheckStatus;
    trigger: 'scheduled' | 'manual';
    scheduled_for: Date | null;
    started_at: Date | null;
    finished_at: Date | null;
    estimated_credits: number;
    actual_credits: number | null;
    summary: ColumnType<MonitorSummary | null, string | null | undefined, string | null>;
    target_results: ColumnType<MonitorTargetRow[], string | undefined, string>;
    error: string | null;
    /** What it could not do as the settings of its monitor want it. */
    warning: string | null;
    created_at: Timestamp;
    updated_at: Timestamp;
  };
  monitor_jobs: {
    job_id: string;
    check_id: string;
    target_id: string;
    kind: 'batch_scrape' | 'crawl' | 'search';
    /** Whether it scrapes pages again that could not be read. */
    is_retry: Generated<boolean>;
    is_collected: Generated<boolean>;
  };
  monitor_pages: {
    id: string;
    check_id: string;
    monitor_id: string;
    ordinal: number;
    target_id: string;
    url: string;
    /** SHA-256 hash of target and URL. */
    url_key: Buffer;
    status: MonitorPageStatus;
    previous_scrape_id: string | null;
    current_scrape_id: string | null;
    status_code: number | null;
    error: string | null;
    metadata: ColumnType<Record<string, unknown> | null, string | null, string | null>;
    /** Key of the blob with diff and snapshot; null if there is neither. */
    blob: string | null;
    /** Checks in a row, with this one, that could not read the page. */
    failures: Generated<number>;
    /** Whether an event has told that the page cannot be read: by now, or of a page that is read again, before. */
    is_failure_told: Generated<boolean>;
    judgment: ColumnType<MonitorJudgment | null, string | undefined, string>;
    /** Whether a language model has still to be asked, and the page to be told afterwards. */
    is_judgment_due: Generated<boolean>;
    /** Whether mails and the feed tell of it. */
    is_news: Generated<boolean>;
    /** Key of the blob with its text and data; null if it was not read. */
    version: string | null;
    /** The single values of its data, by name. */
    data_values: ColumnType<Record<string, string | number | boolean> | null, string | null, string | null>;
    /** Reference to the screenshot that the next check is compared with; null if none is compared. */
    screenshot: string | null;
    created_at: Timestamp;
  };
  monitor_subscriptions: {
    monitor_id: string;
    team_id: string;
    /** In lower case. */
    email: string;
    status: SubscriptionStatus;
    /** When a mail last asked the recipient to confirm. */
    asked_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  };
  monitor_mails: {
    /** Also the local part of its Message-ID. */
    id: Generated<string>;
    monitor_id: string;
    team_id: string;
    kind: 'news' | 'confirmation';
    recipient: string;
    status: Generated<'pending' | 'sent' | 'failed' | 'cancelled'>;
    attempts: Generated<number>;
    due_at: Timestamp;
    last_attempt_at: Date | null;
    last_error: string | null;
    created_at: Timestamp;
  };
  monitor_mail_checks: { mail_id: string; check_id: string };
  host_times: { job_id: string; host: string; requests: number; ms: number };
  blocked_urls: {
    job_id: string;
    url: string;
    url_hash: string | null;
    id: Generated<string>;
    code: string | null;
    created_at: Timestamp;
  };
  robots_files: { key: string; job_id: string | null; file: Buffer; fetched_at: Timestamp };
  robots_waits: {
    job_id: string;
    host: string;
    scheme: string;
    tries: Generated<number>;
    since: Timestamp;
    until: Expiry;
    given_up: Generated<boolean>;
    reason: string;
  };
  webhook_deliveries: {
    id: Generated<string>;
    job_id: string;
    team_id: string;
    sequence: Generated<number>;
    type: string;
    ordinal: number | null;
    error: string | null;
    status: Generated<'pending' | 'delivered' | 'failed'>;
    attempts: Generated<number>;
    due_at: Timestamp;
    last_attempt_at: Date | null;
    response_status: number | null;
    /** The beginning of the body of the last response, as text. */
    response_body: string | null;
    last_error: string | null;
    created_at: Timestamp;
    delivered_at: Date | null;
  };
  host_pauses: { host: string; until: Expiry; strikes: Generated<number>; struck_at: Timestamp };
  host_leases: {
    host: string;
    /** The page worker that the lease belongs to. */
    page_worker: string;
    expires_at: Expiry;
    /** Number of requests that the page worker has open at the host. */
    taken: Generated<number>;
    /** Whether the page worker takes more pages. */
    wants: Generated<boolean>;
  };
  slot_waits: { team_id: string; holder: string; expires_at: Expiry };
  idempotency_keys: {
    team_id: string;
    key: string;
    request: Buffer;
    answer: ColumnType<unknown, string, string>;
    created_at: Timestamp;
  };
  results: {
    job_id: string;
    ordinal: number;
    /** The key of the result: that of a blob, or the id of the job if the result is small. */
    blob: string;
    /** A small result itself, compressed. */
    small: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>;
  };
  credit_entries: {
    job_id: string;
    ordinal: number;
    team_id: string;
    api_key_id: string | null;
    credits: number;
    created_at: Timestamp;
  };
  slots: { team_id: string; ordinal: number; holder: string; expires_at: Expiry };
  uploads: {
    id: string;
    team_id: string;
    job_id: string | null;
    blob: string;
    /** The encrypted key of the file. */
    key: Buffer;
    size: number;
    created_at: Timestamp;
    expires_at: Expiry;
  };
  cache_entries: {
    key: Buffer;
    /** Absent for copies from before they belonged to teams. */
    team_id: string | null;
    fetched_at: Expiry;
    blob: string;
    files: string[];
  };
  indexed_pages: {
    id: Generated<number>;
    team_id: string;
    url_key: Buffer;
    url: string;
    title: string;
    description: string;
    content: string;
    content_key: Buffer;
    words: string;
    fetched_at: Timestamp;
  };
  feedback: {
    id: Generated<string>;
    job_id: string;
    page_id: string | null;
    team_id: string;
    endpoint: string;
    rating: string;
    content: ColumnType<unknown, string, never>;
    credits_refunded: Generated<number>;
    created_at: Timestamp;
  };
  cache_files: { hash: string; bytes: number; used_at: Timestamp };
  profiles: {
    team_id: string;
    name: string;
    state: Buffer | null;
    created_at: Timestamp;
    saved_at: Date | null;
    used_at: Timestamp;
    holder: string | null;
    token: string | null;
    held_until: Date | null;
  };
  browser_sessions: {
    id: string;
    team_id: string;
    scrape_id: string | null;
    state: Generated<SessionState>;
    end_reason: SessionEndReason | null;
    salt: Buffer;
    ttl_seconds: number;
    activity_ttl_seconds: number;
    stream_web_view: boolean;
    profile: string | null;
    saves_profile: Generated<boolean>;
    visitor: ColumnType<SessionVisitor | null, string | null, never>;
    is_recorded: Generated<boolean>;
    recording: string | null;
    host: string | null;
    warning: string | null;
    prompted: Generated<boolean>;
    created_at: Timestamp;
    expires_at: Expiry;
    opened_at: Date | null;
    last_activity_at: Timestamp;
    ended_at: Date | null;
  };
  open_scrape_pages: { scrape_id: string; queue: string; expires_at: Expiry };
  workers: {
    id: string;
    roles: string[];
    seen_at: Timestamp;
    host_url: string | null;
    host_queue: string | null;
    has_room: Generated<boolean>;
    tasks: Generated<number>;
    cores: Generated<number>;
    memory_bytes: Generated<number>;
  };
  rate_limits: { key: string; points: number; expire: number | null };
}
