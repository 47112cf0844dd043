/**
 * Runs a command with the cluster of Citus that FREEHOLD_TEST_CITUS names: the addresses of its servers, the
 * coordinator first, with commas between them. Tests that ask for a PostgreSQL server or for a store find the
 * coordinator, with tables that are distributed. What platforms under test leave there goes at the end. Without a cluster the command is not run, and nothing is counted.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { testCluster, whyNotCluster } from './test-cluster.ts';

async function main([command = '', ...words]: readonly string[]): Promise<number> {
  if (whyNotCluster !== false) {
    process.stdout.write(`\n*** ${whyNotCluster} ***\n\n0 passed, 0 failed\n`);
    return 0;
  }
  const { url, run } = testCluster();
  const schema = `freehold_test_${process.pid}`;
  const store = new URL(url);
  store.searchParams.set('schema', schema);
  try {
    const env = { ...process.env, FREEHOLD_TEST_POSTGRES: url, FREEHOLD_TEST_STORE: store.href };
    const child = spawn(command, words, { env, stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
    const [code] = await once(child, 'exit');
    return typeof code === 'number' ? code : 1;
  } finally {
    const made = `select nspname as name from pg_namespace where starts_with(nspname, '${schema}_')`;
    for (const { name } of await run(made)) await run(`drop schema "${name}" cascade`);
  }
}

process.exitCode = await main(process.argv.slice(2));
