/** The credits and the limits of a team. */
interface Usage {
  creditsRemaining: number | null;
  /** Credits used in the current month (UTC); absent in notes of an earlier version. */
  creditsUsed?: number | null;
  rateLimitPerMinute: number;
  concurrency: number;
  sessions: number;
  usedSlots: number | null;
}

/** The jobs of a kind and status of the last 24 hours. */
interface Activity {
  kind: string;
  status: string;
  count: number;
}

const ASKS_ABOUT_CREDITS = /\b(credits?|402|balance|billing|billed|cost|usage)\b/i;
const ASKS_ABOUT_RATE = /\b(429|rate.?limit(?:s|ed)?|too many requests)\b/i;
const ASKS_ABOUT_CONCURRENCY = /\b(concurren\w+|slots?|queue[ds]?|parallel|slow(?:ly)?|waiting)\b/i;
const ASKS_ABOUT_ACTIVITY = /\b(activity|jobs|requests|recent(?:ly)?|today|last 24 hours)\b/i;
/** A question about how something works is for the guides. */
const ASKS_ABOUT_OWN = /\b(my|our|we|i|me|us|left|remaining)\b/i;

/**
 * Answers a question about the account of the team.
 * @returns `undefined` if it is about something else
 */
export function describeAccount(
  question: string,
  { usage, activity }: { usage: Usage; activity: Activity[] },
): string | undefined {
  if (!ASKS_ABOUT_OWN.test(question)) return undefined;
  const { creditsRemaining, creditsUsed = null, rateLimitPerMinute, concurrency, usedSlots } = usage;
  const sentences = [
    ...(ASKS_ABOUT_CREDITS.test(question)
      ? [
          creditsRemaining === null
            ? 'The team has no limit of credits.'
            : `The team has ${creditsRemaining} credits left.`,
          ...(creditsUsed === null ? [] : [`It has used ${creditsUsed} this month (UTC).`]),
        ]
      : []),
    ...(ASKS_ABOUT_RATE.test(question)
      ? [
          `The team may send ${rateLimitPerMinute} requests per minute; the header Retry-After of a 429 says when to continue.`,
        ]
      : []),
    ...(ASKS_ABOUT_CONCURRENCY.test(question)
      ? [
          `The team may scrape ${concurrency} pages at once, and ${usedSlots ?? 0} of these slots are in use now.`,
        ]
      : []),
    ...(ASKS_ABOUT_ACTIVITY.test(question) ? [describeActivity(activity)] : []),
  ];
  return sentences.length ? sentences.join(' ') : undefined;
}

function describeActivity(activity: Activity[]): string {
  const counts = activity.map(({ kind, status, count }) => `${count} × ${kind} ${status}`);
  return `Jobs of the last 24 hours: ${counts.length ? counts.join(', ') : 'none'}.`;
}
