import type { RequestListener } from 'node:http';
import type { Branding } from '../../../src/content/branding/analyze.ts';

/** A made-up site: its page, what it loads, and the brand that whoever made it had in mind. */
export interface Brand {
  html: string;
  files?: Record<string, string | RequestListener>;
  /** The whole answer must have these fields; `{origin}` stands for the site's own. */
  truth: DeepPartial<Branding>;
  /** Paths of fields that the result must not have. */
  absent?: string[];
}

type DeepPartial<Value> = Value extends string | number | unknown[]
  ? Value
  : { [Key in keyof Value]?: DeepPartial<Value[Key]> };

const PROSE =
  'We build instruments for people who measure rain, wind and the height of rivers, and we repair them for as long as they are used.';
const prose = (times = 3) => `<p>${PROSE}</p>`.repeat(times);
const page = (head: string, body: string, attributes = 'lang="en"') =>
  `<!doctype html><html ${attributes}><head><meta charset="utf-8">${head}</head><body>${body}</body></html>`;
const PIXEL =
  '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40"><rect width="160" height="40" fill="#0b5fff"/></svg>';
const picture: RequestListener = (_request, response) =>
  response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(PIXEL);

/** A light corporate site: everything by hand, a picture for a logo. */
const corporate: Brand = {
  html: page(
    `<title>Rainworks</title><meta property="og:site_name" content="Rainworks">
     <meta property="og:image" content="/social.png">
     <link rel="icon" href="/favicon.ico"><link rel="icon" href="/icon-192.png" sizes="192x192" type="image/png">
     <link rel="apple-touch-icon" href="/touch.png">
     <style>
       body { margin: 0; background: #fff; color: #1f2933; font: 16px/1.5 "Source Sans 3", Arial, sans-serif }
       h1, h2, h3 { font-family: Poppins, Arial, sans-serif; font-weight: 700; line-height: 1.2; color: #102a43 }
       h1 { font-size: 48px } h2 { font-size: 32px } h3 { font-size: 24px }
       header { display: flex; gap: 24px; padding: 16px 32px } main { padding: 32px } section { padding: 24px 16px }
       a { color: #0b5fff } .note { color: #627d98; font-size: 14px }
       .button { display: inline-block; padding: 12px 24px; border-radius: 6px; text-decoration: none; font-weight: 600 }
       .button.first { background: #0b5fff; color: #fff; box-shadow: 0 2px 4px rgba(0, 0, 0, .2) }
       .button.second { background: #fff; color: #0b5fff; border: 1px solid #0b5fff }
       input { border: 1px solid #bcccdc; border-radius: 4px; padding: 8px 12px; background: #f0f4f8; color: #243b53 }
       .promo { background: #ff7a00; color: #fff; padding: 16px }
     </style>`,
    `<header><a href="/"><img class="logo" src="/logo.svg" alt="Rainworks logo" width="160" height="40"></a>
       <nav><a href="/a">Products</a> <a href="/b">Service</a></nav></header>
     <main><h1>Instruments for weather</h1>${prose()}<p>Read <a href="/c">how it is made</a>.</p>
       <a class="button first" href="/buy">Order now</a> <a class="button second" href="/talk">Talk to us</a>
       <section><h2>What we make</h2>${prose(2)}<h3>Gauges</h3>${prose(1)}<p class="note">${PROSE}</p></section>
       <div class="promo">Free shipping until the end of the month</div>
       <form><input type="email" placeholder="Mail"></form>
       <div class="partners"><a href="https://example.org/"><img src="/partner.svg" class="logo" width="160" height="40"></a></div>
     </main><footer><a href="/imprint">Imprint</a></footer>`,
  ),
  files: { '/logo.svg': picture, '/partner.svg': picture },
  truth: {
    colorScheme: 'light',
    brandName: 'Rainworks',
    logo: '{origin}/logo.svg',
    colors: {
      primary: '#0b5fff',
      secondary: '#ff7a00',
      background: '#ffffff',
      textPrimary: '#1f2933',
      textSecondary: '#627d98',
      link: '#0b5fff',
    },
    fonts: [
      { family: 'Source Sans 3', role: 'body' },
      { family: 'Poppins', role: 'heading' },
    ],
    typography: {
      fontFamilies: { primary: 'Source Sans 3', heading: 'Poppins' },
      fontStacks: {
        body: ['Source Sans 3', 'Arial', 'sans-serif'],
        heading: ['Poppins', 'Arial', 'sans-serif'],
      },
      fontSizes: { h1: '48px', h2: '32px', h3: '24px', body: '16px' },
      lineHeights: { body: '24px' },
      fontWeights: { regular: 400, bold: 700 },
    },
    spacing: { baseUnit: 8, borderRadius: '6px' },
    components: {
      buttonPrimary: {
        background: '#0b5fff',
        textColor: '#ffffff',
        borderRadius: '6px',
        shadow: 'rgba(0, 0, 0, 0.2) 0px 2px 4px 0px',
      },
      buttonSecondary: {
        background: '#ffffff',
        textColor: '#0b5fff',
        borderColor: '#0b5fff',
        borderRadius: '6px',
      },
      input: { background: '#f0f4f8', textColor: '#243b53', borderColor: '#bcccdc', borderRadius: '4px' },
    },
    images: { logo: '{origin}/logo.svg', favicon: '{origin}/icon-192.png', ogImage: '{origin}/social.png' },
  },
  absent: ['colors.accent', 'colors.success', 'typography.fontFamilies.code'],
};

