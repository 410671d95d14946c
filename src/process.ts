import { messageOf } from './errors.ts';

/** A running role of the service: where it answers, if anywhere, and how it ends. */
export interface Role {
  url?: string;
  stop: () => Promise<void>;
}

/** Work that is still under way is cut off after this long. */
const DRAIN_MS = 12_000;

/**
 * Runs one role as this process: tells the parent when it is ready, and ends in order on SIGTERM, SIGINT, or when the
 * parent is gone.
 */
export async function runProcess(name: string, start: () => Promise<Role>): Promise<void> {
  let role: Role;
  try {
    role = await start();
  } catch (error) {
    process.stderr.write(
      `${name}: ${error instanceof Error && error.name === 'ServiceError' ? messageOf(error) : ((error as Error)?.stack ?? error)}\n`,
    );
    process.exit(1);
  }
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), DRAIN_MS).unref();
    await role.stop();
    process.exit(0);
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => void end());
  process.send?.({ ready: true, url: role.url });
}
