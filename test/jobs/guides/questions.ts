/**
 * Questions as users ask them, each with the sections that answer it: the first one found must be among them.
 * They were written before the search was.
 */
export const QUESTIONS: [question: string, sections: string[]][] = [
  ['How do I scrape a page and get markdown back?', ['scrape#get-a-page-as-markdown']],
  [
    'The page loads its text with JavaScript after a few seconds, how can I wait for it?',
    ['scrape#wait-for-content-that-appears-late'],
  ],
  ['What is the maximum timeout of a scrape?', ['scrape#set-a-timeout']],
  ['I only want the article element, not the navigation', ['scrape#keep-only-a-part-of-the-page']],
  ['How can I send cookies with the request?', ['scrape#send-headers-and-cookies']],
  ['How do I click a button before the page is scraped?', ['scrape#click-type-and-scroll-before-scraping']],
  ['I get an old version of the page, how do I bypass the cache?', ['scrape#cached-copies-and-fresh-pages']],
  ['Can I emulate a phone?', ['scrape#mobile-pages-languages-and-countries']],
  ['How do I scrape as a visitor from Germany?', ['scrape#mobile-pages-languages-and-countries']],
  [
    'What does proxy enhanced cost?',
    ['scrape#proxies-and-sites-that-block-you', 'account#what-requests-cost'],
  ],
  [
    'The site has a self-signed certificate',
    ['scrape#certificates-that-are-not-valid', 'errors#scrape-ssl-error'],
  ],
  ['How can I stay logged in to a site between scrapes?', ['scrape#stay-logged-in-with-a-browser-profile']],
  ['Does it remove cookie banners?', ['scrape#advertisements-and-cookie-banners']],
  ['How do I make sure that nothing of my request is stored?', ['scrape#zero-data-retention']],
  ['How long can I read a result by its id?', ['scrape#read-a-result-later']],
  [
    'My crawl returned only one page',
    ['troubleshooting#the-crawl-finds-only-one-page', 'crawl#which-pages-belong-to-a-crawl'],
  ],
  ['How do I crawl only the blog section?', ['crawl#include-and-exclude-paths']],
  ['How many pages does a crawl visit at most?', ['crawl#limit-and-depth']],
  ['Does the crawler respect robots.txt?', ['crawl#robots-txt']],
  ['How can I crawl more slowly?', ['crawl#slow-down-a-crawl']],
  ['Can I use the sitemap only?', ['crawl#sitemaps']],
  ['How do I cancel a running crawl?', ['crawl#pause-resume-change-and-cancel']],
  ['Which pages of my crawl failed?', ['crawl#pages-that-failed']],
  ['How do I scrape a list of 500 URLs?', ['batch#start-a-batch']],
  ['Can I add more URLs to a batch that is already running?', ['batch#add-urls-to-a-running-batch']],
  ['How do I avoid starting the same job twice when I retry?', ['batch#send-a-request-only-once']],
  ['Convert a Word document to markdown', ['parse#upload-a-file']],
  ['Text from a scanned PDF', ['parse#scanned-documents-and-ocr', 'errors#scrape-pdf-ocr-required']],
  ['List all URLs of a website', ['map#map-a-site']],
  ['How do I take a full page screenshot?', ['formats#screenshots']],
  ['Extract the price as JSON with a schema', ['formats#extract-json-data-by-a-schema']],
  ['How can I find out whether a page has changed?', ['formats#notice-changes-of-a-page']],
  ['Connect Playwright to a remote browser', ['browser-sessions#open-a-browser-session']],
  ['When does a browser session expire?', ['browser-sessions#how-long-a-session-lives']],
  ['How do I check that a webhook really comes from you?', ['webhooks#verify-the-signature']],
  [
    'What happens when my webhook endpoint is down?',
    ['webhooks#retries-and-deliveries', 'webhooks#webhooks-that-do-not-arrive'],
  ],
  ['I get 429 too many requests', ['account#rate-limits', 'errors#rate-limited']],
  ['How many credits does a page cost?', ['account#what-requests-cost']],
  [
    'Scrape a server on localhost or in my intranet',
    ['self-hosting#allow-private-networks', 'errors#unsafe-domain-blocked'],
  ],
  ['What does SCRAPE_ALL_ENGINES_FAILED mean?', ['errors#scrape-all-engines-failed']],
];

/** Questions that have nothing to do with the service. */
export const OFF_TOPIC = [
  'What is the capital of Australia?',
  'How do I bake sourdough bread?',
  'Who won the football world cup in 1990?',
  'Write a poem about autumn leaves',
  'What is the meaning of life?',
  'How tall is Mount Everest?',
  'Which medicine helps against a headache?',
  'How do I change the oil of my car?',
  'What is the best stock to buy this year?',
  'Translate good morning into Japanese',
];
