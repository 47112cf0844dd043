/**
 * The places of this installation's parts. A release keeps this file, the launcher and the built sites in the places
 * that they have in a clone, so both are looked up in the same way.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const packages = new URL('../../../', import.meta.url);
const sources = new URL('server/src/', packages);

/** The folder that has `packages`. */
export const root = fileURLToPath(new URL('../', packages));

/** The program of the command `freehold`. */
export const launcher = fileURLToPath(new URL('server/bin/freehold.mjs', packages));

/** Prefixes of the platform's own code in a stack: addresses, or paths where a source map named them. */
export const sourcePrefixes: readonly string[] = [sources.href, fileURLToPath(sources)];

/** As the package names it. */
export function releaseVersion(): string {
  const text = readFileSync(new URL('server/package.json', packages), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
