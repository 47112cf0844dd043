/** An address, or all that begin with the same bits. */
export interface IpNetwork {
  /** Groups of 16 bits: two of IPv4, eight of IPv6. */
  readonly groups: readonly number[];
  /** How many bits are fixed. */
  readonly length: number;
}

/** An address without a network length. An IPv4-mapped IPv6 address is the IPv4 address. */
export function readAddress(value: unknown): IpNetwork | undefined {
  const groups = typeof value === 'string' && value.length <= addressLengthMax ? groupsOf(value) : undefined;
  return groups === undefined ? undefined : withoutMapping(groups, groups.length * 16);
}

/** `0000:0000:0000:0000:0000:0000:255.255.255.255` has as many characters; none has more. */
const addressLengthMax = 45;

/** `10.0.0.0/8`, or a single address. */
export function readNetwork(text: string): IpNetwork | undefined {
  const slash = text.indexOf('/');
  if (slash === -1) return readAddress(text);
  const groups = groupsOf(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (groups === undefined || !/^(0|[1-9][0-9]{0,2})$/.test(length) || Number(length) > groups.length * 16)
    return undefined;
  return withoutMapping(groups, Number(length));
}

export function contains(network: IpNetwork, address: IpNetwork): boolean {
  if (network.groups.length !== address.groups.length) return false;
  return network.groups.every((group, index) => {
    const free = 16 - Math.min(16, Math.max(0, network.length - index * 16));
    return group >>> free === (address.groups[index] ?? 0) >>> free;
  });
}

const mappedStart = [0, 0, 0, 0, 0, 0xffff];

function withoutMapping(groups: readonly number[], length: number): IpNetwork {
  const isMapped = groups.length === 8 && length >= 96 && mappedStart.every((group, index) => groups[index] === group);
  return isMapped ? { groups: groups.slice(6), length: length - 96 } : { groups, length };
}

function groupsOf(text: string): readonly number[] | undefined {
  return text.includes(':') ? groupsOf6(text) : groupsOf4(text);
}

/** Four numbers as they are usually written: a zero in front could be meant as octal (RFC 6943, 3.1.1). */
function groupsOf4(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255))
    return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** RFC 4291, 2.2. `::` stands for at least one group. */
function groupsOf6(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [before, after] = halves.map((half, index) => groupsIn(half, index === halves.length - 1));
  if (before === undefined) return undefined;
  if (halves.length === 1) return before.length === 8 ? before : undefined;
  if (after === undefined || before.length + after.length > 7) return undefined;
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** The last two groups of an address may be written as an IPv4 address. */
function groupsIn(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const mayBeDotted = isLast && index === parts.length - 1 && part.includes('.');
    const read = mayBeDotted
      ? groupsOf4(part)
      : /^[0-9A-Fa-f]{1,4}$/.test(part)
        ? [Number.parseInt(part, 16)]
        : undefined;
    if (read === undefined) return undefined;
    groups.push(...read);
  }
  return groups;
}
