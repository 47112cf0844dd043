import type { ConformanceCase } from './bench.ts';
import { chainCases } from './chain-cases.ts';
import { commitCases } from './commit-cases.ts';
import { concurrencyCases } from './concurrency-cases.ts';
import { counterCases } from './counter-cases.ts';
import { dueCases } from './due-cases.ts';
import { durabilityCases } from './durability-cases.ts';
import { indexCases } from './index-cases.ts';
import { loadCases } from './load-cases.ts';
import { queryCases } from './queries/query-cases.ts';
import { rangeCases } from './range-cases.ts';
import { readCases } from './read-cases.ts';
import { refusalCases } from './refusal-cases.ts';
import { scopeCases } from './scope-cases.ts';
import { textCases } from './text-cases.ts';
import { transactionCases } from './transactions/transaction-cases.ts';

/** The promises of the port, as data: to be run against an adapter, or against one with a planted fault. */
export const allCases: readonly ConformanceCase[] = [
  ...textCases,
  ...rangeCases,
  ...commitCases,
  ...readCases,
  ...transactionCases,
  ...counterCases,
  ...chainCases,
  ...concurrencyCases,
  ...indexCases,
  ...queryCases,
  ...dueCases,
  ...scopeCases,
  ...loadCases,
  ...refusalCases,
  ...durabilityCases,
];
