import { z } from 'zod';

export const VisibleText = z.object({
  /** Its visible text, an entry for each line. */
  lines: z.array(z.string().max(1_000)).max(1_000),
  title: z.string().max(1_000),
  /** Whether the page has a loading indicator: a spinner, a progress bar or a skeleton. */
  hasSpinner: z.boolean(),
});

/** The visible text of a page, for pages with very little of it. */
export type VisibleText = z.infer<typeof VisibleText>;

/** Maximum characters of a line that may be a title, and of a line that may ask visitors to wait. */
const MAX_TITLE_LENGTH = 60;
const MAX_REQUEST_LENGTH = 120;

/**
 * Whether a page is a placeholder: it only asks visitors to wait, in one of about thirty languages, or only
 * shows its title and a loading indicator. One more short line, such as a name or a slogan, is allowed.
 */
export function isPlaceholder({ lines, title, hasSpinner }: VisibleText): boolean {
  const said = lines.map(simplify).filter(Boolean);
  const rest = said.filter((line) => !asksToWait(line));
  if (rest.length === said.length && !hasSpinner) return false;
  const heading = simplify(title);
  const others = rest.filter((line) => !heading.includes(line));
  return others.length === 0 || (others.length === 1 && others[0]!.length <= MAX_TITLE_LENGTH);
}

/**
 * Normalizes a line to letters and digits in lower case. A line with only digits, such as a percentage,
 * becomes empty.
 */
function simplify(line: string): string {
  const words = line
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ');
  return /\p{L}/u.test(words) ? words.trim() : '';
}

const asksToWait = (line: string) =>
  line.length <= MAX_REQUEST_LENGTH &&
  (STARTS_WITH_REQUEST.test(line) || ENDS_WITH_REQUEST.test(line) || REQUEST_WITHOUT_SPACES.test(line));

/** Phrases of languages that separate words by blanks. A line must begin or end with one of these. */
const REQUESTS = [
  // English
  '(?:now |still |app |page |content |data )?(?:re)?loading|please (?:wait|stand by|hold on)|(?:just )?(?:a|one) (?:moment|second|sec)(?: please)?',
  'hang (?:on|tight)|hold on|initiali[sz]ing|redirecting|(?:being|be) redirected|connecting|fetching|preparing|almost (?:there|ready)|one moment please',
  // German, Dutch
  '(?:wird|werden) geladen|lädt|lade|laden|ladevorgang|bitte (?:\\S+ ){0,2}warten|bitte haben sie (?:etwas |einen moment )?geduld|einen (?:kleinen )?(?:moment|augenblick)(?: bitte)?',
  'aan het laden|bezig met laden|even geduld(?: a(?:ub|lstublieft))?|een (?:ogenblik|moment)(?: geduld)?|wordt geladen|even wachten',
  // French, Spanish, Catalan, Portuguese, Italian, Romanian
  'chargement|en cours de chargement|(?:veuillez|merci de) patienter|patientez(?: s il vous plaît)?|un (?:instant|moment)(?: s il vous plaît)?',
  'cargando|(?:por favor )?esper[ea](?: por favor| un momento)?|un momento(?: por favor)?|carregant|espereu',
  'carregando|a carregar|aguarde|por favor aguarde|um momento(?: por favor)?|só um (?:momento|instante)',
  'caricamento(?: in corso)?|attendere(?: prego)?|attendi|un attimo(?: per favore| di pazienza)?',
  'se încarcă|încărcare|vă rugăm (?:să )?așteptați|așteptați',
  // Swedish, Danish, Norwegian, Finnish
  'laddar|läser in|(?:var god )?vänta|vänligen vänta|ett ögonblick',
  'indlæser|henter|vent venligst|et øjeblik|laster(?: inn)?|vennligst vent|et øyeblikk',
  'ladataan|odota(?: hetki)?|hetkinen',
  // Polish, Czech, Slovak, Hungarian, Croatian and Serbian
  'ładowanie|wczytywanie|trwa (?:ładowanie|wczytywanie)|(?:proszę )?(?:czekać|czekaj|poczekać)|chwileczkę',
  'načítání|načítám|načítá se|načítava sa|načítavam|čekejte(?: prosím)?|počkejte(?: prosím)?|prosím (?:po)?čakajte|okamžik',
  'betöltés(?: folyamatban)?|betöltődik|kérjük(?: várjon)?|kis türelmet',
  'učitavanje|učitava se|(?:molimo )?(?:pri|sa)čekajte|учитавање',
  // Russian, Ukrainian, Bulgarian, Greek, Turkish
  '(?:идет |идёт )?загрузка|загружается|загружаем|(?:пожалуйста )?подождите(?: пожалуйста)?|секундочку|минуточку',
  '(?:триває )?завантаження|завантажується|(?:будь ласка )?зачекайте(?: будь ласка)?|зареждане|зарежда се|моля (?:из)?чакайте',
  'φόρτωση|φορτώνει|(?:παρακαλώ )?περιμένετε|yükleniyor|(?:lütfen )?bekleyin(?:iz)?|bir dakika lütfen',
  // Arabic, Persian, Hebrew, Hindi
  'جار(?:ي)? (?:ال)?تحميل|(?:يرجى|الرجاء) الانتظار|انتظر(?: من فضلك)?|در حال بارگذاری|بارگذاری|لطفا (?:صبر|منتظر).*',
  'טוען|בטעינה|אנא (?:המתן|המתינו)|רק רגע|लोड हो रहा है|लोड हो रही है|कृपया प्रतीक्षा करें',
  // Vietnamese, Indonesian and Malay
  'đang tải|vui lòng (?:chờ|đợi)|xin (?:vui lòng )?(?:chờ|đợi)|(?:sedang )?memuat|(?:mohon|harap|sila) tunggu|memuatkan|tunggu sebentar',
]
  .join('|')
  .normalize('NFKC');

const STARTS_WITH_REQUEST = new RegExp(`^(?:${REQUESTS})(?: |$)`, 'u');
const ENDS_WITH_REQUEST = new RegExp(`(?:^| )(?:${REQUESTS})$`, 'u');

/**
 * Phrases of languages without blanks between words, and of Korean, whose words have endings. They match
 * anywhere in a line.
 */
const REQUEST_WITHOUT_SPACES = new RegExp(
  '加载中|正在加载|载入中|正在载入|加載中|載入中|讀取中|读取中|请稍[候等后]|請稍[候等後]|稍[候等后後]片刻|読み?込み?中|読み?込んで|ロード中|ローディング|お待ち(?:ください|下さい)|로딩|로드 ?중|불러오는|불러오고|기다려 ?주|กำลังโหลด|โปรดรอ|กรุณารอ|รอสักครู่'.normalize(
    'NFKC',
  ),
  'u',
);
