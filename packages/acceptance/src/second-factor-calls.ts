/** Builders with second factors, and how they sign in by them. */
import assert from 'node:assert/strict';
import { AuthenticatorApp } from './authenticator-app.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import { fromElsewhere } from './mails.ts';
import { type Org, password } from './org.ts';
import type { Gateways } from './platform.ts';

export interface SignedIn {
  readonly token: string;
  readonly user: { readonly id: string; readonly email: string };
  readonly org: { readonly code: string };
  readonly orgs: readonly { readonly code: string }[];
}

export interface Step {
  readonly second_factor: {
    readonly methods: readonly string[];
    readonly token: string;
    readonly expires_at: string;
    readonly codes_locked?: true;
    readonly passkey?: PasskeyOptions;
  };
}

export interface PasskeyOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly allowCredentials: readonly { readonly id: string }[];
}

/** A call of a session, or of none, from an unused network. */
export function ask<Body = Readonly<Record<string, unknown>>>(
  gateways: Gateways,
  method: string,
  path: string,
  { token, body, headers }: CallOptions = {},
): Promise<Reply<Body>> {
  return call<Body>(method, `${gateways.management}${path}`, {
    ...(token === undefined ? {} : { token }),
    ...(body === undefined ? {} : { body }),
    headers: { ...fromElsewhere(), ...headers },
  });
}

export function logInBuilder(gateways: Gateways, email: string, more: object = {}): Promise<Reply<SignedIn & Step>> {
  return ask(gateways, 'POST', '/auth/login', { body: { email, password, ...more } });
}

export function complete(gateways: Gateways, body: object): Promise<Reply<SignedIn>> {
  return ask(gateways, 'POST', '/auth/second-factor', { body });
}

/** The step that a password leads to, which must be no session. */
export async function stepOf(gateways: Gateways, email: string, more: object = {}): Promise<Step['second_factor']> {
  const reply = await logInBuilder(gateways, email, more);
  assert.equal(reply.status, 202, reply.text);
  assert.equal(reply.body.token, undefined);
  assert.equal(reply.headers.get('set-cookie'), null);
  return reply.body.second_factor;
}

export interface Protected {
  readonly app: AuthenticatorApp;
  /** Each is valid once: take one by `pop`. */
  readonly recoveryCodes: string[];
  readonly uri: string;
}

/** Adds an authenticator app to an account that has no factor, and uses one code of it. */
export async function addApp(gateways: Gateways, token: string, secret = password): Promise<Protected> {
  const body = { password: secret };
  const started = await ask<{ secret: string; uri: string }>(gateways, 'POST', '/auth/second-factors/totp', {
    token,
    body,
  });
  assert.equal(started.status, 201, started.text);
  const app = new AuthenticatorApp(started.body.secret);
  const confirmed = await confirmApp(gateways, token, app.next());
  assert.equal(confirmed.status, 200, confirmed.text);
  assert.equal(confirmed.body.recovery_codes?.length, 10, confirmed.text);
  return { app, recoveryCodes: [...(confirmed.body.recovery_codes ?? [])], uri: started.body.uri };
}

export function confirmApp(gateways: Gateways, token: string, code: string) {
  return ask<{ recovery_codes?: readonly string[] }>(gateways, 'POST', '/auth/second-factors/totp/confirm', {
    token,
    body: { code },
  });
}

/** Signs a protected builder in by a recovery code. */
export async function signInByRecovery(gateways: Gateways, email: string, codes: string[]): Promise<SignedIn> {
  const { token } = await stepOf(gateways, email);
  const reply = await complete(gateways, { token, recovery_code: codes.pop() });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

export async function isSession(org: Pick<Org, 'app' | 'management'>, token: string): Promise<boolean> {
  return (await ask(org, 'GET', '/auth/me', { token })).status === 200;
}
