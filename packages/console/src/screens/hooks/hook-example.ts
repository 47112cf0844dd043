import type { HookDetails } from './queries.ts';

type Form = Pick<
  HookDetails,
  'signature' | 'secrets' | 'header' | 'encoding' | 'prefix' | 'timestamp_header' | 'id_header'
>;

/** What stands in the place of the secret, which the console never learns. */
export const secretPlaceholder = 'THE VALUE OF THE SECRET';

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that fills it
const base64Key = 'printf %s "${SECRET#whsec_}" | base64 -d';
const keyLine = `case "$SECRET" in whsec_*) KEY() { ${base64Key}; };; *) KEY() { printf %s "$SECRET"; };; esac`;

/** A signed call for a POSIX shell, with openssl. A secret that begins with `whsec_` is base64 after that. */
export function exampleOf(url: string, form: Form): string {
  return [
    `# The value of the secret ${form.secrets.join(' or ')}`,
    `SECRET='${secretPlaceholder}'`,
    `BODY='{}'`,
    keyLine,
    "HEX=$(KEY | od -An -v -tx1 | tr -d ' \\n')",
    'sign() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$HEX" -binary; }',
    ...(form.signature === 'standard' ? standardLines(url) : hmacLines(url, form)),
  ].join('\n');
}

function standardLines(url: string): readonly string[] {
  return [
    'TIME=$(date +%s)',
    'ID="msg_$TIME"',
    'SIGNATURE=$(printf %s "$ID.$TIME.$BODY" | sign | base64)',
    called(url, ['-H "webhook-id: $ID"', '-H "webhook-timestamp: $TIME"', '-H "webhook-signature: v1,$SIGNATURE"']),
  ];
}

function hmacLines(url: string, form: Form): readonly string[] {
  const { header = '', encoding = 'hex', prefix = '', timestamp_header: time, id_header: id } = form;
  const signed = time === undefined ? '"$BODY"' : '"$TIME.$BODY"';
  const encoded = encoding === 'hex' ? "od -An -v -tx1 | tr -d ' \\n'" : 'base64';
  return [
    ...(time === undefined && id === undefined ? [] : ['TIME=$(date +%s)']),
    `SIGNATURE=$(printf %s ${signed} | sign | ${encoded})`,
    called(url, [
      `-H ${quoted(`${header}: ${prefix}`)}"$SIGNATURE"`,
      ...(time === undefined ? [] : [`-H "${time}: $TIME"`]),
      ...(id === undefined ? [] : [`-H "${id}: msg_$TIME"`]),
    ]),
  ];
}

function called(url: string, headers: readonly string[]): string {
  const lines = [`curl -i ${quoted(url)}`, "-H 'Content-Type: application/json'", ...headers, '--data-binary "$BODY"'];
  return lines.join(' \\\n  ');
}

/** One word for a POSIX shell, whatever stands in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
