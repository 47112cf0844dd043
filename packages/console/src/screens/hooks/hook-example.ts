import type { HookDetails } from './queries.ts';

type Form = Omit<HookDetails, 'name' | 'url_path' | 'tenant_code' | 'paused' | 'ready' | 'reason' | 'calls'>;

/** The contents of the place of the secret, which the console never learns. */
export const secretPlaceholder = 'THE VALUE OF THE SECRET';

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that fills it
const base64Key = 'printf %s "${SECRET#whsec_}" | base64 -d';
const textLine = 'KEY() { printf %s "$SECRET"; }';
const keyLine = `case "$SECRET" in whsec_*) KEY() { ${base64Key}; };; *) KEY() { printf %s "$SECRET"; };; esac`;

/**
 * A signed call for a POSIX shell, with openssl. A secret that begins with `whsec_` is base64 after that, but for Stripe and
 * Slack, which sign by the text.
 */
export function exampleOf(url: string, form: Form): string {
  return [
    `# The value of the secret ${form.secrets.join(' or ')}`,
    `SECRET='${secretPlaceholder}'`,
    `BODY='{}'`,
    form.signature === 'stripe' || form.signature === 'slack' ? textLine : keyLine,
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
  const { encoding = 'hex', timestamp_header: time, id_header: id } = form;
  const isTimed = time !== undefined || form.timestamp_key !== undefined;
  const signed = form.signed ?? (isTimed ? '{time}.{body}' : '{body}');
  const encoded = encoding === 'hex' ? "od -An -v -tx1 | tr -d ' \\n'" : 'base64';
  return [
    ...(isTimed || id !== undefined ? ['TIME=$(date +%s)'] : []),
    `SIGNATURE=$(printf %s ${signedWord(signed)} | sign | ${encoded})`,
    called(url, [
      `-H ${signatureHeader(form)}`,
      ...(time === undefined ? [] : [`-H "${time}: $TIME"`]),
      ...(id === undefined ? [] : [`-H "${id}: msg_$TIME"`]),
    ]),
  ];
}

function signedWord(signed: string): string {
  const [start = '', end] = signed.slice(0, -'{body}'.length).split('{time}');
  const texts = end === undefined ? [start, '"$BODY"'] : [start, '"$TIME"', end, '"$BODY"'];
  return texts.map((text) => (text === '' || text.startsWith('"$') ? text : quoted(text))).join('');
}

function signatureHeader({ header = '', prefix = '', signature_key, timestamp_key }: Form): string {
  const time = timestamp_key === undefined ? '' : `${quoted(`${timestamp_key}=`)}"$TIME",`;
  const key = signature_key === undefined ? '' : `${signature_key}=`;
  return `${quoted(`${header}: `)}${time}${quoted(`${key}${prefix}`)}"$SIGNATURE"`;
}

function called(url: string, headers: readonly string[]): string {
  const lines = [`curl -i ${quoted(url)}`, "-H 'Content-Type: application/json'", ...headers, '--data-binary "$BODY"'];
  return lines.join(' \\\n  ');
}

/** One word for a POSIX shell, whatever stands in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
