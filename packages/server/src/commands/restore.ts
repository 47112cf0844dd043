/** Puts a backup into an empty folder, and has it verified. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { secretsName, storeNames } from '../backup/archive.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { dataVersion, firstDataVersion } from '../store/data-version.ts';
import { type CliCommand, dataFolder, runCommand } from './command-line.ts';
import { verify } from './verify.ts';

const help = `Puts a backup into an empty folder, checks each part by its SHA-256, and then verifies the data as \`freehold verify\`
does. A restore that was cut off leaves a folder that no platform starts on: run it again.

  freehold restore FILE [--data-dir ./data]    FREEHOLD_DATA_DIR names the folder too

Ends with 0 if the data is complete and nothing has drifted, 1 if something has drifted, and 2 if it refused.
`;

async function run(words: readonly string[]): Promise<number | undefined> {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { 'data-dir': { type: 'string' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [name, ...more] = positionals;
  if (values.help === true || name === undefined || more.length > 0) {
    process.stdout.write(help);
    return values.help === true ? 0 : 2;
  }
  const dataDir = dataFolder(values['data-dir']);
  const { created_at, parts } = await restoreBackup({ file: resolve(name), dataDir });
  process.stdout.write(`restored what was there at ${created_at}\n`);
  if (parts.every((part) => part.name !== secretsName)) {
    process.stdout.write('the secrets are not in it: put `secrets.json` into the folder, then `freehold verify`\n');
    return 0;
  }
  const versions = storeNames.map((name) => parts.find((part) => part.name === name)?.data_version ?? firstDataVersion);
  if (versions.some((version) => version !== dataVersion)) {
    process.stdout.write(
      'the data is of an earlier version: the first start brings it to this one, then `freehold verify`\n',
    );
    return 0;
  }
  return verify.run(['--data-dir', dataDir]);
}

export const restore: CliCommand = { failure: 'the backup could not be restored', run };

if (import.meta.main) runCommand(restore);
