import { ServiceError } from '../../errors.ts';

/** Who opens a WebSocket: a team, with one of its keys unless authentication is off. */
export interface SocketOwner {
  teamId: string;
  apiKeyId: string | null;
}

/**
 * Counts the WebSockets that teams have open at this process, because each takes memory, a file descriptor and
 * a part of its time.
 */
export class SocketLimit {
  readonly #ofTeam: number;
  readonly #ofKey: number;
  /** By the id of a team or key. Those without any are not in it. */
  readonly #open = new Map<string, number>();

  /** @param limits the most that a team, and a single key, may have open at once */
  constructor(limits: { ofTeam: number; ofKey: number }) {
    this.#ofTeam = limits.ofTeam;
    this.#ofKey = limits.ofKey;
  }

  /**
   * Counts a WebSocket from now on.
   * @returns the function that ends this, to be called once when it is closed
   * @throws ServiceError `SOCKET_LIMIT_REACHED`
   */
  take({ teamId, apiKeyId }: SocketOwner): () => void {
    this.#require(teamId, this.#ofTeam, 'team');
    if (apiKeyId !== null) this.#require(apiKeyId, this.#ofKey, 'API key');
    const ids = apiKeyId === null ? [teamId] : [teamId, apiKeyId];
    for (const id of ids) this.#add(id, 1);
    return () => {
      for (const id of ids) this.#add(id, -1);
    };
  }

  #require(id: string, most: number, noun: string): void {
    if ((this.#open.get(id) ?? 0) < most) return;
    throw new ServiceError(
      'SOCKET_LIMIT_REACHED',
      `The ${noun} has ${most} WebSockets open, which is as many as it may have. Close one of them, then try again.`,
    );
  }

  #add(id: string, count: number): void {
    const open = (this.#open.get(id) ?? 0) + count;
    if (open > 0) this.#open.set(id, open);
    else this.#open.delete(id);
  }
}
