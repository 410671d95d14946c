import type { BrowserContext, Page } from 'playwright';
import { messageOf, ServiceError } from '../../errors.ts';
import {
  leaseProfile,
  type ProfileName,
  type ProfileStore,
  readProfile,
  releaseProfile,
  renewProfile,
  saveProfile,
} from '../../storage/db/teams/profiles.ts';
import { every } from '../../system/every.ts';
import type { Logger } from '../../system/logger.ts';
import type { Tab } from './tab.ts';

/** Which profile a context uses. */
export interface ProfileOptions extends ProfileName {
  /** Id of the job that saves the profile at the end; without it, the profile is only loaded. */
  saver?: string | undefined;
  /** Whether the browser has its state already, so that it is not restored. */
  isLoaded?: boolean | undefined;
}

/** An open profile. Disposal releases the lease for the next saver. */
export interface OpenProfile extends AsyncDisposable {
  /** Whether it has a saver. */
  readonly isSaved: boolean;
  /**
   * Restores the profile in a context and runs `use`. A profile with a saver is saved every 30 seconds
   * meanwhile, and after `use` has succeeded.
   * @throws ServiceError `PROFILE_ERROR` when the state cannot be saved, `PROFILE_LOCKED` when the lease was
   * lost
   */
  runWith<Result>(
    context: BrowserContext,
    tab: Pick<Tab, 'session'>,
    use: () => Promise<Result>,
  ): Promise<Result>;
}

/** An attempt to save a profile. */
export interface ProfileSave {
  outcome: 'saved' | 'failed';
  durationMs: number;
  /** Its size before it is compressed, if it was saved. */
  bytes?: number;
}

/** Opens profiles: cookies, localStorage and IndexedDB, stored under a name of a team. */
export interface Profiles {
  /** @throws ServiceError as `readProfile` and `leaseProfile` */
  open(options: ProfileOptions): Promise<OpenProfile>;
}

const LEASE_RENEWAL_INTERVAL_MS = 10_000;
/** Interval between saves, and so the longest time that a crash can lose. */
const CHECKPOINT_INTERVAL_MS = 30_000;
const MAX_PROFILE_BYTES = 10 * 1024 * 1024;
/**
 * Disk space of IndexedDB above which it is not even copied, because a few hundred megabytes crash the
 * browser.
 */
const MAX_INDEXED_DB_BYTES = 3 * MAX_PROFILE_BYTES;
/** Restoring the state of each origin costs one page load. */
const MAX_ORIGINS = 100;

/**
 * @param deps.logger logs failures of leases and checkpoints; a failure of the final save is thrown
 * @param deps.checkpointIntervalMs milliseconds between two saves, by default 30 s
 * @param deps.onSave called after each attempt to save a profile
 */
export function createProfiles(
  deps: ProfileStore & {
    logger: Pick<Logger, 'warn'>;
    checkpointIntervalMs?: number;
    onSave?(save: ProfileSave): void;
  },
): Profiles {
  const { db, logger, checkpointIntervalMs = CHECKPOINT_INTERVAL_MS, onSave } = deps;

  async function openToSave({
    saver,
    isLoaded,
    ...profile
  }: ProfileOptions & { saver: string }): Promise<OpenProfile> {
    const { lease, state } = await leaseProfile(deps, profile, saver);
    const onFault = (message: string) => (error: unknown) =>
      logger.warn({ err: error, teamId: lease.teamId, profile: lease.name }, message);
    const renewing = every(
      LEASE_RENEWAL_INTERVAL_MS,
      () => renewProfile(db, lease),
      onFault('the lease of a profile was not renewed'),
    );
    return {
      isSaved: true,
      async runWith(context, tab, use) {
        await (isLoaded ? visitOrigins(context, originsOf(context, state)) : restore(context, state));
        const origins = watchOrigins(context);
        const saveOnce = async () => {
          await requireCopyableStorage(tab, origins, lease.name);
          const state = await readState(context, lease.name);
          await saveProfile(deps, lease, state);
          return Buffer.byteLength(state);
        };
        const save = async () => {
          const startedAt = performance.now();
          const bytes = await saveOnce().catch((error) => {
            onSave?.({ outcome: 'failed', durationMs: performance.now() - startedAt });
            throw error;
          });
          onSave?.({ outcome: 'saved', durationMs: performance.now() - startedAt, bytes });
        };
        const onMissed = onFault('a checkpoint of a profile was not saved');
        const checkpoints = startCheckpoints(save, onMissed, checkpointIntervalMs);
        try {
          const result = await use();
          await checkpoints.stop();
          await save();
          return result;
        } finally {
          void checkpoints.stop();
        }
      },
      async [Symbol.asyncDispose]() {
        clearInterval(renewing);
        // If the database is unreachable, the lease expires by itself.
        await releaseProfile(db, lease).catch(onFault('the lease of a profile was not released'));
      },
    };
  }

  return {
    async open({ teamId, name, saver, isLoaded }) {
      if (saver !== undefined) return openToSave({ teamId, name, saver, isLoaded });
      const state = await readProfile(deps, { teamId, name });
      return {
        isSaved: false,
        async runWith(context, _tab, use) {
          if (!isLoaded) await restore(context, state);
          return use();
        },
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
  };
}

/** @param state the text that `readState` returned */
async function restore(context: BrowserContext, state: string | undefined): Promise<void> {
  if (state) await context.setStorageState(JSON.parse(state));
}

/**
 * The origins whose storage belongs to a profile that a browser has loaded: those of its state, and those of
 * open pages.
 */
function originsOf(context: BrowserContext, state: string | undefined): Set<string> {
  // `readState` wrote it.
  const saved: StorageState = state ? JSON.parse(state) : { origins: [] };
  const frames = context.pages().flatMap((page) => page.frames());
  return new Set([
    ...saved.origins.map(({ origin }) => origin),
    ...frames.flatMap((frame) => (/^https?:/.test(frame.url()) ? new URL(frame.url()).origin : [])),
  ]);
}

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

/**
 * Opens an empty page of each origin, because Playwright saves only origins that it has seen. Nothing is
 * requested.
 */
async function visitOrigins(context: BrowserContext, origins: Set<string>): Promise<void> {
  const page = await context.newPage();
  try {
    await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '<html></html>' }));
    for (const origin of origins) await page.goto(origin);
  } finally {
    await page.close();
  }
}

