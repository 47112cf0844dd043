import { isIP } from 'node:net';
import { blockFailure } from '../blocks/block-failure.ts';

/**
 * Whether a host of a list stands for a host.
 * @param pattern a host in lower case, or `*.` and a host, which stands for all hosts below that one.
 * @param hostname that of a `URL`: in lower case, beyond ASCII as Punycode.
 */
export function matchesHost(pattern: string, hostname: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === hostname;
  const below = pattern.slice(1);
  // The parts of an address of IP are no hosts below each other.
  return isIP(hostname) === 0 && hostname.length > below.length && hostname.endsWith(below);
}

/**
 * @param lists each of which has to hold the host.
 * @throws Problem `block_failed`
 */
export function assertHost({ hostname, username, password, hash }: URL, ...lists: (readonly string[])[]): void {
  const isPlain = username + password + hash === '' && hostname.split('.').every((label) => label !== '');
  const isIn = (list: readonly string[]): boolean => list.some((pattern) => matchesHost(pattern, hostname));
  if (!isPlain || !lists.every(isIn)) throw blockFailure('the host of the address is none of those that may be called');
}