/** A dark site of a tool for developers, its logo a drawing, its text in shades of white. */
const dark: Brand = {
  html: page(
    `<title>Deepcast</title><link rel="icon" href="/icon.svg" type="image/svg+xml">
     <link rel="icon" href="/icon.png" sizes="512x512">
     <style>
       body { margin: 0; background: #0b0e14 } #root { background: #10141d; min-height: 100vh; color: rgba(255, 255, 255, .87);
         font: 15px/1.6 "IBM Plex Sans", sans-serif }
       code { font-family: "IBM Plex Mono", monospace } .muted { color: rgba(255, 255, 255, .5) }
       h1 { font-size: 40px; font-weight: 600; margin: 0 } .wordmark { color: #22d3ee } .wordmark path { fill: currentColor }
       header, main { padding: 10px 20px } section { padding: 30px 10px; margin: 0 }
       button { font: inherit; border: 0; border-radius: 9999px; padding: 10px 20px; background: #22d3ee; color: #042f2e }
       button.ghost { background: transparent; color: #fff; border: 1px solid rgba(255, 255, 255, .2) }
       a { color: #67e8f9 }
     </style>`,
    `<div id="root"><header><a href="/" aria-label="Deepcast home"><svg class="wordmark" width="120" height="30" viewBox="0 0 12 3">
       <script>window.ran = true</script><path d="M0 0h12v3h-12z" onclick="alert(1)"/></svg></a>
       <button class="ghost">Sign in</button></header>
     <main><h1>Logs that answer</h1>${prose()}<p class="muted">${PROSE}</p><p>See <a href="/docs">the handbook</a>.</p>
       <section><button>Start for free</button></section><section><pre><code>deepcast tail --since 5m api</code></pre></section></main></div>`,
  ),
  truth: {
    colorScheme: 'dark',
    brandName: 'Deepcast',
    colors: {
      primary: '#22d3ee',
      background: '#10141d',
      textPrimary: '#e0e0e2',
      textSecondary: '#888a8e',
      link: '#67e8f9',
    },
    fonts: [
      { family: 'IBM Plex Sans', role: 'body' },
      { family: 'IBM Plex Mono', role: 'monospace' },
    ],
    typography: {
      fontFamilies: { primary: 'IBM Plex Sans', heading: 'IBM Plex Sans', code: 'IBM Plex Mono' },
      fontSizes: { h1: '40px', body: '15px' },
      fontWeights: { regular: 400, bold: 600 },
      lineHeights: { body: '24px' },
    },
    spacing: { baseUnit: 10, borderRadius: '9999px' },
    components: {
      buttonPrimary: { background: '#22d3ee', textColor: '#042f2e', borderRadius: '9999px' },
      buttonSecondary: {
        background: 'transparent',
        textColor: '#ffffff',
        borderColor: '#40434a',
        borderRadius: '9999px',
      },
    },
    images: { favicon: '{origin}/icon.svg' },
  },
  absent: ['images.ogImage', 'components.input'],
};

