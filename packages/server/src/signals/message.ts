import { signalKinds } from './signal.ts';
import type { SignalContent } from './signal-set.ts';

/** A beat is a message without content. */
export interface SignalMessage extends SignalContent {
  /** The node that sends it. */
  readonly from: string;
  /** Counts the messages of the node, from 1. */
  readonly number: number;
  /** Whether the node ends in order. */
  readonly isLast: boolean;
}

export function writeMessage({ from, number, isLast, names, owners, isAll }: SignalMessage): string {
  return JSON.stringify({
    ...{ from, number },
    ...(isLast ? { isLast } : {}),
    ...(Object.keys(names).length === 0 ? {} : { names }),
    ...(owners.length === 0 ? {} : { owners }),
    ...(isAll ? { isAll } : {}),
  });
}

/** Undefined where the text says more than this release understands, or is no message. */
export function readMessage(text: string): SignalMessage | undefined {
  const { from, number, isLast = false, names = {}, owners = [], isAll = false, ...rest } = parsed(text);
  const isOrdinary = typeof from === 'string' && from !== '' && from.length <= 64 && Number.isSafeInteger(number);
  const isKnown = isObject(names) && Object.entries(names).every(([kind, ids]) => isKind(kind) && areTexts(ids));
  if (!isOrdinary || !isKnown || !areTexts(owners) || Object.keys(rest).length > 0) return undefined;
  if (typeof isLast !== 'boolean' || typeof isAll !== 'boolean') return undefined;
  return { from, number: Number(number), isLast, names, owners, isAll };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isKind(text: string): boolean {
  return signalKinds.some((kind) => kind === text);
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
