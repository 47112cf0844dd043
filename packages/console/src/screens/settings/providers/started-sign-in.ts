/**
 * A sign-in at a provider that this browser began to try the provider out. It is finished in another tab, so what belongs
 * to it lies in the storage that tabs share, under its `state`, and is taken once.
 */
import type { Environment } from '../../../api/session.ts';
import type { Provider } from './provider.ts';

export interface StartedSignIn {
  readonly org: string;
  readonly env: Environment;
  readonly provider: Provider;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface ReturnedSignIn {
  readonly begun: StartedSignIn;
  /** Undefined where the provider refused. */
  readonly code: string | undefined;
  readonly refusal: string | undefined;
}

const prefix = 'freehold sign-in test ';
const lifetimeMilliseconds = 10 * 60 * 1000;

/** The address of the console that the provider has to know. */
export function redirectUri(): string {
  return new URL('sign-in-test', document.baseURI).href;
}

interface Start extends Pick<StartedSignIn, 'org' | 'env' | 'provider' | 'clientId'> {
  readonly authorizationEndpoint: string;
  readonly scopes: readonly string[];
}

export interface SignInLink {
  readonly href: string;
  /** Notes that the sign-in has begun; called when the link is followed. */
  readonly begin: () => void;
}

/** The link to the provider's page, by the code flow with PKCE. Undefined where the browser has no cryptography. */
export async function signInLink({ authorizationEndpoint, scopes, ...start }: Start): Promise<SignInLink | undefined> {
  // Left out by browsers on pages that are neither of https nor of this machine.
  if (crypto.subtle === undefined || !/^https?:/.test(authorizationEndpoint)) return undefined;
  const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const url = new URL(authorizationEndpoint);
  const wanted = ['openid', 'email', 'profile'].filter((scope) => scopes.length === 0 || scopes.includes(scope));
  const query = {
    client_id: start.clientId,
    redirect_uri: redirectUri(),
    response_type: 'code',
    scope: wanted.join(' '),
    state,
    nonce,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return {
    href: url.href,
    begin: () => {
      forgetOld();
      const startedAt: StartedSignIn = { ...start, redirectUri: redirectUri(), verifier, nonce, at: Date.now() };
      localStorage.setItem(prefix + state, JSON.stringify(startedAt));
    },
  };
}

let returned: ReturnedSignIn | undefined;

/** Takes the sign-in that the provider sent this page back with. Undefined where this browser has begun none of that state. */
export function receiveSignIn(search: URLSearchParams): ReturnedSignIn | undefined {
  const key = prefix + (search.get('state') ?? '');
  const text = localStorage.getItem(key);
  localStorage.removeItem(key);
  const started = text === null ? undefined : (JSON.parse(text) as StartedSignIn);
  if (started === undefined || Date.now() - started.at > lifetimeMilliseconds) return undefined;
  const error = search.get('error');
  const described = search.get('error_description');
  returned = {
    begun: started,
    code: error === null ? (search.get('code') ?? undefined) : undefined,
    refusal: error === null ? undefined : `${error}${described === null ? '' : `: ${described}`}`.slice(0, 500),
  };
  return returned;
}

/** What `receiveSignIn` took last, until the page is loaded again. */
export function returnedSignIn(): ReturnedSignIn | undefined {
  return returned;
}

function forgetOld(): void {
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
    const { at } = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<StartedSignIn>;
    if (at === undefined || Date.now() - at > lifetimeMilliseconds) localStorage.removeItem(key);
  }
}

/** 256 bits. */
function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
