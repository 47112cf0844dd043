import { createManagement, type Management } from '@freehold/client/management';
import { CommandError } from '../frame/command-error.ts';

export interface ManagementAccess {
  readonly url: string;
  /** Left out by calls that take none. */
  readonly token?: string;
  /** The org that every call expects; the platform refuses a call of another one. */
  readonly org?: string;
}

/** A person waits: a platform that is down is reported within about a second. */
const retries = 2;

export function connect({ url, token, org }: ManagementAccess): Management {
  return createManagement({ url, token, org, retries, fetch: fetchFrom(url) });
}

/** A credential goes to the address that it was given for, and to no other. */
export function fetchFrom(address: string): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    // By this a builder knows the sessions of the command line among the others.
    headers.set('user-agent', 'freehold-cli');
    const response = await fetch(input, { ...init, headers, redirect: 'manual' }).catch((error: unknown) => {
      throw unreachable(address, error);
    });
    if (response.status < 300 || response.status >= 400 || response.status === 304) return response;
    throw new CommandError(`${address} redirects to another address`, {
      code: 'redirected',
      next: 'sign in at the address of the gateway itself',
    });
  };
}

function unreachable(address: string, error: unknown): CommandError {
  const cause = (error as { readonly cause?: { readonly code?: unknown } } | null)?.cause?.code;
  return new CommandError(`no platform can be reached at ${address}${typeof cause === 'string' ? ` (${cause})` : ''}`, {
    code: 'unreachable',
    next: 'start it, or check the address',
  });
}
