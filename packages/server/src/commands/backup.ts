/** Writes a data folder to one file, beside a platform that is running or not. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { storeNames } from '../backup/archive.ts';
import { takeBackup } from '../backup/take-backup.ts';
import { systemClock } from '../lib/clock.ts';
import { type CliCommand, CommandRefused, dataFolder, runCommand } from './command-line.ts';

const help = `Writes a data folder to one file: the three stores and the secrets. The platform may be running, and serves meanwhile.
The file is as secret as the folder: it holds every record and every key.

  freehold backup FILE [--data-dir ./data]     FREEHOLD_DATA_DIR names the folder too
  --without-secrets                            leaves \`secrets.json\` out: store it elsewhere, or encrypted values are lost

Ends with 0 if the file is complete and on the disk, and with 2 if nothing was written.
`;

async function run(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: {
      'data-dir': { type: 'string' },
      'without-secrets': { type: 'boolean' },
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const [name, ...more] = positionals;
  if (values.help === true || name === undefined || more.length > 0) {
    process.stdout.write(help);
    return values.help === true ? 0 : 2;
  }
  const dataDir = dataFolder(values['data-dir']);
  const file = resolve(name);
  if (existsSync(file)) throw new CommandRefused(`\`${name}\` exists already: a backup never replaces a file`);
  if (storeNames.some((store) => !existsSync(join(dataDir, store))))
    throw new CommandRefused(`there is no data of a platform in \`${dataDir}\``);
  const withSecrets = values['without-secrets'] !== true;
  const { parts } = await takeBackup({ dataDir, file, withSecrets, clock: systemClock });
  for (const { name: part, bytes, counts } of parts) {
    const held = counts === undefined ? '' : `, ${counts.items} items and ${counts.index_items} index entries`;
    process.stdout.write(`${part}: ${bytes} bytes${held}\n`);
  }
  process.stdout.write(withSecrets ? secretsInside : secretsOutside);
  return 0;
}

const secretsInside = 'done: the file holds the secrets: protect it like the data folder\n';
const secretsOutside = 'done: the file does not hold the secrets: keep a copy of `secrets.json` elsewhere\n';

export const backup: CliCommand = { failure: 'the backup could not be made', run };

if (import.meta.main) runCommand(backup);