/** Utility classes as Tailwind makes them, with its greys and its fonts of the system. */
const utilities: Brand = {
  html: page(
    `<title>Utility</title><style>
       *, ::before, ::after { box-sizing: border-box; border: 0 solid #e5e7eb }
       html { font-family: ui-sans-serif, system-ui, sans-serif, "Apple Color Emoji"; line-height: 1.5 } body { margin: 0 }
       h1, h2 { font-size: inherit; font-weight: inherit; margin: 0 } p { margin: 0 } a { color: inherit; text-decoration: inherit }
       button, input { font: inherit; color: inherit; background: transparent; padding: 0 }
       .bg-slate-50 { background: #f8fafc } .bg-white { background: #fff } .bg-indigo-600 { background: #4f46e5 }
       .bg-slate-900 { background: #0f172a } .text-white { color: #fff } .text-slate-900 { color: #0f172a }
       .text-slate-600 { color: #475569 } .text-indigo-600 { color: #4f46e5 } .text-4xl { font-size: 2.25rem; line-height: 2.5rem }
       .font-bold { font-weight: 700 } .font-medium { font-weight: 500 } .rounded-lg { border-radius: .5rem }
       .p-4 { padding: 1rem } .px-5 { padding-left: 1.25rem; padding-right: 1.25rem } .py-3 { padding-top: .75rem; padding-bottom: .75rem }
       .p-8 { padding: 2rem } .gap-3 { gap: .75rem } .flex { display: flex } .border { border-width: 1px }
       .border-slate-300 { border-color: #cbd5e1 } .shadow { box-shadow: 0 1px 3px 0 rgb(0 0 0 / .1) }
     </style>`,
    `<nav class="flex gap-3 p-4 bg-slate-900 text-white"><a href="/" class="font-bold">utility.css</a><a href="/x">Docs</a></nav>
     <main class="p-8"><h1 class="text-4xl font-bold text-slate-900">Measure twice</h1>
       <p class="text-slate-600">${PROSE}</p><p class="text-slate-600">${PROSE} <a class="text-indigo-600" href="/y">More</a></p>
       <div class="flex gap-3 p-4"><a href="/go" class="flex px-5 py-3 rounded-lg bg-indigo-600 text-white font-medium">Get started</a>
       <a href="/z" class="flex px-5 py-3 rounded-lg bg-white text-slate-900 border border-slate-300">Live demo</a></div>
       <input class="border border-slate-300 rounded-lg px-5 py-3 shadow" placeholder="Mail"></main>`,
    'lang="en" class="bg-slate-50"',
  ),
  truth: {
    colorScheme: 'light',
    colors: {
      primary: '#4f46e5',
      background: '#f8fafc',
      textPrimary: '#0f172a',
      textSecondary: '#475569',
      link: '#4f46e5',
    },
    fonts: [{ family: 'system-ui', role: 'body' }],
    typography: {
      fontFamilies: { primary: 'system-ui', heading: 'system-ui' },
      fontSizes: { h1: '36px', body: '16px' },
      lineHeights: { heading: '40px', body: '24px' },
      fontWeights: { regular: 400, medium: 500, bold: 700 },
    },
    spacing: { baseUnit: 4, borderRadius: '8px' },
    components: {
      buttonPrimary: { background: '#4f46e5', textColor: '#ffffff', borderRadius: '8px' },
      buttonSecondary: {
        background: '#ffffff',
        textColor: '#0f172a',
        borderColor: '#cbd5e1',
        borderRadius: '8px',
      },
      input: {
        background: 'transparent',
        borderColor: '#cbd5e1',
        borderRadius: '8px',
        shadow: 'rgba(0, 0, 0, 0.1) 0px 1px 3px 0px',
      },
    },
  },
  // A name in letters is no picture; no other colour is shown.
  absent: ['logo', 'images.logo', 'images.favicon', 'colors.secondary', 'colors.accent'],
};

