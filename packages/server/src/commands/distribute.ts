/** Spreads the data of a platform over the servers of a cluster. All nodes must be stopped. */
import { parseArgs } from 'node:util';
import { engineOf } from '../engines/registry.ts';
import { type CliCommand, CommandRefused, configFor, runCommand } from './command-line.ts';
import { requireStores } from './stopped-platform.ts';

const help = `Has Citus distribute the tables of a platform over the servers of its cluster, in place. All nodes must be stopped.
A run that was cut off continues when the command is run again.

  freehold distribute

FREEHOLD_STORE and FREEHOLD_STORE_PROD mean the same as for the platform; the address names the coordinator. Each table
is copied inside the cluster, so the disks need room for a second copy of the largest one. The data spaces \`test\` and
\`prod\` are spread by scope; \`platform\`, which is small, stays on the coordinator. Run \`freehold verify\` afterwards.

Ends with 0 if all tables are distributed, and with 2 if that cannot be done.
`;

async function run(words: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...words], options: { help: { type: 'boolean' } } });
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const config = configFor(undefined);
  await requireStores(config);
  let count = 0;
  for (const space of ['platform', 'test', 'prod'] as const) {
    const address = space === 'prod' ? config.storeProd : config.store;
    const engine = engineOf(address);
    if (engine.distribute === undefined)
      throw new CommandRefused(
        `FREEHOLD_STORE names ${engine.name}, which has one server: copy the data to PostgreSQL first`,
      );
    await engine.distribute(space, address, (table) => {
      count++;
      process.stdout.write(`${space}: ${table} is distributed\n`);
    });
  }
  process.stdout.write(count === 0 ? 'all tables were distributed already\n' : 'done: run `freehold verify`\n');
  return 0;
}

export const distribute: CliCommand = { failure: 'the data could not be distributed', run };

if (import.meta.main) runCommand(distribute);
