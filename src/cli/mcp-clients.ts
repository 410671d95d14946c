/** A client of the Model Context Protocol, and how it connects to the service. */
interface McpClientSetup {
  name: string;
  /** What to do with the lines: run them in a shell, or where the file is that has them. */
  where: string;
  lines: string;
}

const URL = 'http://localhost:3002/v2/mcp';
const KEY = 'fc-YOUR-KEY';
const HEADERS = { Authorization: `Bearer ${KEY}` };

const inFile = (settings: object) => JSON.stringify(settings, null, 2);

/** The clients that `winnow mcp --help` and the guide name. */
export const MCP_CLIENTS: readonly McpClientSetup[] = [
  {
    name: 'Claude Code',
    where: 'in a shell',
    lines: `claude mcp add --transport http winnow ${URL} --header "Authorization: Bearer ${KEY}"`,
  },
  {
    name: 'Claude Desktop',
    where: 'in claude_desktop_config.json (Settings, Developer, Edit Config)',
    lines: inFile({
      mcpServers: {
        winnow: {
          command: 'winnow',
          args: ['mcp'],
          env: { WINNOW_URL: 'http://localhost:3002', WINNOW_API_KEY: KEY },
        },
      },
    }),
  },
  {
    name: 'Cursor',
    where: 'in ~/.cursor/mcp.json',
    lines: inFile({ mcpServers: { winnow: { url: URL, headers: HEADERS } } }),
  },
  {
    name: 'VS Code',
    where: 'in .vscode/mcp.json',
    lines: inFile({ servers: { winnow: { type: 'http', url: URL, headers: HEADERS } } }),
  },
  {
    name: 'Windsurf',
    where: 'in ~/.codeium/windsurf/mcp_config.json',
    lines: inFile({ mcpServers: { winnow: { serverUrl: URL, headers: HEADERS } } }),
  },
  {
    name: 'Codex',
    where: 'in ~/.codex/config.toml, with the key in the variable WINNOW_API_KEY',
    lines: `[mcp_servers.winnow]\nurl = "${URL}"\nbearer_token_env_var = "WINNOW_API_KEY"`,
  },
  {
    name: 'Gemini CLI',
    where: 'in a shell',
    lines: `gemini mcp add --transport http --header "Authorization: Bearer ${KEY}" winnow ${URL}`,
  },
];

/** The lines of all clients, as `winnow mcp --help` prints them. */
export function describeMcpClients(): string {
  const setups = MCP_CLIENTS.map(
    ({ name, where, lines }) => `${name}, ${where}:\n\n${lines.replaceAll(/^/gm, '  ')}`,
  );
  return [
    `SETUP of clients: replace ${KEY} by an API key, and localhost:3002 by where Winnow is.`,
    ...setups,
    'Any other client: the URL above with the header Authorization, or `winnow mcp` as a command over stdio, whose tool firecrawl_parse then reads files of this machine by their path.',
  ].join('\n\n');
}
