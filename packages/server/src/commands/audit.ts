/** Verifies the chains of the audit log and exports its entries. Changes nothing; the platform must be stopped. */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { platformAudit } from '../audit/audit-entry.ts';
import { type Chain, exportedEntries, verifyChains } from '../audit/verify-chains.ts';
import type { Spaces } from '../composition/open-spaces.ts';
import type { Config } from '../config.ts';
import { orgCodes, platformScopeName } from '../people/port.ts';
import type { OpenedStore, ScopeName } from '../store/port.ts';
import { type CliCommand, CommandRefused, configFor, runCommand } from './command-line.ts';
import { requireStores, usingSpace } from './stopped-platform.ts';

const help = `Each entry of the audit log depends on all entries before it.

  freehold audit verify [--expect DIGEST]... [--expect-file FILE]
      checks whether entries were changed, removed, inserted or reordered, and prints the head of each chain. Heads from
      an earlier run, one by one or in a file with its output, prove that the entries up to them are unchanged, even
      against an owner of the database.
  freehold audit export [--org CODE]
      writes the entries to the standard output, as lines of JSON.

Both take --data-dir ./data; FREEHOLD_DATA_DIR names the folder too. FREEHOLD_STORE and FREEHOLD_STORE_PROD mean the same
as for the platform. All of its nodes must be stopped. Both change nothing.

\`verify\` ends with 0 if all chains are whole, 1 if one is not, and 2 if they cannot be checked.
`;

const spaces: readonly (keyof Spaces)[] = ['platform', 'test', 'prod'];

async function run(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const [name, ...rest] = positionals;
  if (values.help === true || name === undefined) {
    process.stdout.write(help);
    return values.help === true ? 0 : 2;
  }
  if (rest.length > 0 || (name !== 'verify' && name !== 'export'))
    throw new CommandRefused('`freehold audit` takes `verify` or `export`: see `freehold audit --help`');
  const config = configFor(values['data-dir']);
  const expected = expectedDigests(values.expect ?? [], values['expect-file']);
  await requireStores(config);
  return name === 'export' ? exportAll(config, values.org) : verifyAll(config, expected);
}

const options = {
  'data-dir': { type: 'string' },
  expect: { type: 'string', multiple: true },
  'expect-file': { type: 'string' },
  org: { type: 'string' },
  help: { type: 'boolean' },
} as const;

function expectedDigests(given: readonly string[], file: string | undefined): Set<string> {
  for (const digest of given)
    if (!/^[0-9a-f]{64}$/.test(digest))
      throw new CommandRefused(`\`${digest}\` is not a digest of 64 hexadecimal digits`);
  return new Set([...given, ...(file === undefined ? [] : digestsIn(file))]);
}

function digestsIn(file: string): readonly string[] {
  const found = readFileSync(file, 'utf8').match(/\b[0-9a-f]{64}\b/g);
  if (found !== null) return found;
  throw new CommandRefused(
    `\`${file}\` holds no digest, so it proves nothing: write the output of this run to another file`,
  );
}

async function verifyAll(config: Config, expected: Set<string>): Promise<number> {
  const counts = { chains: 0, entries: 0, broken: 0 };
  for (const space of spaces)
    await usingSpace(config, space, async (opened) => {
      const owed = space === 'platform' ? await chainsOfOrgs(opened) : new Map();
      for await (const chain of verifyChains(opened, { owed, seen: (digest) => expected.delete(digest) })) {
        printFindings(space, chain);
        counts.chains++;
        counts.entries += chain.count;
        if (chain.broken !== undefined) counts.broken++;
      }
    });
  for (const digest of expected) say(`gone: no chain has an entry with the digest ${digest}`);
  const isWhole = counts.broken + expected.size === 0;
  say(`${counts.chains} chains, ${counts.entries} entries, ${isWhole ? 'all whole' : `${counts.broken} broken`}`);
  return isWhole ? 0 : 1;
}

/** An org begins with an entry that its own commit writes, so each has a chain. */
async function chainsOfOrgs({ store }: OpenedStore): Promise<ReadonlyMap<ScopeName, readonly string[]>> {
  const chains: string[] = [];
  for await (const code of orgCodes(store.scope(platformScopeName))) chains.push(platformAudit(code));
  return new Map([[platformScopeName, chains]]);
}

function printFindings(space: string, { scope, pk, count, digest, broken }: Chain): void {
  const place = `${space} ${JSON.stringify(scope)} ${JSON.stringify(pk)}`;
  if (broken === undefined) {
    say(`head: ${place} ${count} ${digest}`);
    return;
  }
  say(`broken: ${place} at ${broken.sk === undefined ? 'its end' : JSON.stringify(broken.sk)}: ${broken.problem}`);
}

async function exportAll(config: Config, org: string | undefined): Promise<number> {
  for (const space of spaces)
    await usingSpace(config, space, async (opened) => {
      for await (const exported of exportedEntries(opened, org)) say(JSON.stringify({ space, ...exported }));
    });
  return 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export const audit: CliCommand = {
  failure: 'the audit log cannot be read (is the platform still running?)',
  run,
};

if (import.meta.main) runCommand(audit);