/** Collects the origins that frames of a context visit from now on. */
function watchOrigins(context: BrowserContext): Set<string> {
  const origins = new Set<string>();
  const watch = (page: Page) =>
    page.on('framenavigated', (frame) => {
      if (/^https?:/.test(frame.url())) origins.add(new URL(frame.url()).origin);
    });
  for (const page of context.pages()) watch(page);
  context.on('page', watch);
  return origins;
}

/** @throws ServiceError `PROFILE_ERROR` where a copy of IndexedDB would be far too large */
async function requireCopyableStorage(
  { session }: Pick<Tab, 'session'>,
  origins: Set<string>,
  name: string,
): Promise<void> {
  let bytes = 0;
  for (const origin of origins) {
    const { usageBreakdown } = await session.send('Storage.getUsageAndQuota', { origin });
    bytes += usageBreakdown.find(({ storageType }) => storageType === 'indexeddb')?.usage ?? 0;
  }
  if (bytes > MAX_INDEXED_DB_BYTES) throw profileTooLargeError(name, `IndexedDB alone takes ${bytes} bytes`);
}

const profileTooLargeError = (name: string, reason: string) =>
  new ServiceError(
    'PROFILE_ERROR',
    `The profile ${name} was not saved: ${reason}, and a profile may have ${MAX_PROFILE_BYTES} bytes from ${MAX_ORIGINS} origins. Set saveChanges to false, or use a profile for each site.`,
  );

/** The storage state of a context, as JSON. @throws ServiceError `PROFILE_ERROR` when it cannot be stored */
async function readState(context: BrowserContext, name: string): Promise<string> {
  const state = await context.storageState({ indexedDB: true }).catch((cause) => {
    if (!/Unable to serialize/.test(messageOf(cause))) throw cause;
    const reason = 'the page keeps something in IndexedDB that cannot be copied';
    throw new ServiceError('PROFILE_ERROR', `The profile ${name} was not saved: ${reason}.`, { cause });
  });
  const text = JSON.stringify(state);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PROFILE_BYTES || state.origins.length > MAX_ORIGINS) {
    throw profileTooLargeError(name, `it has ${bytes} bytes from ${state.origins.length} origins`);
  }
  return text;
}

/** Saves at intervals, never twice at the same time. */
function startCheckpoints(save: () => Promise<void>, onFault: (error: unknown) => void, intervalMs: number) {
  let saving: Promise<void> | undefined;
  let stopped = false;
  const saveUnlessSaving = () => {
    saving ??= save()
      // After `stop`, a save may fail because the context is closed.
      .catch((error) => stopped || onFault(error))
      .then(() => {
        saving = undefined;
      });
  };
  const timer = every(intervalMs, saveUnlessSaving, onFault);
  return {
    /** Starts no further save; resolves when the current one has ended. */
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(timer);
      await saving;
    },
  };
}
