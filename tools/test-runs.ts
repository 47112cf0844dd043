/** The words that `npm test -- WORD` takes: which tests each runs, and with what around them. CONTRIBUTING.md explains them. */

export interface TestRun {
  /** Kinds of `test-kinds.ts`, or globs. */
  readonly files: readonly string[];
  /** Programs that run the command that follows them, with a server or a platform that ends with it. */
  readonly inside?: readonly string[];
  /** The sites that must be built: what they serve is under test. */
  readonly sites?: readonly ('console' | 'docs')[];
  readonly environment?: Readonly<Record<string, string>>;
  /** For `run-tests.ts`. */
  readonly flags?: readonly string[];
}

const platform = 'packages/acceptance/src/with-platform.ts';
const postgres = 'packages/server/src/store/postgres/testing/with-server.ts';
const cluster = 'packages/server/src/store/postgres/testing/with-cluster.ts';
const together = ['--together', '--at-once', '3'];
const races = 'packages/server/src/**/*-races.test.ts';

export const testRuns: Readonly<Record<string, TestRun>> = {
  unit: { files: ['unit'], flags: ['--together'] },
  acceptance: { files: ['acceptance'], inside: [platform], flags: together },
  // A test makes hundreds of calls fail, each in turn: beside other work it takes more than five minutes.
  slow: { files: ['slow-unit', 'slow-acceptance'], inside: [platform], flags: [...together, '--minutes', '10'] },
  watched: { files: ['watched-changed'], inside: [platform], flags: together },
  nightly: { files: ['nightly'], inside: [platform], flags: together },
  browser: { files: ['browser'], sites: ['console', 'docs'], flags: together },
  postgres: {
    files: ['postgres', 'store-sensitive', races, 'store-models'],
    inside: [postgres, platform],
    flags: together,
  },
  'postgres-all': {
    files: ['postgres', 'stored', races, 'store-models'],
    inside: [postgres, platform],
    flags: together,
  },
  citus: { files: ['citus', 'stored', races], inside: [cluster] },
  image: { files: ['image'], flags: ['--minutes', '30'] },
  release: { files: ['release'], flags: ['--minutes', '20'] },
  load: { files: ['load'], flags: ['--minutes', '30'] },
  // What the others do in short, for as long and as often as it is promised.
  long: {
    files: ['long'],
    environment: { FREEHOLD_TEST_LONG: '1' },
    flags: ['--minutes', '60'],
  },
};