/** Custom properties in OKLCH, the names of their roles, and the numbers of HSL alone. */
const variables: Brand = {
  html: page(
    `<title>Tokens</title><style>
       :root { --background: oklch(1 0 0); --foreground: oklch(0.25 0.02 260); --primary: oklch(0.55 0.22 300);
         --primary-foreground: oklch(0.98 0 0); --color-secondary: 173 80% 36%; --accent: oklch(0.75 0.18 60);
         --success: oklch(0.6 0.15 150); --warning: #f59e0b; --destructive: oklch(0.58 0.22 27); --radius: 10px;
         --vivid-red: #ff0000 }
       body { margin: 0; background: var(--background); color: var(--foreground); font: 16px/1.75 Geist, sans-serif }
       .btn { background: var(--primary); color: var(--primary-foreground); border: 0; border-radius: var(--radius); padding: 12px 18px }
       .btn-2 { background: hsl(var(--color-secondary)); color: #fff; border: 0; border-radius: var(--radius); padding: 12px 18px }
       .banner { background: var(--accent); padding: 18px } .huge { background: #14532d; color: #fff; padding: 60px 18px }
       main { padding: 24px } section { padding: 6px 12px }
     </style>`,
    `<main><h1>Tokens</h1>${prose()}<section><button class="btn">Install</button> <button class="btn-2">Compare</button></section>
     <section class="banner">New: version two is out</section></main><section class="huge">${PROSE}</section>`,
  ),
  truth: {
    colorScheme: 'light',
    colors: {
      primary: '#8843db',
      secondary: '#12a594',
      accent: '#fe8d00',
      background: '#ffffff',
      success: '#25984d',
      warning: '#f59e0b',
      error: '#df2225',
    },
    typography: { fontFamilies: { primary: 'Geist' } },
    spacing: { baseUnit: 6, borderRadius: '10px' },
    components: {
      buttonPrimary: { background: '#8843db', textColor: '#f8f8f8', borderRadius: '10px' },
      buttonSecondary: { background: '#12a594', textColor: '#ffffff' },
    },
  },
  absent: ['colors.link', 'components.input'],
};

/** The classes and names of Bootstrap, which names colours that the page does not show. */
const bootstrap: Brand = {
  html: page(
    `<title>Strap</title><style>
       :root { --bs-blue: #0d6efd; --bs-primary: #6f42c1; --bs-secondary: #6c757d; --bs-success: #198754; --bs-warning: #ffc107;
         --bs-danger: #dc3545; --bs-primary-rgb: 111, 66, 193; --bs-primary-text-emphasis: #052c65; --bs-body-bg: #fff }
       body { margin: 0; font: 400 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: #212529; background: var(--bs-body-bg) }
       h1 { font-size: 2.5rem; font-weight: 500; line-height: 1.2 } .navbar { padding: 8px 16px; background: #f8f9fa }
       .container { padding: 16px 24px } .btn { display: inline-block; padding: 8px 16px; border: 1px solid transparent; border-radius: 6px; font: inherit; cursor: pointer }
       .btn-primary { background: var(--bs-primary); border-color: var(--bs-primary); color: #fff }
       .btn-outline-secondary { color: #6c757d; border-color: #6c757d; background: transparent }
       .form-control { display: block; padding: 6px 12px; border: 1px solid #dee2e6; border-radius: 6px; background: #fff; color: #212529 }
       .alert-danger { background: #f8d7da; color: #842029; padding: 16px } a { color: #6f42c1 } .text-muted { color: #6c757d }
     </style>`,
    `<nav class="navbar"><a class="navbar-brand" href="/"><img src="/brand.png" alt="Strap" width="30" height="24"> Strap</a></nav>
     <div class="container"><h1>Straps</h1>${prose()}<p class="text-muted">${PROSE}</p><p><a href="/s">Sizes</a> of all of them</p>
     <div class="alert-danger">Out of stock</div><button class="btn btn-primary">Save</button>
     <button class="btn btn-outline-secondary">Cancel</button><input class="form-control" type="text"></div>`,
  ),
  truth: {
    colorScheme: 'light',
    brandName: 'Strap',
    logo: '{origin}/brand.png',
    colors: {
      primary: '#6f42c1',
      background: '#ffffff',
      textPrimary: '#212529',
      textSecondary: '#6c757d',
      link: '#6f42c1',
      success: '#198754',
      warning: '#ffc107',
      error: '#dc3545',
    },
    fonts: [{ family: 'system-ui', role: 'body' }],
    typography: { fontSizes: { h1: '40px', body: '16px' }, fontWeights: { regular: 400, medium: 500 } },
    spacing: { baseUnit: 8, borderRadius: '6px' },
    components: {
      buttonPrimary: {
        background: '#6f42c1',
        textColor: '#ffffff',
        borderColor: '#6f42c1',
        borderRadius: '6px',
      },
      buttonSecondary: { background: 'transparent', textColor: '#6c757d', borderColor: '#6c757d' },
      input: { background: '#ffffff', textColor: '#212529', borderColor: '#dee2e6', borderRadius: '6px' },
    },
    images: { logo: '{origin}/brand.png' },
  },
  absent: ['colors.secondary'],
};

