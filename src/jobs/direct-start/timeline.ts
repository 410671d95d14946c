/**
 * The timeline of a quick scrape, which does not begin in the browser: it fetches a page plainly, or parses
 * an uploaded file. Nearly all of them end within a second, and a workflow that has to be scheduled would
 * take longer than the page.
 *
 * **Directly**, where API and worker are on one machine:
 *
 * | when                | what happens                                                                        |
 * | ------------------- | ----------------------------------------------------------------------------------- |
 * | 0 s                 | The API stores the job and takes its slot in one statement, which does not wait for |
 * |                     | the disk; for a file, the worker takes the slot. The API sends the job to the       |
 * |                     | worker, which scrapes the page at once.                                             |
 * | until 3 s           | A scrape that ends is recorded as a workflow that has ended, after the response.    |
 * | 3 s                 | The worker starts the workflow of one that still runs. The workflow joins it.       |
 * | 3 s, 6 s, … (rush)  | If the start has to wait for its turn, signs of life tell the API that the worker   |
 * |                     | lives.                                                                              |
 * | 10 s without a sign | The API starts the workflow itself; any worker scrapes the page.                    |
 *
 * **By a workflow**, everywhere else:
 *
 * | when      | what happens                                                                                  |
 * | --------- | --------------------------------------------------------------------------------------------- |
 * | 0 s       | The workflow calls the local activity `beginPage`, which scrapes the page.                    |
 * | until 1 s | A scrape that ends is the result of the workflow.                                             |
 * | 1 s       | The workflow schedules the activity `scrapePage`, which joins the scrape.                     |
 *
 * In both cases a scrape that nobody waits for can be joined for 5 s, and is ended then.
 */

/** Milliseconds after which a scrape that still runs gets its workflow. */
export const WORKFLOW_AFTER_MS = 3_000;

/** Milliseconds for which a workflow waits for a scrape without an activity that Temporal keeps track of. */
export const ACTIVITY_AFTER_MS = 1_000;

/**
 * Milliseconds for which a scrape goes on although nobody waits for it, because the next activity may join
 * it.
 */
export const JOINABLE_MS = 5_000;

/** Milliseconds between two signs of life of the worker while a scrape has neither ended nor a workflow. */
export const SIGN_OF_LIFE_MS = 3_000;

/** Milliseconds without a sign of life after which the API starts the workflow itself. */
export const SILENCE_MS = 10_000;
