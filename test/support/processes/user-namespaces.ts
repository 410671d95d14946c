import { spawnSync } from 'node:child_process';

/** An unprivileged user, as whom Chromium runs when the service runs as root. */
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

let isAllowed: boolean | undefined;

/** Whether an unprivileged process may create user namespaces here; many containers forbid it. */
function areUserNamespacesAllowed(): boolean {
  const [program = '', ...args] = [...(process.getuid?.() === 0 ? NOBODY : []), 'unshare', '--user', 'true'];
  isAllowed ??= spawnSync(program, args).status === 0;
  return isAllowed;
}

/**
 * Skips a test, with the reason, where the machine allows no user namespaces.
 * @param skip that of the test context
 */
export function requireUserNamespaces(skip: (condition: boolean, reason: string) => void): void {
  skip(!areUserNamespacesAllowed(), 'This machine allows no unprivileged user namespaces.');
}