/** A hero with a button of two colours; a logo that only structured data knows; an icon of the manifest. */
const gradient: Brand = {
  html: page(
    `<title>Aurora</title><link rel="manifest" href="/app/site.webmanifest">
     <script type="application/ld+json">{ broken</script>
     <script type="application/ld+json">{"@context": "https://schema.org", "@graph": [{"@type": "WebPage", "name": "Start"},
       {"@type": "Organization", "name": "Aurora Labs", "logo": {"@type": "ImageObject", "url": "/press/logo.png"}}]}</script>
     <style>
       body { margin: 0; color: #222; font: 18px/1.5 Manrope, sans-serif } .hero { padding: 80px 40px }
       .cta { display: inline-block; padding: 16px 32px; border-radius: 12px; color: #fff; text-decoration: none;
         background: linear-gradient(90deg, #ff0080, #7928ca) }
     </style>`,
    `<header><a href="/">Aurora</a></header><div class="hero"><h1>Light at night</h1>${prose()}
     <a class="cta" href="/go">See it</a></div>`,
  ),
  files: {
    '/app/site.webmanifest': (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'application/manifest+json' }).end(
        JSON.stringify({
          icons: [
            { src: 'small.png', sizes: '48x48' },
            { src: 'big.png', sizes: '512x512' },
          ],
        }),
      ),
  },
  truth: {
    brandName: 'Aurora Labs',
    logo: '{origin}/press/logo.png',
    colors: { primary: '#ff0080', secondary: '#7928ca', background: '#ffffff', textPrimary: '#222222' },
    fonts: [{ family: 'Manrope', role: 'body' }],
    components: {
      buttonPrimary: {
        background: '#ff0080',
        gradient: 'linear-gradient(90deg, #ff0080, #7928ca)',
        textColor: '#ffffff',
        borderRadius: '12px',
      },
    },
    images: { favicon: '{origin}/app/big.png' },
  },
  absent: ['components.buttonSecondary'],
};

/** A blog in serifs: no buttons, a colour for links only, paper for a background. */
const blog: Brand = {
  html: page(
    `<title>Notes</title><style>
       body { margin: 0 auto; max-width: 640px; padding: 24px; background: #fdf6e3; color: #3b3a36; font: 20px/1.6 Lora, Georgia, serif }
       h1, h2 { font-family: "Playfair Display", Georgia, serif; font-weight: 400 } h1 { font-size: 52px } h2 { font-size: 30px }
       a { color: #b5332e } time { color: #8a8578 } pre { font: 14px/1.4 "Fira Code", monospace; background: #f5ecd0; padding: 16px }
     </style>`,
    `<header><a href="/">Notes from the hill</a></header><article><h1>On reading gauges</h1><time>May 2, 2026</time>${prose(4)}
     <h2>The long way</h2>${prose(3)}<p>As <a href="/old">I wrote before</a>, ${PROSE}</p><pre>rain | mean</pre></article>`,
  ),
  truth: {
    colorScheme: 'light',
    colors: {
      primary: '#b5332e',
      background: '#fdf6e3',
      textPrimary: '#3b3a36',
      textSecondary: '#8a8578',
      link: '#b5332e',
    },
    fonts: [
      { family: 'Lora', role: 'body' },
      { family: 'Playfair Display', role: 'heading' },
      { family: 'Fira Code', role: 'monospace' },
    ],
    typography: {
      fontFamilies: { primary: 'Lora', heading: 'Playfair Display', code: 'Fira Code' },
      fontStacks: { body: ['Lora', 'Georgia', 'serif'], code: ['Fira Code', 'monospace'] },
      fontSizes: { h1: '52px', h2: '30px', body: '20px' },
      lineHeights: { body: '32px' },
    },
  },
  absent: [
    'components.buttonPrimary',
    'components.buttonSecondary',
    'components.input',
    'colors.secondary',
    'logo',
  ],
};

