import { isShort } from '../examples.ts';
import { adviseOnCountry, adviseOnLanguage } from '../place-words.ts';
import { scheduleOf } from '../schedule-words.ts';
import { json, type Meanings, textOr } from './meaning.ts';

/** The mail addresses of a value, which has them by itself, in a list, or as text with commas; undefined without any. */
function mailAddressesOf(value: unknown): string[] | undefined {
  const texts = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');
  const all = texts.flatMap((text) => text.split(/[\s,;]+/)).filter((text) => text.includes('@'));
  return all.length && isShort(all) ? all : undefined;
}

const MODEL_ADVICE =
  'Leave it out: the service sets how its language model works. effort and maxCredits bound an agent.';

/** Options of documents, extracts, agents, sessions, monitors and lists. */
export const JOB_MEANINGS: readonly Meanings[] = [
  {
    beside: 'uploadRef',
    advice: {
      'base64|content|bytes|blob|buffer|data|file|html|document|text':
        'Send the file as multipart/form-data in the part `file`, with its name in the parameter filename: curl -F file=@report.pdf. Base64 in JSON is not read.',
      'url|link|uri': 'This endpoint takes a file. Send a URL to POST /v2/scrape.',
      ocr: 'Use parsers: [{"type": "pdf", "mode": "ocr"}].',
      page: 'Use parsers: [{"type": "pdf", "maxPages": 10}].',
    },
  },
  {
    beside: 'declaredSizeBytes',
    advice: {
      'size|length|byte': 'Use declaredSizeBytes, a whole number.',
    },
  },
  {
    beside: 'contentType',
    advice: {
      'type|mime|format': 'Use contentType, such as "application/pdf".',
    },
  },
  {
    beside: 'showSources',
    advice: {
      'language_model|model': 'Leave it out: the operator of the service chooses the language model.',
      'source|citation|reference': 'Use showSources: true.',
      'depth|mode|advanced|quality|speed':
        'Leave it out: an extract has no such option. limit bounds the pages of each site.',
      limit: 'Use limit, the most pages.',
      'selector|rule|schema':
        'Use schema: {"type":"object","properties":{"name":{"type":"string"}}}. Values are found by the names and descriptions of its properties, without selectors.',
    },
  },
  {
    beside: 'enableWebSearch',
    advice: {
      search: 'Use enableWebSearch: true.',
    },
  },
  {
    beside: 'prompt',
    advice: {
      'prompt|instruction|question|query|message|task|goal|objective|input|text|description': (value) =>
        `Use prompt, a string, such as ${json(textOr(value, 'The names and prices of all products'))}.`,
    },
  },
  {
    beside: 'maxCredits',
    advice: {
      'url|link|site|page|start|source': 'Use urls, a list such as ["https://example.com"].',
      'language_model|seed|penalty|sampling|token': MODEL_ADVICE,
      'top p|k': MODEL_ADVICE,
      'tool|function|agent|mcp': 'Leave it out: an agent has its own tools, which search and read pages.',
      'timeout|time|duration':
        'Leave it out: an agent is bounded by maxCredits. DELETE /v2/agent/{id} ends it.',
      stream: 'Leave it out: GET /v2/agent/{id} tells how far an agent is, and webhook says when it ends.',
      'limit|cost|step|iteration': 'Use maxCredits, the most credits that it may cost.',
      'schema|format': 'Use schema: {"type":"object","properties":{"name":{"type":"string"}}}.',
    },
  },
  {
    beside: 'threadId',
    advice: {
      'thread|conversation|chat|session|history': 'Use threadId, which an earlier agent returned.',
    },
  },
  {
    beside: 'activityTtl',
    advice: {
      'idle|inactivity|activity': 'Use activityTtl, in seconds without activity.',
      'keep|alive|timeout|duration|ttl|lifetime|expire|expiry': 'Use ttl, in seconds.',
      'context|persist|persistent|storage|cookie|session':
        'Use profile: {"name": "shop"}, which keeps cookies and logins between sessions.',
      'timezone|tz': 'Use location: {"country": "DE"}, which sets the time zone too.',
      country: adviseOnCountry,
      language: adviseOnLanguage,
      'ad|adblock': 'Use blockAds: true.',
      'viewport|width|height':
        'Leave it out, and set the size in code: await page.setViewportSize({ width: 1280, height: 720 }). For a small screen, use mobile: true.',
      mobile: 'Use mobile: true.',
      'headless|browser|stealth|proxy|engine|arg|launch|useragent|agent':
        'Leave it out: the operator chooses the browser, its user agent and its proxy servers.',
    },
  },
  {
    beside: 'recordSession',
    advice: {
      'record|recording|video|replay': 'Use recordSession: true.',
    },
  },
  {
    beside: 'profile',
    advice: {
      '=profile|name|id|browser|chrome': (value) => `Use profile: ${json({ name: textOr(value, 'shop') })}.`,
      'user profile|context': 'Use profile: {"name": "shop"}.',
    },
  },
  {
    beside: 'streamWebView',
    advice: {
      'stream|view|live': 'Use streamWebView: true.',
    },
  },
  {
    beside: 'ttl',
    advice: {
      'minute|hour|second|time|duration|timeout|ttl|extend|by': 'Use ttl, in seconds.',
    },
  },
  {
    beside: 'code',
    advice: {
      'arg|argument|param|context|variable': 'Leave it out, and write the values into code.',
      'python|bash|node': 'Use code, with language: "python", "bash" or "node".',
      'shell|terminal|sh|cmd': (value) =>
        typeof value === 'string'
          ? `Use code: ${json(textOr(value, 'ls'))}, with language: "bash".`
          : 'Use language: "bash".',
      command: (value) =>
        typeof value === 'string' && /\s-\w|^[\w-]+$/.test(value)
          ? `Use code: ${json(textOr(value, 'ls'))}. For a command of a shell, write language: "bash" beside it.`
          : 'Use code.',
      'limit action|iteration|turn': 'Leave it out: timeout, in seconds, bounds what is done.',
      'language|runtime|lang|interpreter|kernel': 'Use language, which is "node", "python" or "bash".',
      action: 'Use code: "await page.click(\'#more\')".',
      'script|expression|source|command|function': 'Use code.',
    },
  },
  {
    beside: 'cron',
    advice: {
      'interval|every|frequency|minute|hour|day|time|at|daily|rate|expression|rule': (value) => {
        const schedule = scheduleOf(value) ?? { text: 'every 30 minutes' };
        const [name] = Object.keys(schedule);
        return `Use ${name}: ${json(Object.values(schedule)[0])}. Other texts are "hourly" and "daily at 9:00"; cron has five fields, such as "0 9 * * *".`;
      },
    },
  },
  {
    beside: 'judgeEnabled',
    advice: {
      'email|recipient|to': (value) =>
        `Use notification: ${json({ email: { recipients: mailAddressesOf(value) ?? ['you@example.com'] } })}.`,
      'notify|notification|alert|when|if': (value) =>
        typeof value === 'string' && /\s/.test(value)
          ? `Use goal, a text that says which changes matter: ${json(textOr(value, '…'))}.`
          : 'Use notification: {"email": {"recipients": ["you@example.com"]}}, or webhook: {"url": "https://example.com/hook"}.',
      'threshold|sensitivity|condition|trigger|ignore|criteria|prompt|compare|diff':
        'Use goal, a text that says which changes matter, such as "Tell me when the price of a product changes".',
      'selector|format':
        'Put it in the target: targets: [{"type": "scrape", "urls": ["https://example.com"], "scrapeOptions": {"includeTags": ["main"]}}].',
      'url|page|site|link|target': 'Use targets: [{"type": "scrape", "urls": ["https://example.com"]}].',
    },
  },
  {
    beside: 'email',
    advice: {
      'slack|discord|team|telegram|sms|push|channel':
        'Leave it out: notifications go by mail, and all else by the webhook of the monitor, beside notification: {"webhook": {"url": "https://example.com/hook"}}.',
    },
  },
  {
    beside: 'retentionDays',
    advice: {
      'retention|history|keep': 'Use retentionDays, a whole number.',
    },
  },
  {
    beside: 'note',
    advice: {
      'comment|feedback|message|text|reason|description|remark|review': 'Use note.',
      'score|star|rate|vote|thumb|grade': 'Use rating, which is "good", "partial" or "bad".',
    },
  },
  {
    beside: 'kind',
    advice: {
      'type|endpoint|job': 'Use kind.',
    },
  },
  {
    beside: 'since',
    advice: {
      'start|from|after|min': 'Use since, a time such as 2026-01-31T12:00:00Z.',
    },
  },
  {
    beside: 'until',
    advice: {
      'end|to|before|until|max': 'Use until, a time such as 2026-01-31T12:00:00Z.',
    },
  },
  {
    beside: 'target',
    advice: {
      'url|site|domain': 'Use target.',
    },
  },
  {
    beside: 'cursor',
    advice: {
      '=page|offset|skip|start|after|next|number': 'Use cursor, with the one of the previous response.',
    },
  },
  {
    beside: 'offset',
    advice: {
      '=page|skip|start|cursor|number': 'Use offset, the number of entries to pass over.',
    },
  },
  {
    beside: 'skip',
    advice: {
      '=page|offset|start|cursor|from|number': 'Use skip, the number of entries to pass over.',
    },
  },
  {
    beside: 'limit',
    advice: {
      'size|per|count|max|limit': 'Use limit.',
    },
  },
  {
    beside: 'status',
    advice: {
      state: 'Use status.',
    },
  },
  {
    beside: 'format',
    advice: {
      'type|as|ext': 'Use format.',
    },
  },
];
