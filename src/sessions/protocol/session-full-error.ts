import { ServiceError } from '../../errors.ts';

/** The error for one more client or viewer of a session than it may have. */
export const sessionFullError = (): ServiceError =>
  new ServiceError(
    'SOCKET_LIMIT_REACHED',
    'The browser session has as many clients, or viewers, as it may have. Disconnect one of them, then try again.',
  );