/** Written from right to left, its logo on the right, a background of the style sheet. */
const rightToLeft: Brand = {
  html: page(
    `<title>مرصد</title><style>
       body { margin: 0; background: #ffffff; color: #1c1917; font: 17px/1.8 Cairo, Tahoma, sans-serif }
       header { display: flex; justify-content: space-between; padding: 8px 24px; background: #065f46; color: #fff }
       .logo { display: block; width: 140px; height: 36px; background: url(/img/logo-ar.svg) no-repeat }
       main { padding: 24px } button { background: #065f46; color: #fff; border: 0; border-radius: 0; padding: 8px 16px }
       a { color: #047857 } .gold { background: #d4a017; padding: 16px 24px }
     </style>`,
    `<header><a class="logo" href="/ar/" aria-label="مرصد المطر"></a><nav><a href="/n" style="color: #fff">أخبار</a></nav></header>
     <main><h1>قياس المطر والرياح</h1><p>${'نصنع أدوات لقياس المطر والرياح وارتفاع الأنهار ونصلحها ما دامت مستعملة. '.repeat(4)}</p>
     <p><a href="/m">اقرأ المزيد</a></p><button>اطلب الآن</button><div class="gold">عرض خاص</div></main>`,
    'lang="ar" dir="rtl"',
  ),
  files: { '/img/logo-ar.svg': picture },
  truth: {
    colorScheme: 'light',
    brandName: 'مرصد المطر',
    logo: '{origin}/img/logo-ar.svg',
    colors: {
      primary: '#065f46',
      secondary: '#d4a017',
      background: '#ffffff',
      textPrimary: '#1c1917',
      link: '#047857',
    },
    fonts: [{ family: 'Cairo', role: 'body' }],
    spacing: { baseUnit: 8, borderRadius: '0px' },
    components: { buttonPrimary: { background: '#065f46', textColor: '#ffffff', borderRadius: '0px' } },
  },
};

/** Black and white, nothing else: nobody's colours. */
const minimal: Brand = {
  html: page(
    `<title>Studio</title><style>
       body { margin: 0; background: #fff; color: #000; font: 16px/1.4 "Helvetica Neue", Helvetica, sans-serif; padding: 40px }
       a { color: inherit } button { background: #000; color: #fff; border: 0; padding: 15px 25px }
     </style>`,
    `<h1>Studio</h1>${prose()}<p><a href="/w">Work</a></p><button>Write to us</button>`,
  ),
  truth: {
    colorScheme: 'light',
    colors: { background: '#ffffff', textPrimary: '#000000', link: '#000000' },
    fonts: [{ family: 'Helvetica Neue', role: 'body' }],
    components: { buttonPrimary: { background: '#000000', textColor: '#ffffff', borderRadius: '0px' } },
  },
  absent: ['colors.primary', 'colors.secondary', 'colors.accent', 'colors.textSecondary'],
};

