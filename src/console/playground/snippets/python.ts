import { KEY_VARIABLE, type SnippetRequest } from './snippet.ts';

/** JSON text within a text of Python, because the two have other words for true, false and null. */
const jsonText = (body: unknown) =>
  `r"""${JSON.stringify(body, null, 2).replaceAll('"""', '\\u0022\\u0022\\u0022')}"""`;

/** A request by Python, with nothing but its standard library. */
export function python({ origin, operation, body, fileName }: SnippetRequest): string {
  const request = (data: string, type: string) => `request = urllib.request.Request(
    ${JSON.stringify(origin + operation.path)},
    data=${data},
    headers={
        "Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}",
        "Content-Type": ${type},
    },
)
with urllib.request.urlopen(request) as response:
    print(json.loads(response.read()))`;
  if (fileName === undefined)
    return `import json, os, urllib.request

body = json.loads(${jsonText(body)})
${request('json.dumps(body).encode()', '"application/json"')}`;
  return `import json, os, urllib.request, uuid

path = ${JSON.stringify(fileName)}
name = os.path.basename(path).replace('"', "%22")
options = ${jsonText(body)}
boundary = uuid.uuid4().hex
with open(path, "rb") as file:
    data = b"\\r\\n".join([
        f'--{boundary}\\r\\nContent-Disposition: form-data; name="options"\\r\\n\\r\\n{options}'.encode(),
        f'--{boundary}\\r\\nContent-Disposition: form-data; name="file"; filename="{name}"\\r\\n'.encode(),
        file.read(),
        f"--{boundary}--\\r\\n".encode(),
    ])
${request('data', 'f"multipart/form-data; boundary={boundary}"')}`;
}
