import { FreeholdError } from '@freehold/client/management';
import { CommandError } from '../frame/command-error.ts';
import { refusalOf } from './refusal.ts';

/** What a command tells of an error; undefined for a mistake of its own. */
export function knownError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  return error instanceof FreeholdError ? refusalOf(error) : undefined;
}

/** Whether the command knows the error by this code. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(knownError(error)?.details.code ?? '');
}

const passing = [
  'unreachable',
  'network',
  'unexpected_reply',
  'rate_limited',
  'unavailable',
  'outcome_unknown',
  'internal_error',
];

/** That the platform is away for a while, or wants fewer calls. */
export function mayPass(error: unknown): boolean {
  return hasCode(error, ...passing);
}