/** Dark for those who ask for it, which a visitor does not. */
const preference: Brand = {
  html: page(
    `<title>Both</title><link rel="icon" href="/dark.png" sizes="96x96" media="(prefers-color-scheme: dark)">
     <link rel="icon" href="/light.png" sizes="32x32"><style>
       :root { color-scheme: light dark; --brand: #e11d48; --paper: #fffafa; --ink: #222 }
       @media (prefers-color-scheme: dark) { :root { --brand: #fb7185; --paper: #111; --ink: #eee } }
       html { background: var(--paper); color: var(--ink); font: 16px/1.5 Karla, sans-serif } h1 { color: var(--brand) }
     </style>`,
    `<picture><source srcset="/logo-dark.png" media="(prefers-color-scheme: dark)"><img class="logo" src="/logo-light.png" alt="Both" width="100" height="40"></picture>
     <h1>Day and night</h1>${prose()}`,
  ),
  files: { '/logo-light.png': picture, '/logo-dark.png': picture },
  truth: {
    colorScheme: 'light',
    brandName: 'Both',
    logo: '{origin}/logo-light.png',
    colors: { primary: '#e11d48', background: '#fffafa', textPrimary: '#222222' },
    images: { favicon: '{origin}/light.png' },
  },
};

/** Families as builds rename them, from the same origin; parts in shadow trees; a drawing by reference. */
const built: Brand = {
  html: page(
    `<title>Built</title><style>
       @font-face { font-family: "__Open_Sans_3a0388"; src: url(/media/a.woff2) } @font-face { font-family: "__Open_Sans_Fallback_3a0388"; src: local(Arial) }
       body { margin: 0; background: #fff; color: #111; font: 300 16px/1.5 "__Open_Sans_3a0388", "__Open_Sans_Fallback_3a0388", sans-serif }
       h1 { font-family: Sora, "Sora Fallback", sans-serif; font-weight: 800 }
     </style><svg hidden style="display: none"><symbol id="mark" viewBox="0 0 10 10"><circle id="dot" cx="5" cy="5" r="5"/></symbol></svg>`,
    `<site-header></site-header><main><h1>Built by machines</h1>${prose()}</main>
     <script>
       customElements.define('site-header', class extends HTMLElement { constructor() { super();
         this.attachShadow({ mode: 'open' }).innerHTML = '<style>svg{color:#c026d3;fill:currentColor}button{background:#c026d3;color:#fff;border:0;border-radius:5px;padding:10px 20px}</style>'
           + '<header><a href="/"><svg width="32" height="32" aria-label="Built"><use href="#mark"/></svg></a><button>Deploy</button></header>' } })
     </script>`,
  ),
  truth: {
    brandName: 'Built',
    colors: { primary: '#c026d3' },
    fonts: [
      { family: 'Open Sans', role: 'body' },
      { family: 'Sora', role: 'heading' },
    ],
    typography: {
      fontFamilies: { primary: 'Open Sans', heading: 'Sora' },
      fontStacks: { body: ['Open Sans', 'sans-serif'], heading: ['Sora', 'sans-serif'] },
      fontWeights: { regular: 300, light: 300, bold: 800 },
    },
    components: { buttonPrimary: { background: '#c026d3', textColor: '#ffffff', borderRadius: '5px' } },
  },
};

/** No style at all: what is said is what any browser shows, and nothing of a brand. */
const plain: Brand = {
  html: page(
    '<title>Plain</title>',
    `<h1>Plain</h1>${prose()}<p><a href="/x">A link</a></p><ul><li>One</li></ul><input><button>Press</button>`,
  ),
  truth: {
    colorScheme: 'light',
    colors: { background: '#ffffff', textPrimary: '#000000', link: '#0000ee' },
    fonts: [],
    typography: { fontSizes: { h1: '32px', body: '16px' } },
  },
  absent: [
    'colors.primary',
    'brandName',
    'logo',
    'images.favicon',
    'components.buttonPrimary',
    'components.buttonSecondary',
    'components.input',
    'typography.fontFamilies.primary',
    'spacing.baseUnit',
    'spacing.borderRadius',
  ],
};

/** All of them, by name. */
export const BRANDS: Record<string, Brand> = {
  corporate,
  dark,
  utilities,
  variables,
  bootstrap,
  gradient,
  blog,
  rightToLeft,
  minimal,
  preference,
  built,
  plain,
};
