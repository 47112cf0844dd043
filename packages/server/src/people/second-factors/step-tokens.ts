import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import type { Put } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';

/**
 * Tokens between the two halves of something: a sign-in that waits for its second factor, or a challenge of a passkey.
 * A token says itself what it is for, under a MAC, so that a caller without a session makes the platform store nothing.
 * Only the use of one is stored, until it would have expired.
 */
export interface StepTokens {
  make(claims: StepClaims): NewStepToken;
  /** The content of the token; undefined for a token that was not made here, was changed, or has expired. */
  open(token: string): OpenedStep | undefined;
}

/** The purpose of a token. Nothing made for one purpose, person or session is taken for another. */
export type StepClaims =
  /** A password was proved, or a link; the factor is not. */
  | {
      readonly purpose: 'sign-in';
      readonly user: string;
      readonly epoch: number;
      readonly org?: string | undefined;
      readonly invitation?: string | undefined;
    }
  /** A passkey alone signs in. */
  | { readonly purpose: 'passkey sign-in' }
  /** A passkey as the factor of the sign-in with this nonce. */
  | { readonly purpose: 'passkey factor'; readonly user: string; readonly step: string }
  /** A passkey proves its person in a session, or is made in it. */
  | { readonly purpose: 'passkey proof' | 'new passkey'; readonly user: string; readonly session: string };

export interface NewStepToken {
  readonly token: string;
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface OpenedStep {
  readonly claims: StepClaims;
  readonly nonce: string;
  readonly expiresAt: number;
}

export const stepMilliseconds = 5 * 60 * 1000;

/** @param key 32 bytes that all nodes have. */
export function createStepTokens(key: Buffer, clock: Clock): StepTokens {
  const macOf = (payload: string): string => createHmac('sha256', key).update(payload).digest('base64url');
  return {
    make: (claims) => {
      const nonce = secretToken();
      const expiresAt = clock.now() + stepMilliseconds;
      const payload = Buffer.from(JSON.stringify({ claims, nonce, expiresAt })).toString('base64url');
      return { token: `${payload}.${macOf(payload)}`, nonce, expiresAt };
    },
    open: (token) => {
      const [payload = '', mac = '', ...rest] = token.split('.');
      const [given, expected] = [Buffer.from(mac), Buffer.from(macOf(payload))];
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const opened = openedSteps.parse(Buffer.from(payload, 'base64url').toString());
      return clock.now() < opened.expiresAt ? opened : undefined;
    },
  };
}

/** The content of a token, which its MAC shows to be written here. */
const openedSteps = json<OpenedStep>('step', { claims: 'object', nonce: 'string', expiresAt: 'number' });

/** By the hash of the nonce. */
const usedSteps = table(
  (nonce: string) => ({ pk: 'used-step', sk: secretHash(nonce) }),
  json<object>('use of a step', {}),
);

/** Refused where the token was used before. */
export function stepUse({ nonce, expiresAt }: Pick<OpenedStep, 'nonce' | 'expiresAt'>): Put {
  return usedSteps.insert(nonce, {}, { at: expiresAt, queue: 'expire' });
}
