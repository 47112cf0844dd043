import { createHash } from 'node:crypto';
import type { Item, Key, Scope, ScopeName } from './port.ts';

/** The partition of the chains' heads; appends write there, and no commit names a key of it. */
export const chainHeads = 'chain';

/** The key of the end of a chain: how many entries it has, and the digest of the last. */
export function chainHeadKey(pk: string): Key {
  return { pk: chainHeads, sk: pk };
}

export interface ChainHead {
  readonly count: number;
  /** SHA-256 in hexadecimal digits; empty before the first entry. */
  readonly digest: string;
}

export const noChain: ChainHead = { count: 0, digest: '' };

/** An entry as it is stored: the digest, which depends on all entries before it, and the text that was appended. */
export interface Link {
  readonly digest: string;
  readonly text: string;
}

export function linkValue({ digest, text }: Link): string {
  return `${digest} ${text}`;
}

/** Undefined where the value is no entry of a chain. */
export function readLink({ value }: Pick<Item, 'value'>): Link | undefined {
  if (!/^[0-9a-f]{64} /.test(value)) return undefined;
  return { digest: value.slice(0, 64), text: value.slice(65) };
}

export function headValue({ count, digest }: ChainHead): string {
  return `${count} ${digest}`;
}

/** Undefined where the value is no head. */
export function readHead(value: string): ChainHead | undefined {
  const [, count, digest] = /^([1-9]\d{0,15}) ([0-9a-f]{64})$/.exec(value) ?? [];
  return count === undefined || digest === undefined ? undefined : { count: Number(count), digest };
}

/** The key and the text of an entry, so that neither can be another's without all digests behind it changing. */
export interface PlacedText extends Key {
  readonly scope: ScopeName;
  readonly text: string;
}

/** The head of a chain after an entry; undefined where the entry does not follow from those before it. */
export function nextLink(
  before: ChainHead,
  scope: ScopeName,
  { pk, sk, value }: Pick<Item, 'pk' | 'sk' | 'value'>,
): ChainHead | undefined {
  const link = readLink({ value });
  const digest = link === undefined ? '' : linkDigest(before.digest, { scope, pk, sk, text: link.text });
  return link?.digest === digest ? { count: before.count + 1, digest } : undefined;
}

/** The end of a chain as it is noted; undefined where it is not, or is none. */
export async function readChainHead(scope: Scope, pk: string): Promise<ChainHead | undefined> {
  const [item] = await scope.get([chainHeadKey(pk)]);
  return item === undefined ? undefined : readHead(item.value);
}

/** As a list in JSON, so that no two entries come to the same bytes. */
export function linkDigest(before: string, { scope, pk, sk, text }: PlacedText): string {
  return createHash('sha256')
    .update(JSON.stringify([before, scope, pk, sk, text]))
    .digest('hex');
}
