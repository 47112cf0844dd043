import { inSmallLetters, isDigits } from './reference-letters.ts';

/** An address or a network: as many letters `0` and `1` as it fixes, of 32 or 128. */
export interface Network {
  readonly family: 4 | 6;
  readonly bits: string;
}

export function readAddress(value: unknown): Network | undefined {
  const bits = typeof value === 'string' ? addressBits(value) : undefined;
  return bits === undefined ? undefined : withoutMapping(bits, bits.length);
}

/** `10.0.0.0/8`, or a single address. */
export function readNetwork(value: unknown): Network | undefined {
  if (typeof value !== 'string') return undefined;
  const [address = '', length, ...more] = value.split('/');
  const bits = addressBits(address);
  if (bits === undefined || more.length > 0) return undefined;
  if (length === undefined) return withoutMapping(bits, bits.length);
  const isPlain = isDigits(length) && (length === '0' || !length.startsWith('0'));
  if (!isPlain || Number(length) > bits.length) return undefined;
  return withoutMapping(bits, Number(length));
}

export function contains(network: Network, address: Network): boolean {
  return network.family === address.family && address.bits.startsWith(network.bits);
}

const mappedPrefix = '0'.repeat(80) + '1'.repeat(16);

/** An IPv4-mapped IPv6 address is the IPv4 address. */
function withoutMapping(bits: string, length: number): Network {
  const isMapped = bits.length === 128 && length >= 96 && bits.startsWith(mappedPrefix);
  if (isMapped) return { family: 4, bits: bits.slice(96, length) };
  return { family: bits.length === 32 ? 4 : 6, bits: bits.slice(0, length) };
}

function addressBits(text: string): string | undefined {
  return text.includes(':') ? bitsOf6(text) : bitsOf4(text);
}

function bitsOf4(text: string): string | undefined {
  const parts = text.split('.');
  const isSound = parts.every(
    (part) => isDigits(part) && part.length <= 3 && Number(part) <= 255 && String(Number(part)) === part,
  );
  if (parts.length !== 4 || !isSound) return undefined;
  return parts.map((part) => Number(part).toString(2).padStart(8, '0')).join('');
}

function bitsOf6(text: string): string | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [before, after] = halves.map((half, index) => groupBits(half, index === halves.length - 1));
  if (before === undefined) return undefined;
  if (halves.length === 1) return before.length === 128 ? before : undefined;
  if (after === undefined || before.length + after.length > 112) return undefined;
  return before + '0'.repeat(128 - before.length - after.length) + after;
}

/** The bits of `2001:db8:10.0.0.1`; dots may stand at the very end of the address alone. */
function groupBits(text: string, isTail: boolean): string | undefined {
  if (text === '') return '';
  const groups = text.split(':');
  const bits = groups.map((group, index) => {
    if (group.includes('.')) return isTail && index === groups.length - 1 ? bitsOf4(group) : undefined;
    const isHex = group !== '' && Array.from(inSmallLetters(group)).every((one) => '0123456789abcdef'.includes(one));
    return isHex && group.length <= 4 ? Number.parseInt(group, 16).toString(2).padStart(16, '0') : undefined;
  });
  return bits.includes(undefined) ? undefined : bits.join('');
}
