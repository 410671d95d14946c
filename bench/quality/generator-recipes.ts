import type { Manual } from './manuals.ts';

/** How a site generator makes a site of manuals. Paths are below the folder of the site. */
export interface Generator {
  name: string;
  /** Packages of npm, which are installed in the folder of the site. */
  npm?: string[];
  /** Packages of PyPI. */
  pip?: string[];
  /** The texts of the files that the generator reads, by their paths. */
  files(manuals: readonly Manual[]): Record<string, string>;
  /** Whether its pages tell the languages of code, which is the default. */
  tellsLanguages?: false;
  /** Whether the level of a heading is how deep its section is nested, so that no level is left out. */
  nestsHeadings?: true;
  /** A program of the packages and its arguments, which is run in the folder of the site. */
  command: string[];
  /** The path of the page of a manual, for each kind of page by its name. */
  pages: Record<string, (name: string, place: number) => string>;
}

const asMarkdown = ({ title, body }: Manual) => `# ${title}\n\n${body}\n`;

const filesOf = (
  manuals: readonly Manual[],
  pathOf: (name: string, place: number) => string,
  textOf: (manual: Manual) => string,
) => Object.fromEntries(manuals.map((manual, place) => [pathOf(manual.name, place), textOf(manual)]));

const dayOf = (place: number) => String(place + 1).padStart(2, '0');

const INDEX = '# Manuals\n\nThis site has the manuals of some packages.\n';

const DOCUSAURUS = `export default {
  title: 'Manuals', url: 'https://manuals.test', baseUrl: '/', onBrokenLinks: 'ignore', onBrokenAnchors: 'ignore',
  markdown: { format: 'md', hooks: { onBrokenMarkdownLinks: 'ignore', onBrokenMarkdownImages: 'ignore' } },
  presets: [['classic', { docs: { routeBasePath: 'docs' }, blog: { onUntruncatedBlogPosts: 'ignore' } }]],
};
`;

function mkdocs(theme: string, name: string): Generator {
  const extensions = '[pymdownx.superfences, pymdownx.magiclink, pymdownx.tilde]';
  return {
    name: `mkdocs-${theme}`,
    pip: ['mkdocs', 'mkdocs-material', 'pymdown-extensions'],
    files: (manuals) => ({
      'mkdocs.yml': `site_name: Manuals\ntheme: ${theme}\nmarkdown_extensions: ${extensions}\n`,
      'docs/index.md': INDEX,
      ...filesOf(manuals, (one) => `docs/${one}.md`, asMarkdown),
    }),
    tellsLanguages: false,
    command: ['mkdocs', 'build', '--quiet'],
    pages: { [name]: (one) => `site/${one}/index.html` },
  };
}

function sphinx(theme: string, packages: string[]): Generator {
  return {
    name: `sphinx-${theme}`,
    pip: ['sphinx', 'myst-parser', 'linkify-it-py', ...packages],
    files: (manuals) => ({
      'conf.py': `project = 'Manuals'\nextensions = ['myst_parser']\nhtml_theme = '${theme}'\nmyst_enable_extensions = ['linkify']\n`,
      'index.md': `${INDEX}\n\`\`\`{toctree}\n${manuals.map(({ name }) => name).join('\n')}\n\`\`\`\n`,
      ...filesOf(manuals, (one) => `${one}.md`, asMarkdown),
    }),
    nestsHeadings: true,
    command: ['sphinx-build', '-q', '-b', 'html', '.', '_build'],
    pages: { [`Sphinx, ${theme}`]: (one) => `_build/${one}.html` },
  };
}

export const GENERATORS: Generator[] = [
  {
    name: 'docusaurus',
    npm: ['@docusaurus/core@3', '@docusaurus/preset-classic@3', 'react@19', 'react-dom@19'],
    files: (manuals) => ({
      'docusaurus.config.mjs': DOCUSAURUS,
      ...filesOf(manuals, (one) => `docs/${one}.md`, asMarkdown),
      ...filesOf(manuals, (one, place) => `blog/2024-01-${dayOf(place)}-${one}.md`, asMarkdown),
    }),
    command: ['docusaurus', 'build'],
    pages: {
      'Docusaurus, docs': (one) => `build/docs/${one}/index.html`,
      'Docusaurus, blog': (one, place) => `build/blog/2024/01/${dayOf(place)}/${one}/index.html`,
    },
  },
  {
    name: 'vitepress',
    npm: ['vitepress@1'],
    files: (manuals) => ({
      '.vitepress/config.mjs': `export default { title: 'Manuals', ignoreDeadLinks: true };\n`,
      'index.md': INDEX,
      ...filesOf(manuals, (one) => `${one}.md`, asMarkdown),
    }),
    command: ['vitepress', 'build'],
    pages: { VitePress: (one) => `.vitepress/dist/${one}.html` },
  },
  mkdocs('material', 'MkDocs, Material'),
  mkdocs('readthedocs', 'MkDocs, Read the Docs'),
  sphinx('alabaster', []),
  sphinx('furo', ['furo']),
  sphinx('sphinx_rtd_theme', ['sphinx-rtd-theme']),
  sphinx('pydata_sphinx_theme', ['pydata-sphinx-theme']),
  {
    name: 'hexo',
    npm: [
      ...['hexo', 'hexo-theme-landscape', 'hexo-renderer-marked', 'hexo-renderer-ejs'],
      ...['hexo-renderer-stylus', 'hexo-generator-index', 'hexo-generator-archive'],
    ],
    files: (manuals) => ({
      '_config.yml':
        'title: Manuals\nurl: https://manuals.test\ntheme: landscape\npermalink: posts/:title/\n',
      ...filesOf(
        manuals,
        (one) => `source/_posts/${one}.md`,
        ({ title, body }) => `---\ntitle: ${title}\ndate: 2024-01-01\n---\n\n${body}\n`,
      ),
    }),
    command: ['hexo', 'generate'],
    pages: { Hexo: (one) => `public/posts/${one}/index.html` },
  },
  {
    name: 'pelican',
    pip: ['pelican[markdown]', 'pymdown-extensions'],
    files: (manuals) => ({
      'pelicanconf.py': `SITENAME = 'Manuals'\nAUTHOR = 'Somebody'\nTIMEZONE = 'UTC'\nMARKDOWN = {'extensions': ['tables', 'pymdownx.superfences', 'pymdownx.magiclink', 'pymdownx.tilde'], 'output_format': 'html5'}\n`,
      ...filesOf(
        manuals,
        (one) => `content/${one}.md`,
        ({ name, title, body }) => `Title: ${title}\nDate: 2024-01-01\nSlug: ${name}\n\n${body}\n`,
      ),
    }),
    tellsLanguages: false,
    command: ['pelican', 'content'],
    pages: { Pelican: (one) => `output/${one}.html` },
  },
];
