/** Imports and exports, as a client makes them. */
import assert from 'node:assert/strict';
import type { Reply } from './call.ts';
import { type AppUser, appUrl } from './org.ts';

export interface ImportResult {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
  readonly errors: readonly RowErrors[];
  readonly ignored: readonly string[];
  readonly dry_run: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface RowErrors {
  readonly row: number;
  readonly errors: readonly { readonly pointer: string; readonly code: string; readonly message: string }[];
}

type Headers = Readonly<Record<string, string>>;

export const csv = { 'content-type': 'text/csv' };
export const jsonl = { 'content-type': 'application/x-ndjson' };

export function jsonLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** A call whose body and answer are texts of any type; a JSON answer is parsed too. */
export async function transfer<Body = Readonly<Record<string, unknown>>>(
  user: AppUser | undefined,
  path: string,
  { method = 'GET', body, headers = {}, at = user }: TransferOptions = {},
): Promise<Reply<Body>> {
  assert.ok(at !== undefined);
  const token: Headers = user === undefined ? {} : { authorization: `Bearer ${user.token}` };
  const response = await fetch(appUrl(at.org, path), {
    method,
    headers: { ...token, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson ? JSON.parse(text) : undefined) as Body,
  };
}

export interface TransferOptions {
  readonly method?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Headers;
  /** Whose app is called, where it is not the caller's. */
  readonly at?: AppUser | undefined;
}

/** An import that has to be gone through. */
export async function importFile(
  user: AppUser,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Headers = jsonl,
): Promise<ImportResult> {
  const reply = await transfer<ImportResult>(user, `/import/${path}`, { method: 'POST', body, headers });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** The records of an export in JSON Lines. */
export async function exportRows(user: AppUser, path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const reply = await transfer(user, `/export/${path}`);
  assert.equal(reply.status, 200, reply.text);
  const lines = reply.text.split('\n');
  assert.equal(lines.pop(), '');
  return lines.map((line) => JSON.parse(line));
}
