/** A request as a program would send it. */
export interface Snippet {
  language: string;
  text: string;
}

/** What stands for the key of the user, which is never written into a program. */
const KEY_VARIABLE = 'WINNOW_API_KEY';

/**
 * Writes a POST request in several languages. Each runs as it is copied, if the variable of the key is set.
 */
export function writeSnippets(url: string, body: unknown): Snippet[] {
  const json = JSON.stringify(body, null, 2);
  return [
    { language: 'curl', text: curl(url, json) },
    { language: 'JavaScript', text: javaScript(url, json) },
    { language: 'Python', text: python(url, json) },
  ];
}

/** A text in single quotes of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const curl = (url: string, json: string) => `curl ${quoted(url)} \\
  -H "Authorization: Bearer $${KEY_VARIABLE}" \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(json)}`;

const javaScript = (url: string, json: string) => `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),
});
console.log(await response.json());`;

/** JSON text within a text of Python, because the two have other words for true, false and null. */
const python = (url: string, json: string) => `import json, os, urllib.request

body = json.loads(r"""${json.replaceAll('"""', '\\u0022\\u0022\\u0022')}""")
request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=json.dumps(body).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.loads(response.read()))`;
