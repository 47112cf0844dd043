/** Descriptions of hooks and their calls. */
import type { HookDetails, ListedHook, ListedRun } from './queries.ts';

export const schemeWords: Readonly<Record<ListedHook['signature'], string>> = {
  standard: 'Standard Webhooks',
  hmac: 'HMAC-SHA256',
  stripe: 'Stripe',
  slack: 'Slack',
};

/** Why a hook takes no message, as a sentence. */
export const reasonWords: Readonly<Record<NonNullable<ListedHook['reason']>, string>> = {
  paused: 'It is paused.',
  no_workspace: 'The workspace of its runs is not there.',
  workspace_suspended: 'The workspace of its runs is suspended.',
  no_secret: 'None of its secrets is set.',
  short_secret: 'Its secret is shorter than 16 characters.',
};

/** Why messages of senders that are not known were refused. */
const refusalWords: Readonly<Record<HookDetails['calls']['unsigned'][number]['reason'], string>> = {
  paused: 'The hook was paused',
  no_secret: 'None of its secrets was set',
  short_secret: 'Its secret was too short',
  signature_missing: 'The header with the signature was missing',
  signature_wrong: 'The signature was wrong',
  time_off: 'The time was missing, or too far off',
  id_missing: 'The id was missing, or is none',
};

/** A refusal by its code, which may be one of a reply too. */
export function refusalOf(code: string): string {
  return Object.hasOwn(refusalWords, code) ? refusalWords[code as keyof typeof refusalWords] : code;
}

export const runStateWords: Readonly<Record<ListedRun['state'], string>> = {
  running: 'running',
  waiting: 'waiting',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};
