/** Mails as they land in the inbox of a platform in development. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { call } from './call.ts';
import { type AppUser, appUrl, exchangeToken, type LoggedIn, newEmail, type Org, password } from './org.ts';
import { type Gateways, startPlatform } from './platform.ts';

export interface ReceivedMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly sent_at: string;
}

/** A platform whose callers say where they are, so that throttles of a network do not hold up tests of something else. */
export async function platformForMails(env: Readonly<Record<string, string>> = {}): Promise<Gateways> {
  const platform = await startPlatform({ env: { FREEHOLD_TRUSTED_PROXIES: '127.0.0.1', ...env } });
  after(() => platform.kill());
  return platform;
}

/** The headers of a call from an unused network. */
export function fromElsewhere(): Readonly<Record<string, string>> {
  const groups = Array.from({ length: 3 }, () => randomBytes(2).toString('hex'));
  return { 'x-forwarded-for': `2001:${groups.join(':')}::1` };
}

/** The mails to an address, the last one first. All that was asked for before is there. */
export async function mailsTo({ management }: Gateways, email: string): Promise<readonly ReceivedMail[]> {
  const url = `${management}/inbox?to=${encodeURIComponent(email)}`;
  const reply = await call<{ readonly items: readonly ReceivedMail[] }>('GET', url);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

/** The last code of a kind that was mailed to an address. */
export async function codeTo(gateways: Gateways, email: string, page: string): Promise<string> {
  for (const mail of await mailsTo(gateways, email)) {
    const code = codeIn(mail.text, page);
    if (code !== undefined) return code;
  }
  throw new Error(`no mail with \`#${page}=\` came`);
}

export function codeIn(text: string, page: string): string | undefined {
  return new RegExp(`#${page}=([\\w.-]+)\\s`).exec(text)?.[1];
}

/** A sign-up by password from a network of its own, so that it is welcomed by a mail. */
export async function signUpUser(org: Org, email = newEmail('user')): Promise<AppUser> {
  const headers = { client_id: org.clientId, ...fromElsewhere() };
  const login = await call<LoggedIn>('POST', appUrl(org, '/login'), { headers, body: { email, password } });
  assert.equal(login.status, 200, login.text);
  const { token, user_id, tenant_id, tenant_code } = (await exchangeToken(org, login.body.token)).body;
  return { org, email, password, token, id: user_id, tenantId: tenant_id, tenantCode: tenant_code };
}

/** A call without a token, from a network of its own. */
export function ask(org: Org, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return call('POST', appUrl(org, path), {
    headers: { client_id: org.clientId, ...fromElsewhere(), ...headers },
    body,
  });
}
