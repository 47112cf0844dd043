import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { exampleOf, secretPlaceholder } from './hook-example.ts';

/** Runs an example in a shell in which curl prints what it is given. */
function headersOf(example: string, secret: string): ReadonlyMap<string, string> {
  const script = `curl() { for one in "$@"; do printf '%s\\n' "$one"; done; }\n${example.replace(secretPlaceholder, secret)}`;
  const lines = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n');
  return new Map(
    lines.flatMap((line) => (/^[\w-]+: /.test(line) ? [line.split(/: (.*)/s).slice(0, 2) as [string, string]] : [])),
  );
}

const url = 'https://app.example/app/acme/hooks/paid?env=test';

test('the example signs as Standard Webhooks has it, with a secret of either form', () => {
  const key = 'the key of this hook';
  for (const secret of [key, `whsec_${Buffer.from(key).toString('base64')}`]) {
    const headers = headersOf(exampleOf(url, { signature: 'standard', secrets: ['pay'] }), secret);
    const [id, time] = [headers.get('webhook-id'), headers.get('webhook-timestamp')];
    const signature = createHmac('sha256', key).update(`${id}.${time}.{}`).digest('base64');
    assert.equal(headers.get('webhook-signature'), `v1,${signature}`);
  }
});

test('the example signs by HMAC in each form that a hook may have', () => {
  const key = 'the secret of the hub';
  const form = { signature: 'hmac', secrets: ['hub'], header: 'X-Sign' } as const;
  const plain = headersOf(exampleOf(url, { ...form, prefix: "sha'$256=" }), key);
  assert.equal(plain.get('X-Sign'), `sha'$256=${createHmac('sha256', key).update('{}').digest('hex')}`);
  const more = { encoding: 'base64', timestamp_header: 'X-Time', id_header: 'X-Id' } as const;
  const timed = headersOf(exampleOf(url, { ...form, ...more }), key);
  const signature = createHmac('sha256', key)
    .update(`${timed.get('X-Time')}.{}`)
    .digest('base64');
  assert.equal(timed.get('X-Sign'), signature);
  assert.match(timed.get('X-Id') ?? '', /^msg_\d+$/);
});

test('the example signs as Stripe and Slack do, by the text of the secret', () => {
  const secret = 'whsec_as it is shown there';
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
  const list = { header: 'Stripe-Signature', signature_key: 'v1', timestamp_key: 't' };
  const stripe = headersOf(exampleOf(url, { signature: 'stripe', secrets: ['pay'], ...list }), secret);
  const [, time] = /^t=(\d+),v1=/.exec(stripe.get('Stripe-Signature') ?? '') ?? [];
  assert.equal(stripe.get('Stripe-Signature'), `t=${time},v1=${sign(`${time}.{}`)}`);
  const form = { header: 'X-Slack-Signature', prefix: 'v0=', timestamp_header: 'X-Time', signed: 'v0:{time}:{body}' };
  const slack = headersOf(exampleOf(url, { signature: 'slack', secrets: ['chat'], ...form }), secret);
  assert.equal(slack.get('X-Slack-Signature'), `v0=${sign(`v0:${slack.get('X-Time')}:{}`)}`);
});

test('an address is one word of the shell, whatever stands in it', () => {
  const example = exampleOf("https://a.example/'; touch x; '", { signature: 'standard', secrets: ['a'] });
  assert.ok(example.includes(`'https://a.example/'\\''; touch x; '\\'''`));
});
