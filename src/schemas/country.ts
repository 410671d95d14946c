import { quote } from '../errors.ts';

/** A country as a browser there appears to sites. One city stands for the whole country. */
export interface Country {
  /** ISO 3166-1 alpha-2, in upper case. */
  code: string;
  /** Most common written language (likely subtags of CLDR), for example `de`. */
  language: string;
  /** IANA time zone. */
  timezone: string;
  /** Latitude and longitude in degrees. */
  latitude: number;
  longitude: number;
}

/**
 * Finds a country by its ISO 3166-1 alpha-2 code in either case, or by an alias in CLDR such as `uk`.
 * @returns `undefined` for an unknown code
 */
export function findCountry(code: string): Country | undefined {
  const region = /^[a-z]{2}$/i.test(code) ? new Intl.Locale(`und-${code}`).region : undefined;
  const row = region === undefined ? undefined : PLACES.get(region);
  if (!region || !row) return undefined;
  const [latitude, longitude, timezone = ''] = row;
  const { language } = new Intl.Locale(`und-${region}`).maximize();
  return { code: region, language, timezone, latitude: Number(latitude), longitude: Number(longitude) };
}

/** Names of countries in codes of three letters, or as people write them. */
const COUNTRY_NAMES: Readonly<Record<string, string>> = {
  usa: 'US',
  america: 'US',
  england: 'GB',
  gbr: 'GB',
  deu: 'DE',
  ger: 'DE',
  fra: 'FR',
  esp: 'ES',
  ita: 'IT',
  jpn: 'JP',
  can: 'CA',
  aus: 'AU',
  bra: 'BR',
  ind: 'IN',
  chn: 'CN',
};

/** Finds the code of a country by its name, a code of three letters or a locale; undefined for other texts. */
export function codeOfCountry(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  const region = /^(?:[a-z]{2,3}[-_])?([a-z]{2})$/.exec(name)?.[1];
  return (
    (region && findCountry(region)?.code) ??
    (Object.hasOwn(COUNTRY_NAMES, name) ? COUNTRY_NAMES[name] : undefined) ??
    findCodeByName(name)
  );
}

/** Says that a value is no code of a country, and which one is meant by the name of a country or a locale. */
export function countryFault(value: unknown): string {
  const code = codeOfCountry(String(value));
  const advice = code ? `. Write ${quote(code)}` : '';
  return `country must be an ISO 3166-1 alpha-2 code such as DE, not ${quote(String(value))}${advice}`;
}

/** Made once: that takes longer than to look for a name in it. */
let names: Intl.DisplayNames | undefined;

/** Finds the code of a country by its English name. */
function findCodeByName(name: string): string | undefined {
  names ??= new Intl.DisplayNames('en', { type: 'region' });
  return [...PLACES.keys()].find((code) => names?.of(code)?.toLowerCase() === name);
}

/**
 * Most populous time zone of each country with the coordinates of its city, from `zone.tab` of tzdata (public
 * domain).
 */
