import { hash } from 'node:crypto';
import { secretToken } from '../../lib/ids.ts';

/**
 * The token that a password sign-in gives and an exchange takes once. It is opaque and not a JWT: what it stands for
 * lies in the store under `loginTokenKey`, so that it can be spent exactly once and a copy of the store spends none.
 */
export function createLoginToken(): string {
  return `pl_${secretToken()}`;
}

/** Tells a login token from a provider's token by its form alone; says nothing about whether it holds. */
export function isLoginToken(text: string): boolean {
  return loginTokenForm.test(text);
}

/** What the store keeps: SHA-256 in base64url. Plain hashing is enough, since 256 random bits cannot be guessed. */
export function loginTokenKey(token: string): string {
  return hash('sha256', token, 'base64url');
}

const loginTokenForm = /^pl_[\w-]{43}$/;
