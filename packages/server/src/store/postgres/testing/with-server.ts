/**
 * Runs a command with a PostgreSQL server that ends with it, or with the server that FREEHOLD_TEST_POSTGRES names. The
 * command finds the server there, and an empty database for platforms in FREEHOLD_TEST_STORE. Where no server can be
 * had the command is not run, and nothing is counted.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startTestServer, whyNot } from './test-server.ts';

async function main([command = '', ...words]: readonly string[]): Promise<number> {
  if (whyNot !== false) {
    process.stdout.write(`\n*** ${whyNot} ***\n\n0 passed, 0 failed\n`);
    return 0;
  }
  const server = await startTestServer();
  const database = await server.database('');
  try {
    const env = { ...process.env, FREEHOLD_TEST_POSTGRES: server.url, FREEHOLD_TEST_STORE: database.url };
    const child = spawn(command, words, { env, stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
    const [code] = await once(child, 'exit');
    return typeof code === 'number' ? code : 1;
  } finally {
    await database.stop();
    await server.stop();
  }
}

process.exitCode = await main(process.argv.slice(2));
