/** The calls of the page of an app. */
import type { OpenapiDocument } from '../openapi/openapi.ts';

/** A refusal, in the words of the platform. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Credentials {
  readonly clientId: string;
  readonly email: string;
  readonly password: string;
}

/** @param base the address of the app, such as `https://api.example.com/app/acme`. @throws Refusal. */
export async function signIn(base: string, { clientId, email, password }: Credentials): Promise<string> {
  const login = await answerOf(base, '/login', {
    method: 'POST',
    headers: { client_id: clientId, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password, signup: false }),
  });
  const app = await answerOf(base, '/token', { headers: { client_id: clientId, oauthtoken: tokenIn(login) } });
  return tokenIn(app);
}

/** @param view by which it describes replies. @throws Refusal. */
export async function readDocument(base: string, token: string, view: string): Promise<OpenapiDocument> {
  const document = await answerOf(base, `/openapi.json?${new URLSearchParams({ view })}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return document as OpenapiDocument;
}

async function answerOf(base: string, path: string, options: RequestInit): Promise<unknown> {
  const response = await fetch(`${base}${path}`, { ...options, credentials: 'omit', cache: 'no-store' });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const { code, detail } = (body ?? {}) as { readonly code?: unknown; readonly detail?: unknown };
  throw new Refusal(response.status, `${response.status} ${String(code ?? '')}: ${String(detail ?? 'refused')}`);
}

function tokenIn(answer: unknown): string {
  const { token } = (answer ?? {}) as { readonly token?: unknown };
  return typeof token === 'string' ? token : '';
}