const TABLE = `
AD 42.5 1.52 Europe/Andorra
AE 25.3 55.3 Asia/Dubai
AF 34.52 69.2 Asia/Kabul
AG 17.05 -61.8 America/Antigua
AI 18.2 -63.07 America/Anguilla
AL 41.33 19.83 Europe/Tirane
AM 40.18 44.5 Asia/Yerevan
AO -8.8 13.23 Africa/Luanda
AQ -77.83 166.6 Antarctica/McMurdo
AR -34.6 -58.45 America/Argentina/Buenos_Aires
AS -14.27 -170.7 Pacific/Pago_Pago
AT 48.22 16.33 Europe/Vienna
AU -33.87 151.22 Australia/Sydney
AW 12.5 -69.97 America/Aruba
AX 60.1 19.95 Europe/Mariehamn
AZ 40.38 49.85 Asia/Baku
BA 43.87 18.42 Europe/Sarajevo
BB 13.1 -59.62 America/Barbados
BD 23.72 90.42 Asia/Dhaka
BE 50.83 4.33 Europe/Brussels
BF 12.37 -1.52 Africa/Ouagadougou
BG 42.68 23.32 Europe/Sofia
BH 26.38 50.58 Asia/Bahrain
BI -3.38 29.37 Africa/Bujumbura
BJ 6.48 2.62 Africa/Porto-Novo
BL 17.88 -62.85 America/St_Barthelemy
BM 32.28 -64.77 Atlantic/Bermuda
BN 4.93 114.92 Asia/Brunei
BO -16.5 -68.15 America/La_Paz
BQ 12.15 -68.28 America/Kralendijk
BR -23.53 -46.62 America/Sao_Paulo
BS 25.08 -77.35 America/Nassau
BT 27.47 89.65 Asia/Thimphu
BW -24.65 25.92 Africa/Gaborone
BY 53.9 27.57 Europe/Minsk
BZ 17.5 -88.2 America/Belize
CA 43.65 -79.38 America/Toronto
CC -12.17 96.92 Indian/Cocos
CD -4.3 15.3 Africa/Kinshasa
CF 4.37 18.58 Africa/Bangui
CG -4.27 15.28 Africa/Brazzaville
CH 47.38 8.53 Europe/Zurich
CI 5.32 -4.03 Africa/Abidjan
CK -21.23 -159.77 Pacific/Rarotonga
CL -33.45 -70.67 America/Santiago
CM 4.05 9.7 Africa/Douala
CN 31.23 121.47 Asia/Shanghai
CO 4.6 -74.08 America/Bogota
CR 9.93 -84.08 America/Costa_Rica
CU 23.13 -82.37 America/Havana
CV 14.92 -23.52 Atlantic/Cape_Verde
CW 12.18 -69 America/Curacao
CX -10.42 105.72 Indian/Christmas
CY 35.17 33.37 Asia/Nicosia
CZ 50.08 14.43 Europe/Prague
DE 52.5 13.37 Europe/Berlin
DJ 11.6 43.15 Africa/Djibouti
DK 55.67 12.58 Europe/Copenhagen
DM 15.3 -61.4 America/Dominica
DO 18.47 -69.9 America/Santo_Domingo
DZ 36.78 3.05 Africa/Algiers
EC -2.17 -79.83 America/Guayaquil
EE 59.42 24.75 Europe/Tallinn
EG 30.05 31.25 Africa/Cairo
EH 27.15 -13.2 Africa/El_Aaiun
ER 15.33 38.88 Africa/Asmara
ES 40.4 -3.68 Europe/Madrid
ET 9.03 38.7 Africa/Addis_Ababa
FI 60.17 24.97 Europe/Helsinki
FJ -18.13 178.42 Pacific/Fiji
FK -51.7 -57.85 Atlantic/Stanley
FM 6.97 158.22 Pacific/Pohnpei
FO 62.02 -6.77 Atlantic/Faroe
FR 48.87 2.33 Europe/Paris
GA 0.38 9.45 Africa/Libreville
GB 51.51 -0.13 Europe/London
GD 12.05 -61.75 America/Grenada
GE 41.72 44.82 Asia/Tbilisi
GF 4.93 -52.33 America/Cayenne
GG 49.45 -2.54 Europe/Guernsey
GH 5.55 -0.22 Africa/Accra
GI 36.13 -5.35 Europe/Gibraltar
GL 64.18 -51.73 America/Nuuk
GM 13.47 -16.65 Africa/Banjul
GN 9.52 -13.72 Africa/Conakry
GP 16.23 -61.53 America/Guadeloupe
GQ 3.75 8.78 Africa/Malabo
GR 37.97 23.72 Europe/Athens
GS -54.27 -36.53 Atlantic/South_Georgia
GT 14.63 -90.52 America/Guatemala
GU 13.47 144.75 Pacific/Guam
GW 11.85 -15.58 Africa/Bissau
GY 6.8 -58.17 America/Guyana
HK 22.28 114.15 Asia/Hong_Kong
HN 14.1 -87.22 America/Tegucigalpa
HR 45.8 15.97 Europe/Zagreb
HT 18.53 -72.33 America/Port-au-Prince
HU 47.5 19.08 Europe/Budapest
ID -6.17 106.8 Asia/Jakarta
IE 53.33 -6.25 Europe/Dublin
IL 31.78 35.22 Asia/Jerusalem
IM 54.15 -4.47 Europe/Isle_of_Man
IN 22.53 88.37 Asia/Kolkata
IO -7.33 72.42 Indian/Chagos
IQ 33.35 44.42 Asia/Baghdad
IR 35.67 51.43 Asia/Tehran
IS 64.15 -21.85 Atlantic/Reykjavik
IT 41.9 12.48 Europe/Rome
JE 49.18 -2.11 Europe/Jersey
JM 17.97 -76.79 America/Jamaica
JO 31.95 35.93 Asia/Amman
JP 35.65 139.74 Asia/Tokyo
KE -1.28 36.82 Africa/Nairobi
KG 42.9 74.6 Asia/Bishkek
KH 11.55 104.92 Asia/Phnom_Penh
KI 1.42 173 Pacific/Tarawa
KM -11.68 43.27 Indian/Comoro
KN 17.3 -62.72 America/St_Kitts
KP 39.02 125.75 Asia/Pyongyang
KR 37.55 126.97 Asia/Seoul
KW 29.33 47.98 Asia/Kuwait
KY 19.3 -81.38 America/Cayman
KZ 43.25 76.95 Asia/Almaty
LA 17.97 102.6 Asia/Vientiane
LB 33.88 35.5 Asia/Beirut
LC 14.02 -61 America/St_Lucia
LI 47.15 9.52 Europe/Vaduz
LK 6.93 79.85 Asia/Colombo
LR 6.3 -10.78 Africa/Monrovia
LS -29.47 27.5 Africa/Maseru
LT 54.68 25.32 Europe/Vilnius
LU 49.6 6.15 Europe/Luxembourg
LV 56.95 24.1 Europe/Riga
LY 32.9 13.18 Africa/Tripoli
MA 33.65 -7.58 Africa/Casablanca
MC 43.7 7.38 Europe/Monaco
MD 47 28.83 Europe/Chisinau
ME 42.43 19.27 Europe/Podgorica
MF 18.07 -63.08 America/Marigot
MG -18.92 47.52 Indian/Antananarivo
MH 7.15 171.2 Pacific/Majuro
MK 41.98 21.43 Europe/Skopje
ML 12.65 -8 Africa/Bamako
MM 16.78 96.17 Asia/Yangon
MN 47.92 106.88 Asia/Ulaanbaatar
MO 22.2 113.54 Asia/Macau
MP 15.2 145.75 Pacific/Saipan
MQ 14.6 -61.08 America/Martinique
MR 18.1 -15.95 Africa/Nouakchott
MS 16.72 -62.22 America/Montserrat
MT 35.9 14.52 Europe/Malta
MU -20.17 57.5 Indian/Mauritius
MV 4.17 73.5 Indian/Maldives
MW -15.78 35 Africa/Blantyre
MX 19.4 -99.15 America/Mexico_City
MY 3.17 101.7 Asia/Kuala_Lumpur
MZ -25.97 32.58 Africa/Maputo
NA -22.57 17.1 Africa/Windhoek
NC -22.27 166.45 Pacific/Noumea
NE 13.52 2.12 Africa/Niamey
NF -29.05 167.97 Pacific/Norfolk
NG 6.45 3.4 Africa/Lagos
NI 12.15 -86.28 America/Managua
NL 52.37 4.9 Europe/Amsterdam
NO 59.92 10.75 Europe/Oslo
NP 27.72 85.32 Asia/Kathmandu
NR -0.52 166.92 Pacific/Nauru
NU -19.02 -169.92 Pacific/Niue
NZ -36.87 174.77 Pacific/Auckland
OM 23.6 58.58 Asia/Muscat
PA 8.97 -79.53 America/Panama
PE -12.05 -77.05 America/Lima
PF -17.53 -149.57 Pacific/Tahiti
PG -9.5 147.17 Pacific/Port_Moresby
PH 14.59 120.97 Asia/Manila
PK 24.87 67.05 Asia/Karachi
PL 52.25 21 Europe/Warsaw
PM 47.05 -56.33 America/Miquelon
PN -25.07 -130.08 Pacific/Pitcairn
PR 18.47 -66.11 America/Puerto_Rico
PS 31.5 34.47 Asia/Gaza
PT 38.72 -9.13 Europe/Lisbon
PW 7.33 134.48 Pacific/Palau
PY -25.27 -57.67 America/Asuncion
QA 25.28 51.53 Asia/Qatar
RE -20.87 55.47 Indian/Reunion
RO 44.43 26.1 Europe/Bucharest
RS 44.83 20.5 Europe/Belgrade
RU 55.76 37.62 Europe/Moscow
RW -1.95 30.07 Africa/Kigali
SA 24.63 46.72 Asia/Riyadh
SB -9.53 160.2 Pacific/Guadalcanal
SC -4.67 55.47 Indian/Mahe
SD 15.6 32.53 Africa/Khartoum
SE 59.33 18.05 Europe/Stockholm
SG 1.28 103.85 Asia/Singapore
SH -15.92 -5.7 Atlantic/St_Helena
SI 46.05 14.52 Europe/Ljubljana
SJ 78 16 Arctic/Longyearbyen
SK 48.15 17.12 Europe/Bratislava
SL 8.5 -13.25 Africa/Freetown
SM 43.92 12.47 Europe/San_Marino
SN 14.67 -17.43 Africa/Dakar
SO 2.07 45.37 Africa/Mogadishu
SR 5.83 -55.17 America/Paramaribo
SS 4.85 31.62 Africa/Juba
ST 0.33 6.73 Africa/Sao_Tome
SV 13.7 -89.2 America/El_Salvador
SX 18.05 -63.05 America/Lower_Princes
SY 33.5 36.3 Asia/Damascus
SZ -26.3 31.1 Africa/Mbabane
TC 21.47 -71.13 America/Grand_Turk
TD 12.12 15.05 Africa/Ndjamena
TF -49.35 70.22 Indian/Kerguelen
TG 6.13 1.22 Africa/Lome
TH 13.75 100.52 Asia/Bangkok
TJ 38.58 68.8 Asia/Dushanbe
TK -9.37 -171.23 Pacific/Fakaofo
TL -8.55 125.58 Asia/Dili
TM 37.95 58.38 Asia/Ashgabat
TN 36.8 10.18 Africa/Tunis
TO -21.13 -175.2 Pacific/Tongatapu
TR 41.02 28.97 Europe/Istanbul
TT 10.65 -61.52 America/Port_of_Spain
TV -8.52 179.22 Pacific/Funafuti
TW 25.05 121.5 Asia/Taipei
TZ -6.8 39.28 Africa/Dar_es_Salaam
UA 50.43 30.52 Europe/Kyiv
UG 0.32 32.42 Africa/Kampala
UM 28.22 -177.37 Pacific/Midway
US 40.71 -74.01 America/New_York
UY -34.91 -56.21 America/Montevideo
UZ 41.33 69.3 Asia/Tashkent
VA 41.9 12.45 Europe/Vatican
VC 13.15 -61.23 America/St_Vincent
VE 10.5 -66.93 America/Caracas
VG 18.45 -64.62 America/Tortola
VI 18.35 -64.93 America/St_Thomas
VN 10.75 106.67 Asia/Ho_Chi_Minh
VU -17.67 168.42 Pacific/Efate
WF -13.3 -176.17 Pacific/Wallis
WS -13.83 -171.73 Pacific/Apia
YE 12.75 45.2 Asia/Aden
YT -12.78 45.23 Indian/Mayotte
ZA -26.25 28 Africa/Johannesburg
ZM -15.42 28.28 Africa/Lusaka
ZW -17.83 31.05 Africa/Harare
`;
const PLACES = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => {
      const [code = '', ...place] = line.split(' ');
      return [code, place] as const;
    }),
);
