/** Puts a backup into an empty folder, and has it verified. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { secretsName } from './backup/manifest.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { dataFolder, runCommand } from './command-line.ts';

const help = `Puts a backup into an empty folder, checks each part by its SHA-256, and then looks whether anything has drifted, as
\`npm run verify\` does. A restore that was cut off leaves a folder that no platform starts on: run it again.

  npm run restore -- FILE [--data-dir ./data]    FREEHOLD_DATA_DIR names the folder too

Ends with 0 where everything is there and nothing has drifted, 1 where something has, and 2 where it is refused.
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
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
    process.stdout.write('the secrets are not in it: put `secrets.json` into the folder, then `npm run verify`\n');
    return 0;
  }
  return verify(dataDir);
}

/** The command itself, so that both say the same. */
async function verify(dataDir: string): Promise<number> {
  const program = join(import.meta.dirname, 'verify.ts');
  const child = spawn(process.execPath, [program, '--data-dir', dataDir], { stdio: 'inherit' });
  await once(child, 'exit');
  return child.exitCode ?? 2;
}

runCommand('the backup could not be restored', main);
