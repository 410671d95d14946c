import { KEY_VARIABLE, type SnippetRequest } from './snippet.ts';

/** A request by JavaScript, as a module for Node. */
export function javaScript({ origin, operation, body, fileName }: SnippetRequest): string {
  const json = JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');
  const url = JSON.stringify(origin + operation.path);
  const authorization = `Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\``;
  if (fileName === undefined)
    return `const response = await fetch(${url}, {
  method: 'POST',
  headers: {
    ${authorization},
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${json}),
});
console.log(await response.json());`;
  const name = JSON.stringify(fileName);
  return `import { openAsBlob } from 'node:fs';

const form = new FormData();
form.append('file', await openAsBlob(${name}), ${name});
form.append('options', JSON.stringify(${JSON.stringify(body, null, 2)}));
const response = await fetch(${url}, {
  method: 'POST',
  headers: { ${authorization} },
  body: form,
});
console.log(await response.json());`;
}
