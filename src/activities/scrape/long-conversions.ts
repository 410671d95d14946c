import type { ConversionProgress, DocumentType } from '../../content/parsers/document.ts';
import { maxOvertimeMs } from '../../jobs/scraping/conversion-time.ts';
import type { Deadline } from '../../jobs/scraping/deadline.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { Database } from '../../storage/db/client.ts';
import { recordLongConversion, updateLongConversion } from '../../storage/db/jobs/long-conversions.ts';
import type { Logger } from '../../system/logger.ts';

/**
 * Conversions that continue after their time limit at once, whether they run or wait for the sandbox: half of
 * the scrapes that a worker runs at once, because each of them keeps its activity and its bytes.
 */
const MAX_LONG_CONVERSIONS = 16;
/** Those of one team, so that other teams' documents may continue, too. */
export const MAX_LONG_CONVERSIONS_OF_TEAM = MAX_LONG_CONVERSIONS / 2;

/** Follows the conversion of one document. */
export class TrackedConversion {
  /** The last progress; `undefined` while the document waits for its turn. */
  progress: ConversionProgress | undefined;
  #startedAt = 0;
  #onChange: () => void = () => undefined;

  /** Takes the next progress. The pages begin anew if the parser died and is tried once more. */
  readonly report = (progress: ConversionProgress): void => {
    if (progress.pagesDone === 0) this.#startedAt = performance.now();
    this.progress = progress;
    this.#onChange();
  };

  /** Sets the function that is called after each progress, in place of the one before. */
  onChange(callback: () => void): void {
    this.#onChange = callback;
  }

  /**
   * The seconds that the rest of the pages takes if they take as long as those so far; `undefined` if that is
   * not known.
   */
  get remainingSeconds(): number | undefined {
    const { pagesDone = 0, pages } = this.progress ?? {};
    if (pages === undefined || pagesDone === 0) return undefined;
    const msPerPage = (performance.now() - this.#startedAt) / pagesDone;
    return Math.ceil(((pages - pagesDone) * msPerPage) / 1000);
  }
}

/** A scrape whose document is converted. */
interface ConvertingScrape {
  jobId: string;
  teamId: string;
  request: ScrapeRequest;
  type: DocumentType;
  deadline: Deadline;
  conversion: TrackedConversion;
}

/** The conversions of this process that continue after the time limits of their scrapes. */
export class LongConversions {
  readonly #db: Database;
  /** The team of each. */
  readonly #teams: string[] = [];

  readonly #logger: Logger;

  constructor(db: Database, logger: Logger) {
    this.#db = db;
    this.#logger = logger;
  }

  /** Runs a conversion, which may continue after the time limit of its scrape unless too many others do. */
  async run<Result>(convert: () => Promise<Result>, scrape: ConvertingScrape): Promise<Result> {
    const { teamId, type, deadline } = scrape;
    let isLong = false;
    const overtimeMs = () => {
      const ofTeam = this.#teams.filter((team) => team === teamId).length;
      if (this.#teams.length >= MAX_LONG_CONVERSIONS || ofTeam >= MAX_LONG_CONVERSIONS_OF_TEAM) return 0;
      isLong = true;
      this.#teams.push(teamId);
      this.#announce(scrape);
      return maxOvertimeMs(type);
    };
    try {
      return await deadline.duringConversion(convert, overtimeMs);
    } finally {
      if (isLong) this.#teams.splice(this.#teams.indexOf(teamId), 1);
      scrape.conversion.onChange(() => undefined);
    }
  }

  /** Lets repeated requests join the scrape, and tells them how far it is. */
  #announce({ jobId, teamId, request, type, conversion }: ConvertingScrape): void {
    const endsAt = new Date(Date.now() + maxOvertimeMs(type));
    const state = () => ({
      isRunning: conversion.progress !== undefined,
      pages: conversion.progress?.pages,
      remainingSeconds: conversion.remainingSeconds,
    });
    let written = Promise.resolve();
    // The writes follow each other, so that the newest state is the last one written.
    const write = (next: () => Promise<void>) => {
      written = written.then(next).catch((error: unknown) => {
        this.#logger.warn({ err: error, jobId }, 'a long conversion could not be announced');
      });
    };
    write(() => recordLongConversion(this.#db, { jobId, teamId, request, endsAt, ...state() }));
    conversion.onChange(() => write(() => updateLongConversion(this.#db, jobId, state())));
  }
}
